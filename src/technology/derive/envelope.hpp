// What no device is better than whose budgets lie between those of some others: found from these
// alone, so that a search can leave out all that lie between.
#pragma once

#include <optional>
#include <span>

#include "technology/cost.hpp"
#include "technology/derive/derive.hpp"
#include "technology/device.hpp"

namespace scalesweep::technology {

// A device of the same parts with any budgets between: each of its rates and capacities is at most
// that of `fastest`, the energies and powers at the same clock at least. Part by part, so that
// `fastest` is no device that could be built: of two parts that share a budget it has both.
struct Envelope {
  Device fastest;  // at the highest of their clocks, with the highest of their design powers
  Network scale_up;
  Hertz least_clock;
  Volts least_supply;  // at that clock
  Watts least_power;   // thermal design power
  double fewest_cores = 0;
  double least_peak = 1;  // of the matrix units, of that of `fastest`
};

// Of derivations that differ in budgets alone, the corners of a box: every combination of the least
// and the most of each budget that differs. Nothing where one of them is not feasible: what lies
// between may be or not.
//
// What grows or falls with each budget has its extremes at corners. Three things do neither, and
// have a bound of their own: stacks, the fewer of what edge and package take; what stacks leave of
// a die, in steps; the bandwidth of L2, the lower of what cores and slices give.
std::optional<Envelope> envelope_of(std::span<const Derivation> corners);

// What no such device with its networks costs less than, rate by rate. None may be missing.
Ownership least_ownership(std::span<const Ownership> corners);

}  // namespace scalesweep::technology
