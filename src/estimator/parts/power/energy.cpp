#include "estimator/parts/power/energy.hpp"

namespace scalesweep::estimator {
namespace {

EnergyUse rest_of_links(const technology::System& system, double device_s) {
  const technology::RestPower rest = technology::rest_power(system);
  EnergyUse energy;
  energy.scale_up_j = device_s * rest.inside.si();
  energy.scale_out_j = device_s * rest.beyond.si();
  return energy;
}

}  // namespace

EnergyUse& EnergyUse::add(double n, const EnergyUse& o) {
  tensor_j += n * o.tensor_j;
  vector_j += n * o.vector_j;
  dram_j += n * o.dram_j;
  l2_j += n * o.l2_j;
  scale_up_j += n * o.scale_up_j;
  scale_out_j += n * o.scale_out_j;
  static_j += n * o.static_j;
  idle_j += n * o.idle_j;
  active_j += n * o.active_j;
  return *this;
}

EnergyUse energy_of(const technology::System& system, const Work& work, double devices,
                    double step_s) {
  EnergyUse energy = energy_on_any_network(system, work, devices, step_s);
  return energy += rest_of_links(system, devices * step_s);
}

EnergyUse energy_on_any_network(const technology::System& system, const Work& work, double devices,
                                double step_s) {
  const technology::Device& device = system.device;
  EnergyUse energy = idle_energy_of_devices(device, devices * step_s);
  energy.tensor_j = work[Amount::tensor_joules];
  energy.vector_j = work[Amount::vector_flop] * device.vector_energy.si();
  energy.dram_j = work[Amount::dram_bytes] * device.dram.energy.si();
  energy.l2_j = work[Amount::l2_bytes] * device.l2.energy.si();
  energy.scale_up_j = work[Amount::scale_up_joules];
  energy.scale_out_j = work[Amount::scale_out_joules];
  energy.active_j = devices * step_s * device.active_power.si();
  return energy;
}

EnergyUse idle_energy(const technology::System& system, double device_s) {
  EnergyUse energy = idle_energy_of_devices(system.device, device_s);
  return energy += rest_of_links(system, device_s);
}

EnergyUse idle_energy_of_devices(const technology::Device& device, double device_s) {
  EnergyUse energy;
  energy.static_j = device_s * device.leakage_power.si();
  energy.idle_j = device_s * (device.idle_power - device.leakage_power).si();
  return energy;
}

EnergyUse energy_of_second(const technology::System& system, const Work& work, double devices,
                           double running) {
  EnergyUse energy = energy_of(system, work, running, 1.0);
  return energy += idle_energy(system, devices - running);
}

double device_power_w(const Work& work, const EnergyUse& energy, double devices, double step_s) {
  const double device_j = energy.tensor_j + energy.vector_j + energy.dram_j + energy.l2_j +
                          energy.static_j + energy.idle_j + energy.active_j +
                          work[Amount::sender_joules];
  return device_j / (devices * step_s);
}

}  // namespace scalesweep::estimator
