// Values that nobody knows, written as distributions: all of them are drawn together, so often, as
// one axis `draw` that they follow. What is best is found for every draw; analysis says how often
// it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/document.hpp"
#include "space/read/spec_types.hpp"

namespace scalesweep::space {

// So many numbers in (0, 1): the middles of equal parts, each once, in the order of a dimension of
// the Halton sequence (Halton, Numerische Mathematik 2, 1960), which begins where the seed says.
// Each dimension is filled evenly, and six together nearly so: correlations up to 0.16 of 64.
std::vector<double> even_shares(std::int64_t count, std::size_t dimension, std::int64_t seed);

// The value below which a log-normal distribution of this mean and spread has such a share.
double quantile(const Distribution& distribution, double share);

// Gives axes with a distribution their values, to six digits, and puts the axis that they follow
// before the first of them. Reports draws that a key does not take, and a table where nothing is
// drawn.
void read_draws(const config::TableCursor& draws, std::vector<Axis>& axes,
                Diagnostics& diagnostics);

}  // namespace scalesweep::space
