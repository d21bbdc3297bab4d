// Which budget binds: by taking one percent more of each.
#include <algorithm>
#include <cmath>

#include "core/contracts.hpp"
#include "technology/derive/derive.hpp"

namespace scalesweep::technology {
namespace {

constexpr double step = 0.01;

// Without the floor of whole cores, which would hide small changes.
double smooth_peak(const Derivation& d) {
  return d.infeasible ? 0.0 : d.fitting_cores * d.device.clock.si();
}

double elasticity(const Derivation& before, const Derivation& after) {
  const double peak = smooth_peak(after);
  return peak > 0.0 ? std::log(peak / smooth_peak(before)) / std::log1p(step) : 0.0;
}

Limit memory_limit(const MemoryTechnology& memory, const Derivation& d) {
  if (memory.in_cores) {
    return Limit::area;
  }
  if (d.memory_rate < 1.0) {
    return Limit::power;
  }
  if (d.stacks < std::min(d.stacks_by_edge, d.stacks_by_package)) {
    return Limit::stacks;
  }
  return d.stacks_by_package < d.stacks_by_edge ? Limit::package : Limit::beachfront;
}

}  // namespace

Binding binding_limits(const Parts& parts, const Budget& budget, const Derivation& derivation) {
  SCALESWEEP_EXPECT(!derivation.infeasible);
  Binding binding;
  Parts larger = parts;
  Budget more = budget;
  more.die_area *= 1.0 + step;
  larger.package.reticle *= 1.0 + step;
  larger.package.area *= 1.0 + step;
  binding.by_area = elasticity(derivation, derive(larger, more));
  more = budget;
  more.power *= 1.0 + step;
  binding.by_power = elasticity(derivation, derive(parts, more));
  Parts higher = parts;
  higher.node.voltage.maximum *= 1.0 + step;
  binding.by_voltage = elasticity(derivation, derive(higher, budget));

  const bool at_reticle = budget.die_area.si() * (1.0 + step) > parts.package.reticle.si();
  binding.compute = at_reticle ? Limit::reticle : Limit::area;
  if (binding.by_power > binding.by_area && binding.by_power >= binding.by_voltage) {
    binding.compute = Limit::power;
  } else if (binding.by_voltage > binding.by_area) {
    binding.compute = Limit::voltage;
  }
  binding.memory = memory_limit(parts.memory, derivation);
  return binding;
}

}  // namespace scalesweep::technology
