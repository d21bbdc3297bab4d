#include "technology/derive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/contracts.hpp"

namespace scalesweep::technology {
namespace {

// Factors of the node against the node that the template was measured on.
struct Scaling {
  double logic_area, sram_area, analog_area, energy, leakage;
};

Scaling scaling_between(const LogicNode& node, const LogicNode& reference) {
  return {reference.logic_density / node.logic_density, reference.sram_density / node.sram_density,
          reference.analog_density / node.analog_density,
          node.switching_energy / reference.switching_energy, node.leakage / reference.leakage};
}

// Memory on the board takes no room on the package.
constexpr int unlimited_stacks = 1 << 20;

// Guards floor() against a product that is an integer but for rounding.
int whole(double value) {
  return static_cast<int>(std::floor(value * (1.0 + 1e-12) + 1e-12));
}

// Square dies in a row: every joint hides two of the edges.
Metres outer_edge(SquareMetres die_area, int dies) {
  const double side = std::sqrt(die_area.si());
  return Metres::si(side * (4.0 * dies - 2.0 * (dies - 1)));
}

std::optional<Infeasible> exceeds(DeriveProblem problem, double required, double available) {
  if (required <= available * (1.0 + 1e-12)) {
    return std::nullopt;
  }
  return Infeasible{problem, required, available};
}

// How many stacks the die edge and the package take, and whether these do.
std::optional<Infeasible> place_memory(const DeviceTemplate& architecture,
                                       const MemoryTechnology& memory, const Budget& budget,
                                       Derivation& d) {
  d.memory_edge = outer_edge(budget.die_area, budget.dies) * architecture.memory_edge_share;
  d.stacks_by_edge = whole(d.memory_edge / memory.edge);
  const SquareMetres dies = budget.die_area * static_cast<double>(budget.dies);
  const bool on_package = memory.package_area.si() > 0.0;
  d.stacks_by_package =
      on_package ? std::max(0, whole((architecture.package_area - dies) / memory.package_area))
                 : unlimited_stacks;
  const double stacks = budget.stacks;
  if (auto no = exceeds(DeriveProblem::stacks_exceed_edge, memory.edge.si() * stacks,
                        d.memory_edge.si())) {
    return no;
  }
  return exceeds(DeriveProblem::package_exceeded, (dies + memory.package_area * stacks).si(),
                 architecture.package_area.si());
}

std::optional<Infeasible> divide_area(const DeviceTemplate& architecture,
                                      const MemoryTechnology& memory, const Budget& budget,
                                      const Scaling& scaling, Derivation& d) {
  const SquareMetres total = budget.die_area * static_cast<double>(budget.dies);
  d.fixed_area = architecture.fixed_area * (budget.dies * scaling.analog_area);
  d.memory_interface_area = memory.interface_area * (budget.stacks * scaling.analog_area);
  const SquareMetres rest = total - d.fixed_area - d.memory_interface_area;
  if (rest.si() <= 0.0) {
    return Infeasible{DeriveProblem::interfaces_exceed_die,
                      (d.fixed_area + d.memory_interface_area).si(), total.si()};
  }
  d.cores_area = rest * architecture.core_area_share;
  d.l2_area = rest - d.cores_area;
  d.core_area = architecture.core_logic_area * scaling.logic_area +
                architecture.core_sram_area * scaling.sram_area;
  d.fitting_cores = d.cores_area / d.core_area;
  d.physical_cores = whole(d.fitting_cores);
  d.device.cores = whole(d.fitting_cores * architecture.enabled_cores);
  if (d.device.cores < 1) {
    return Infeasible{DeriveProblem::no_core_fits, d.core_area.si() / architecture.enabled_cores,
                      d.cores_area.si()};
  }
  return std::nullopt;
}

std::optional<Infeasible> divide_power(const DeviceTemplate& architecture, const LogicNode& node,
                                       const MemoryTechnology& memory, const Network& scale_up,
                                       const Budget& budget, const Scaling& scaling,
                                       Derivation& d) {
  d.memory_power = memory.stack_bandwidth * static_cast<double>(budget.stacks) * memory.energy;
  d.link_power = scale_up.bandwidth * scale_up.energy;
  d.fixed_power = architecture.fixed_power;
  d.core_budget = budget.power - d.memory_power - d.link_power - d.fixed_power;
  if (d.core_budget.si() <= 0.0) {
    return Infeasible{DeriveProblem::power_below_memory_and_links,
                      (d.memory_power + d.link_power + d.fixed_power).si(), budget.power.si()};
  }
  const double cores = d.device.cores;
  d.nominal_core_dynamic = architecture.core_dynamic_power * (cores * scaling.energy);
  d.nominal_core_leakage = architecture.core_leakage_power * (cores * scaling.leakage);
  d.point = settle(node.voltage, d.core_budget, d.nominal_core_dynamic, d.nominal_core_leakage);
  if (!d.point.feasible) {
    return Infeasible{DeriveProblem::power_below_leakage, d.point.leakage_power.si(),
                      d.core_budget.si()};
  }
  return std::nullopt;
}

void fill_rates(const DeviceTemplate& architecture, const MemoryTechnology& memory,
                const Budget& budget, const Scaling& scaling, const Derivation& d, Device& device) {
  device.clock = architecture.nominal_clock * d.point.frequency;
  const double core_clocks = device.cores * device.clock.si();
  for (std::size_t p = 0; p < precision_count; ++p) {
    device.tensor_peak[p] = FlopPerSecond::si(architecture.tensor_flop_per_clock[p] * core_clocks);
  }
  device.cluster = architecture.cluster;
  device.long_run_clock = architecture.long_run_clock;
  device.tensor_sustained = architecture.tensor_sustained;
  device.vector_peak = FlopPerSecond::si(architecture.vector_flop_per_clock * core_clocks);
  device.vector_sustained = architecture.vector_sustained;
  device.dram.capacity = memory.stack_capacity * static_cast<double>(budget.stacks);
  device.dram.bandwidth = memory.stack_bandwidth * static_cast<double>(budget.stacks);
  device.dram.sustained = memory.sustained;
  const double l2_area_per_byte = architecture.l2_logic_area_per_byte * scaling.logic_area +
                                  architecture.l2_sram_area_per_byte * scaling.sram_area;
  device.l2.capacity = Bytes::si(d.l2_area.si() / l2_area_per_byte);
  device.l2.bandwidth = BytesPerSecond::si(architecture.l2_bytes_per_clock * core_clocks);
  device.l2.sustained = architecture.l2_sustained;
  device.shared.capacity = architecture.shared_capacity;
  device.shared.bandwidth = BytesPerSecond::si(architecture.shared_bytes_per_clock * core_clocks);
  device.shared.sustained = architecture.shared_sustained;
  device.kernel_latency = architecture.kernel_latency;
}

void fill_energies(const DeviceTemplate& architecture, const LogicNode& node,
                   const MemoryTechnology& memory, const Budget& budget, const Scaling& scaling,
                   const Derivation& d, Device& device) {
  const double relative = d.point.voltage / node.voltage.nominal;
  const double factor = scaling.energy * relative * relative;
  for (std::size_t p = 0; p < precision_count; ++p) {
    device.tensor_energy[p] = architecture.tensor_energy[p] * factor;
  }
  device.vector_energy = architecture.vector_energy * factor;
  device.l2.energy = architecture.l2_energy * factor;
  device.shared.energy = architecture.shared_energy * factor;
  device.dram.energy = memory.energy;
  device.thermal_design_power = budget.power;
  device.idle_power = architecture.fixed_power + d.point.leakage_power;
}

}  // namespace

std::string to_string(const Infeasible& i) {
  const double percent = i.available > 0.0 ? 100.0 * (i.required / i.available - 1.0)
                                           : std::numeric_limits<double>::infinity();
  const std::string excess = i.available > 0.0
                                 ? fmt::format(" ({:.0f}% too much)", std::ceil(percent - 1e-6))
                                 : std::string();
  const auto mm = [](double metres) { return metres * 1e3; };
  const auto mm2 = [](double area) { return area * 1e6; };
  switch (i.problem) {
    case DeriveProblem::die_exceeds_reticle:
      return fmt::format("a die of {:.4g} mm2 exceeds the reticle field of {:.4g} mm2{}",
                         mm2(i.required), mm2(i.available), excess);
    case DeriveProblem::stacks_exceed_edge:
      return fmt::format("the memory stacks need {:.4g} mm of die edge, {:.4g} mm are there{}",
                         mm(i.required), mm(i.available), excess);
    case DeriveProblem::package_exceeded:
      return fmt::format("dies and memory stacks take {:.4g} mm2, the package has {:.4g} mm2{}",
                         mm2(i.required), mm2(i.available), excess);
    case DeriveProblem::interfaces_exceed_die:
      return fmt::format("the interfaces alone take {:.4g} mm2, the dies have {:.4g} mm2{}",
                         mm2(i.required), mm2(i.available), excess);
    case DeriveProblem::no_core_fits:
      return fmt::format("one working core takes {:.4g} mm2, {:.4g} mm2 are left for cores{}",
                         mm2(i.required), mm2(i.available), excess);
    case DeriveProblem::power_below_memory_and_links:
      return fmt::format("memory, links and what always burns take {:.4g} W of {:.4g} W{}",
                         i.required, i.available, excess);
    case DeriveProblem::power_below_leakage:
      return fmt::format("leakage at the lowest voltage takes {:.4g} W, {:.4g} W are left{}",
                         i.required, i.available, excess);
  }
  return {};
}

Derivation derive(const DeviceTemplate& architecture, const LogicNode& node,
                  const LogicNode& reference, const MemoryTechnology& memory,
                  const Network& scale_up, const Budget& budget) {
  SCALESWEEP_EXPECT(node.series == reference.series);
  SCALESWEEP_EXPECT(budget.dies >= 1 && budget.stacks >= 1);
  const Scaling scaling = scaling_between(node, reference);
  Derivation d;
  d.infeasible =
      exceeds(DeriveProblem::die_exceeds_reticle, budget.die_area.si(), architecture.reticle.si());
  if (!d.infeasible) {
    d.infeasible = place_memory(architecture, memory, budget, d);
  }
  if (!d.infeasible) {
    d.infeasible = divide_area(architecture, memory, budget, scaling, d);
  }
  if (!d.infeasible) {
    d.infeasible = divide_power(architecture, node, memory, scale_up, budget, scaling, d);
  }
  if (d.infeasible) {
    return d;
  }
  Device& device = d.device;
  device.name = architecture.name + "/" + node.name + "/" + memory.name;
  device.die_area = budget.die_area;
  device.dies = budget.dies;
  device.logic = node.name;
  device.memory = memory.name;
  device.stacks = budget.stacks;
  fill_rates(architecture, memory, budget, scaling, d, device);
  fill_energies(architecture, node, memory, budget, scaling, d, device);
  return d;
}

}  // namespace scalesweep::technology
