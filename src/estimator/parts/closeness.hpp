// How close a bound comes to what it bounds.
#pragma once

#include <cstdint>

namespace scalesweep::estimator {

// Quick: at the full clock, also where a power limit forbids it. Near: at the clock of a coarse
// grid that is next above that of the passes.
enum class Closeness : std::uint8_t { quick, near };

}  // namespace scalesweep::estimator
