// What is certain of all devices between the corners of a box (technology/derive/envelope.hpp),
// from what passes take on the fastest one.
#pragma once

#include "estimator/parts/cost.hpp"
#include "estimator/parts/power/power_limit.hpp"
#include "technology/derive/envelope.hpp"

namespace scalesweep::estimator {

// Of a bound of the time: on some cores less, blocks of tiles may come out more even, so that all
// of them together read less. In 60,000 draws that made up to 1.6 % of a step, and 0.7 % for each
// percent of cores between the most and the fewest; none where cores are the same.
double within(const technology::Envelope& envelope);
// The same of a batch, whose passes have few products: in 240,000 draws that made up to 2.5 % of
// its time or energy.
double within_batch(const technology::Envelope& envelope);

// Seconds more at least, where passes take `full` at the full clock of the fastest device, and
// `near` at one that they would settle at, or below. A device that is kept below its power takes at
// least the energy of its passes over that power, and that of `near` is less.
double slower_passes_s(const Cost& full, const Cost& near);

// As least_energy_j() of power_limit.hpp; the work at that clock. What is certain of it is left to
// the caller.
double least_energy_j(const technology::System& near, const technology::Envelope& envelope,
                      const PassWork& of, double devices, double total_s);

}  // namespace scalesweep::estimator
