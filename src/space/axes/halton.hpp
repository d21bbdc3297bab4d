// Points that fill a box evenly, however many of them there are (J. H. Halton, "On the efficiency
// of certain quasi-random sequences of points", Numerische Mathematik 2, 1960).
#pragma once

#include <cstddef>
#include <cstdint>

namespace scalesweep::space {

// The coordinate of point i of the sequence in this dimension, both from 0 on, between 0 and 1: the
// digits of i in the base of the dimension, its prime, behind the point in reverse order.
double halton(std::int64_t i, std::size_t dimension);

}  // namespace scalesweep::space
