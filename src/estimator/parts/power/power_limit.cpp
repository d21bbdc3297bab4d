#include "estimator/parts/power/power_limit.hpp"

#include <fmt/format.h>

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

constexpr double rounded = 1.0 + 1e-9;

}  // namespace

double clock_fraction(int clock_step) {
  return std::exp2(-clock_step / clock_steps_per_halving);
}

int slowest_step(const technology::Device& full) {
  if (full.lowest_clock.si() <= 0.0) {
    return slowest_clock_step;
  }
  const double halvings = std::log2(full.clock / full.lowest_clock);
  return std::clamp(static_cast<int>(std::floor(halvings * clock_steps_per_halving)), 0,
                    slowest_clock_step);
}

double unkept_power_w(const technology::Device& full, int clock_step, double power_w) {
  const double limit_w = full.thermal_design_power.si();
  const bool is_broken =
      limit_w > 0.0 && power_w > rounded * limit_w && clock_step >= slowest_step(full);
  return is_broken ? power_w : 0.0;
}

std::string unkept_limit_text(const technology::Device& full, double unkept_w) {
  return fmt::format(
      "a device takes {:.4g} W at its slowest clock, {:.3g} MHz; its power limit is {:.4g} W",
      unkept_w, 1e-6 * clock_fraction(slowest_step(full)) * full.clock.si(),
      full.thermal_design_power.si());
}

bool may_break_limit(const technology::System& full) {
  const technology::System slow = at_clock_step(full, slowest_step(full.device));
  const technology::Device& device = slow.device;
  double most_w = device.idle_power.si() + device.active_power.si() +
                  device.vector_peak.si() * device.vector_energy.si() +
                  device.dram.bandwidth.si() * device.dram.energy.si() +
                  device.l2.bandwidth.si() * device.l2.energy.si();
  double tensor_w = 0.0;
  for (std::size_t p = 0; p < technology::precision_count; ++p) {
    tensor_w = std::max(tensor_w, device.tensor_peak[p].si() * device.tensor_energy[p].si());
  }
  most_w += tensor_w;
  for (const technology::LinkLevel& level : slow.levels) {
    most_w += level.link.bandwidth.si() * level.link.device_energy.si();
  }
  return exceeds_power(most_w, device);
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
  int slow = slowest_clock_step;  // of any device: the one that asks ends at its own
  while (slow - fast > 1) {
    const int middle = (fast + slow) / 2;
    const bool exceeds = exceeds_power(parts.at_w(device, clock_fraction(middle)), device);
    (exceeds ? fast : slow) = middle;
  }
  return slow;
}

int settled_clock_step(const technology::Device& full, int fast_step, double fast_w,
                       const std::function<double(int)>& power_w, std::optional<int> guess) {
  const double limit_w = full.thermal_design_power.si();
  const int slowest = slowest_step(full);
  const auto at = [limit_w](int step, double w) { return Tried{step, std::log(w / limit_w)}; };
  const auto tried = [&](int step) { return at(step, power_w(step)); };
  Tried fast = at(fast_step, fast_w);
  if (fast.excess <= 0.0 || fast_step >= slowest) {
    return fast_step;
  }
  const int first = guess.value_or(fast_step + steps_for(fast.excess));
  Tried slow = tried(std::clamp(first, fast_step + 1, slowest));
  // A good guess is right or next to it.
  for (int away = 1; guess && slow.excess <= 0.0 && slow.step - fast.step > 1; away *= 4) {
    const Tried next = tried(std::max(slow.step - away, fast.step + 1));
    if (next.excess > 0.0) {
      fast = next;
      break;
    }
    slow = next;
  }
  for (int away = guess ? 1 : slow.step; slow.excess > 0.0 && slow.step < slowest;
       away *= guess ? 4 : 2) {
    fast = slow;
    slow = tried(std::min(slow.step + away, slowest));
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
  const int expected =
      std::min(expected_clock_step(system, of_one_device) - 1, slowest_step(system.device));
  int step = expected - expected % near_steps;
  while (step > 0 && !exceeds(power_w(step))) {
    step -= near_steps;
  }
  return step;
}

double least_energy_j(const technology::System& system, const PassWork& of, double devices,
                      double total_s) {
  const double at_this_clock_j =
      energy_on_any_network(system, of.passes * of.work, devices, total_s).total_j();
  const double limit_w = system.device.thermal_design_power.si();
  return limit_w <= 0.0
             ? at_this_clock_j
             : std::min(at_this_clock_j, nearly_all_power * limit_w * of.passes * of.pass_s);
}

}  // namespace scalesweep::estimator
