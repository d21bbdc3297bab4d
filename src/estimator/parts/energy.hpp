// Where the energy of a step burns, and what power a device takes on average.
#pragma once

#include "estimator/parts/cost.hpp"
#include "estimator/training/training.hpp"

namespace scalesweep::estimator {

// Of `work` by all `devices` of the system in `step_s` seconds.
EnergyUse energy_of(const technology::System& system, technology::Precision precision,
                    const Work& work, double devices, double step_s);

// Average over the step and over the devices: what its thermal design power must cover. Of the
// links it is the part that the device itself burns.
double device_power_w(const technology::System& system, const Work& work, const EnergyUse& energy,
                      double devices, double step_s);

}  // namespace scalesweep::estimator
