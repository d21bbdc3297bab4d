// How many requests are in flight at the points of a curve.
#pragma once

#include <cstdint>
#include <vector>

namespace scalesweep::cli {

// From one request to as many as engines take on each of so many devices, ascending: whole numbers
// at first, then four to each factor of two, which replicas can share.
std::vector<std::int64_t> curve_loads(std::int64_t devices);

}  // namespace scalesweep::cli
