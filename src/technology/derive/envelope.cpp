#include "technology/derive/envelope.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/contracts.hpp"
#include "technology/derive/clock.hpp"

namespace scalesweep::technology {
namespace {

template <typename Value>
double most_of(std::span<const Derivation> corners, Value value) {
  double most = -std::numeric_limits<double>::infinity();
  for (const Derivation& corner : corners) {
    most = std::max(most, static_cast<double>(value(corner)));
  }
  return most;
}
template <typename Value>
double least_of(std::span<const Derivation> corners, Value value) {
  return -most_of(corners,
                  [&](const Derivation& corner) { return -static_cast<double>(value(corner)); });
}

// Steps of stacks: where there is one less than at a corner, so much more of the dies is free.
double freed_m2(std::span<const Derivation> corners, const Derivation& corner) {
  const double least_stacks = least_of(corners, [](const Derivation& d) { return d.stacks; });
  const double interface_m2 = corner.memory_interface_area.si() / std::max(1, corner.stacks);
  return interface_m2 * (corner.stacks - least_stacks);
}

// Of the stacks at a corner: what edge allows at most, or the package, whichever is less.
double most_stacks(std::span<const Derivation> corners) {
  const double placed = most_of(corners, [](const Derivation& d) { return d.stacks; });
  const double by_edge = most_of(corners, [](const Derivation& d) { return d.stacks_by_edge; });
  const double by_package =
      most_of(corners, [](const Derivation& d) { return d.stacks_by_package; });
  const bool asked_for = placed == least_of(corners, [](const Derivation& d) { return d.stacks; });
  return asked_for ? placed : std::max(placed, std::min(by_edge, by_package));
}

template <typename Quantity>
void raise(Quantity& value, const Quantity& other) {
  value = std::max(value, other);
}
template <typename Quantity>
void lower(Quantity& value, const Quantity& other) {
  value = std::min(value, other);
}

// `other` at the clock and supply of `best`.
void take_better(Device& best, const Device& other) {
  raise(best.cores, other.cores);
  for (std::size_t p = 0; p < precision_count; ++p) {
    raise(best.tensor_peak[p], other.tensor_peak[p]);
    lower(best.tensor_energy[p], other.tensor_energy[p]);
  }
  raise(best.vector_peak, other.vector_peak);
  lower(best.vector_energy, other.vector_energy);
  for (const auto level : {&Device::dram, &Device::l2, &Device::shared}) {
    raise((best.*level).capacity, (other.*level).capacity);
    raise((best.*level).bandwidth, (other.*level).bandwidth);
    lower((best.*level).energy, (other.*level).energy);
  }
  raise(best.thermal_design_power, other.thermal_design_power);
  lower(best.memory_access_energy, other.memory_access_energy);
  lower(best.idle_power, other.idle_power);
  lower(best.active_power, other.active_power);
  lower(best.leakage_power, other.leakage_power);
}

void take_better(Network& best, const Network& other) {
  raise(best.bandwidth, other.bandwidth);
  lower(best.half_size, other.half_size);
  lower(best.in_network_half_size, other.in_network_half_size);
  lower(best.energy, other.energy);
  lower(best.device_energy, other.device_energy);
  lower(best.rest_power, other.rest_power);
  lower(best.cost, other.cost);
}

// How far cores and L2 between corners may be from those at all of them, where stacks differ: one
// stack less leaves room for more, and one more for less.
struct StackSteps {
  int cores = 0;
  double l2 = 1.0;
};

StackSteps steps_between(std::span<const Derivation> corners) {
  StackSteps steps;
  for (const Derivation& corner : corners) {
    const double freed = freed_m2(corners, corner);
    const double rest = corner.cores_area.si() + corner.l2_area.si();
    steps.cores = std::max(steps.cores, static_cast<int>(std::ceil(freed / corner.core_area.si())));
    steps.l2 = std::max(steps.l2, 1.0 + freed / rest);
  }
  return steps;
}

// The most that there may be of cores and L2, and the least that cores take beside work.
void widen(Device& best, const StackSteps& steps, double fewest_cores, double fewest_at_corners) {
  const double times = 1.0 + static_cast<double>(steps.cores) / best.cores;
  best.cores += steps.cores;
  for (FlopPerSecond& peak : best.tensor_peak) {
    peak *= times;
  }
  best.vector_peak *= times;
  best.shared.bandwidth *= times;
  best.l2.capacity *= steps.l2;
  const double less = fewest_cores / fewest_at_corners;
  best.idle_power -= best.leakage_power * (1.0 - less);
  best.leakage_power *= less;
  best.active_power *= less;
}

// min(a x, b y) <= min(a, b) max(x, y): what ports and slices of one corner give, as many times as
// there are more of both at most, and of what dies are joined along.
BytesPerSecond most_l2_bandwidth(std::span<const Device> corners, const Device& best) {
  BytesPerSecond most = BytesPerSecond::si(std::numeric_limits<double>::infinity());
  double widest_m2 = 0.0;
  for (const Device& corner : corners) {
    widest_m2 = std::max(widest_m2, corner.die_area.si());
  }
  for (const Device& corner : corners) {
    const double cores = static_cast<double>(best.cores) / corner.cores;
    const double slices =
        corner.l2.capacity.si() > 0.0 ? best.l2.capacity / corner.l2.capacity : 1.0;
    const double joints = std::sqrt(widest_m2 / corner.die_area.si());
    most = std::min(most, corner.l2.bandwidth * std::max({cores, slices, joints}));
  }
  return most;
}

// Cores come whole, so that between two corners one may be rated a little faster, and slower, than
// both: 0.04 % and 3.5 % were seen in 60,000 draws.
constexpr double faster_between = 1.001;
constexpr double slower_between = 0.95;

struct ByClock {
  bool operator()(const Derivation& a, const Derivation& b) const {
    return a.device.clock < b.device.clock;
  }
};

double least_peak(std::span<const Derivation> corners, const Device& best) {
  double least = 1.0;
  for (std::size_t p = 0; p < precision_count; ++p) {
    for (const Derivation& corner : corners) {
      if (best.tensor_peak[p].si() > 0.0) {
        lower(least, corner.device.tensor_peak[p] / best.tensor_peak[p]);
      }
    }
  }
  return least;
}

Envelope of_feasible(std::span<const Derivation> corners) {
  const Derivation& fast = *std::max_element(corners.begin(), corners.end(), ByClock());
  const Derivation& slow = *std::min_element(corners.begin(), corners.end(), ByClock());
  const StackSteps steps = steps_between(corners);
  const double at_corners = least_of(corners, [](const Derivation& d) { return d.device.cores; });
  const double fewest = std::max(1.0, at_corners - steps.cores);
  // Fewer cores are rated faster.
  const double faster = corners.size() > 1 ? faster_between * at_corners / fewest : 1.0;
  const Hertz clock = fast.device.clock * faster;
  std::vector<Device> same_clock;
  for (const Derivation& corner : corners) {
    same_clock.push_back(
        at_clock_and_supply(corner.device, clock / corner.device.clock, fast.device.supply));
  }
  Envelope envelope = {same_clock.front(),
                       fast.scale_up,
                       slow.device.clock,
                       slow.device.supply,
                       fast.device.thermal_design_power,
                       fewest};
  Device& best = envelope.fastest;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    take_better(best, same_clock[i]);
    take_better(envelope.scale_up, corners[i].scale_up);
    lower(envelope.least_power, corners[i].device.thermal_design_power);
  }
  widen(best, steps, fewest, at_corners);
  best.l2.bandwidth = most_l2_bandwidth(same_clock, best);
  const double slower =
      corners.size() > 1 ? std::max(slower_between, fewest / (best.cores + 1.0)) : 1.0;
  envelope.least_clock *= slower;
  envelope.least_supply *= slower;
  const double stacks =
      most_stacks(corners) / most_of(corners, [](const Derivation& d) { return d.stacks; });
  if (!best.memory_in_cores && stacks > 1.0) {
    best.dram.capacity *= stacks;
    best.dram.bandwidth *= stacks;
  }
  envelope.least_peak = least_peak(corners, best) * fewest / at_corners;
  return envelope;
}

}  // namespace

std::optional<Envelope> envelope_of(std::span<const Derivation> corners) {
  SCALESWEEP_EXPECT(!corners.empty());
  if (std::any_of(corners.begin(), corners.end(),
                  [](const Derivation& d) { return d.infeasible.has_value(); })) {
    return std::nullopt;
  }
  return of_feasible(corners);
}

Ownership least_ownership(std::span<const Ownership> corners) {
  SCALESWEEP_EXPECT(!corners.empty());
  Ownership least = corners.front();
  for (const Ownership& corner : corners) {
    for (std::size_t part = 0; part < capital_count; ++part) {
      lower(least.prices[part], corner.prices[part]);
      lower(least.rates_usd_per_s[part], corner.rates_usd_per_s[part]);
    }
    for (std::size_t what = 0; what < repricing_count; ++what) {
      lower(least.repricing[what], corner.repricing[what]);
      lower(least.repricing_usd_per_s[what], corner.repricing_usd_per_s[what]);
    }
    lower(least.power, corner.power);
    lower(least.embodied, corner.embodied);
    lower(least.embodied_kg_per_s, corner.embodied_kg_per_s);
    lower(least.energy_usd_per_j, corner.energy_usd_per_j);
    lower(least.energy_kg_per_j, corner.energy_kg_per_j);
    lower(least.server_power_w, corner.server_power_w);
  }
  return least;
}

}  // namespace scalesweep::technology
