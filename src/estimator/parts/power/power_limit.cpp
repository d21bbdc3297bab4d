#include "estimator/parts/power/power_limit.hpp"

#include <algorithm>
#include <cmath>

#include "technology/derive/clock.hpp"

namespace scalesweep::estimator {
namespace {

// A clock that was tried, with the logarithm of its power over the limit: above 0 it is too fast.
struct Tried {
  int step = 0;
  double excess = 0.0;
};

// Of one device, by what changes it with the clock.
struct PowerParts {
  double clocked_s, other_s;  // time
  double switched_j;          // goes with the square of the voltage
  double moved_j;             // DRAM and links
  double active_w, leakage_w, idle_w;

  double at_w(const technology::Device& device, double fraction) const {
    const double voltage =
        device.supply.si() > 0.0
            ? technology::supply_for(device.voltage, device.supply, fraction) / device.supply
            : 1.0;
    const double squared = voltage * voltage;
    return (switched_j * squared + moved_j) / (clocked_s / fraction + other_s) +
           active_w * fraction * squared + leakage_w * voltage + idle_w;
  }
};

PowerParts parts_of(const technology::System& system, const Cost& cost) {
  const double time_s = cost.time.total_s();
  const EnergyUse energy = energy_of(system, cost.work, 1.0, time_s);
  PowerParts parts{};
  for (const Resource clocked : {Resource::tensor_compute, Resource::vector_compute, Resource::l2,
                                 Resource::shared_memory}) {
    parts.clocked_s += cost.time[clocked];
  }
  parts.other_s = time_s - parts.clocked_s;
  parts.switched_j = energy.tensor_j + energy.vector_j + energy.l2_j;
  parts.active_w = energy.active_j / time_s;
  parts.leakage_w = energy.static_j / time_s;
  parts.idle_w = energy.idle_j / time_s;
  const double rest_w = parts.active_w + parts.leakage_w + parts.idle_w;
  parts.moved_j = (power_of_w(system, cost) - rest_w) * time_s - parts.switched_j;
  return parts;
}

// Where the line through both crosses 0, rounded to the slower clock.
int crossing(const Tried& fast, const Tried& slow) {
  const double slope = (slow.excess - fast.excess) / (slow.step - fast.step);
  return static_cast<int>(std::ceil(fast.step - fast.excess / slope));
}

// Power falls at least as the clock does, mostly as its square: dynamic power with V^2 f.
int steps_for(double excess) {
  const double halvings = excess / (2.0 * std::log(2.0));
  return static_cast<int>(
      std::ceil(std::clamp(halvings * clock_steps_per_halving, 1.0, double{slowest_clock_step})));
}

}  // namespace

double clock_fraction(int clock_step) {
  return std::exp2(-clock_step / clock_steps_per_halving);
}

technology::System at_clock_step(technology::System system, int clock_step) {
  system.device = technology::at_clock(system.device, clock_fraction(clock_step));
  return system;
}

double power_of_w(const technology::System& system, const Cost& of_one_device) {
  const double time_s = of_one_device.time.total_s();
  const EnergyUse energy = energy_of(system, of_one_device.work, 1.0, time_s);
  return device_power_w(of_one_device.work, energy, 1.0, time_s);
}

int expected_clock_step(const technology::System& system, const Cost& of_one_device) {
  const technology::Device& device = system.device;
  const PowerParts parts = parts_of(system, of_one_device);
  int fast = 0;
  int slow = slowest_clock_step;
  while (slow - fast > 1) {
    const int middle = (fast + slow) / 2;
    const bool exceeds = exceeds_power(parts.at_w(device, clock_fraction(middle)), device);
    (exceeds ? fast : slow) = middle;
  }
  return slow;
}

int settled_clock_step(double limit_w, int fast_step, double fast_w,
                       const std::function<double(int)>& power_w, std::optional<int> guess) {
  const auto at = [limit_w](int step, double w) { return Tried{step, std::log(w / limit_w)}; };
  const auto tried = [&](int step) { return at(step, power_w(step)); };
  Tried fast = at(fast_step, fast_w);
  if (fast.excess <= 0.0 || fast_step >= slowest_clock_step) {
    return fast_step;
  }
  const int first = guess.value_or(fast_step + steps_for(fast.excess));
  Tried slow = tried(std::clamp(first, fast_step + 1, slowest_clock_step));
  // A good guess is right or next to it.
  for (int away = 1; guess && slow.excess <= 0.0 && slow.step - fast.step > 1; away *= 4) {
    const Tried next = tried(std::max(slow.step - away, fast.step + 1));
    if (next.excess > 0.0) {
      fast = next;
      break;
    }
    slow = next;
  }
  for (int away = guess ? 1 : slow.step; slow.excess > 0.0 && slow.step < slowest_clock_step;
       away *= guess ? 4 : 2) {
    fast = slow;
    slow = tried(std::min(slow.step + away, slowest_clock_step));
  }
  // The secant, and every third time the middle, which ends the search whatever the curve is like.
  for (int trial = 1; slow.excess <= 0.0 && slow.step - fast.step > 1; ++trial) {
    const int next_step = trial % 3 == 0 ? (fast.step + slow.step) / 2 : crossing(fast, slow);
    const Tried next = tried(std::clamp(next_step, fast.step + 1, slow.step - 1));
    (next.excess > 0.0 ? fast : slow) = next;
  }
  return slow.step;
}

int near_clock_step(const technology::System& system, const Cost& of_one_device,
                    const std::function<double(int)>& power_w, double rise) {
  const auto exceeds = [&](double w) { return exceeds_power(w / (1.0 + rise), system.device); };
  if (!exceeds(power_of_w(system, of_one_device))) {
    return 0;
  }
  const int expected = expected_clock_step(system, of_one_device) - 1;
  int step = expected - expected % near_steps;
  while (step > 0 && !exceeds(power_w(step))) {
    step -= near_steps;
  }
  return step;
}

double least_energy_j(const technology::System& system, const PassWork& of, double devices,
                      double total_s) {
  const double at_this_clock_j = energy_of(system, of.passes * of.work, devices, total_s).total_j();
  const double limit_w = system.device.thermal_design_power.si();
  return limit_w <= 0.0
             ? at_this_clock_j
             : std::min(at_this_clock_j, nearly_all_power * limit_w * of.passes * of.pass_s);
}

}  // namespace scalesweep::estimator
