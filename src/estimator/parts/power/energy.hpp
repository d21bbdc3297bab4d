// Where the energy of a step burns, and what power a device takes on average.
#pragma once

#include "estimator/parts/cost.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// Joules of the whole system in one step, by where they burn. Registers and shared memory are part
// of the energy of an operation.
struct EnergyUse {
  double tensor_j = 0.0;
  double vector_j = 0.0;
  double dram_j = 0.0;
  double l2_j = 0.0;
  double scale_up_j = 0.0;  // all hops: devices, cables, switches, and what these burn at rest
  double scale_out_j = 0.0;
  double static_j = 0.0;  // leakage
  double idle_j = 0.0;    // what else burns without work
  double active_j = 0.0;  // what burns beside it while a program runs, whatever it computes
  double total_j() const {
    return tensor_j + vector_j + dram_j + l2_j + scale_up_j + scale_out_j + static_j + idle_j +
           active_j;
  }
  EnergyUse& operator+=(const EnergyUse& o) { return add(1.0, o); }
  EnergyUse& add(double n, const EnergyUse& o);
};

// The law of rest and active power, for all kinds of work. A device takes its idle power always,
// and so do the cables and switches that are its share: links are never off. While a program runs
// on it, it takes its active power as well: ranks that wait for others spin in kernels of the
// collective, and devices that wait for their host keep their clock. No program runs on devices
// whose turn it is not, that have no request, or whose job is being saved or restarted.

// Of `work` by all `devices` of the system in `step_s` seconds, in all of which its program runs.
EnergyUse energy_of(const technology::System& system, const Work& work, double devices,
                    double step_s);

// The same without what links burn at rest, which another network may burn less of: for bounds.
EnergyUse energy_on_any_network(const technology::System& system, const Work& work, double devices,
                                double step_s);

// Of devices on which no program runs, in so many seconds of all of them together; and without what
// their links burn.
EnergyUse idle_energy(const technology::System& system, double device_s);
EnergyUse idle_energy_of_devices(const technology::Device& device, double device_s);

// Of `work` in a second, in which programs run on so many of the devices on average.
EnergyUse energy_of_second(const technology::System& system, const Work& work, double devices,
                           double running);

// Average over the step and over the devices: what its thermal design power must cover. Of the
// links it is the part that the device itself burns.
double device_power_w(const Work& work, const EnergyUse& energy, double devices, double step_s);

}  // namespace scalesweep::estimator
