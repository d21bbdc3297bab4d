#include "technology/derive/derive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/contracts.hpp"
#include "technology/derive/clock.hpp"
#include "technology/derive/long_gemm.hpp"

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

// The parts in the form the law uses them, and what it has found so far.
struct Work {
  const DeviceTemplate& architecture;  // with the width of matrix units that was asked for
  const Parts& parts;
  const Budget& budget;
  Scaling scaling;
  double side_m = 0.0;  // of one die
  double dies = 1.0;
  Derivation& d;

  double total_area_m2() const { return budget.die_area.si() * dies; }
  // Against the die that the template was measured on.
  double side_ratio() const { return side_m / std::sqrt(architecture.reference_die_area.si()); }
  // What stands on the package and has the edge: the compute dies, or larger ones below them.
  double base_ratio() const {
    return parts.package.interfaces_apart ? parts.package.base_area_ratio : 1.0;
  }
  double base_area_m2() const { return total_area_m2() * base_ratio(); }
  // Cache on the dies below, which keep the node that the template was measured on.
  bool l2_below() const { return architecture.l2_below && parts.package.interfaces_apart; }
};

std::optional<Infeasible> exceeds(DeriveProblem problem, double required, double available) {
  if (required <= available * (1.0 + 1e-12)) {
    return std::nullopt;
  }
  return Infeasible{problem, required, available};
}

// Square dies in a grid as square as can be; joints hide the edges between them.
std::optional<Infeasible> place_dies(Work& w) {
  const Package& package = w.parts.package;
  if (auto no = exceeds(DeriveProblem::die_exceeds_reticle, w.budget.die_area.si(),
                        package.reticle.si())) {
    return no;
  }
  if (auto no = exceeds(DeriveProblem::dies_exceed_package, w.dies, package.most_dies)) {
    return no;
  }
  Derivation& d = w.d;
  d.die_rows = static_cast<int>(std::sqrt(w.dies));
  d.die_columns = (w.budget.dies + d.die_rows - 1) / d.die_rows;
  const double joints =
      d.die_rows * (w.dies / d.die_rows - 1.0) + w.dies / d.die_rows * (d.die_rows - 1.0);
  d.outer_edge = Metres::si(w.side_m * std::sqrt(w.base_ratio()) * (4.0 * w.dies - 2.0 * joints));
  const double memory = w.budget.shares.memory_edge.value_or(w.architecture.memory_edge_share);
  const double usable = w.architecture.memory_edge_share + w.architecture.link_edge_share;
  d.memory_edge = d.outer_edge * memory;
  d.link_edge = d.outer_edge * (w.budget.shares.memory_edge ? std::max(0.0, usable - memory)
                                                            : w.architecture.link_edge_share);
  return std::nullopt;
}

// How many stacks the die edge and the package take; all of them where the edge is shared out.
std::optional<Infeasible> place_memory(Work& w) {
  const MemoryTechnology& memory = w.parts.memory;
  Derivation& d = w.d;
  const double package_m2 = w.parts.package.area.si();
  if (memory.in_cores) {
    d.stacks = w.budget.stacks;
    d.stacks_by_edge = unlimited_stacks;
    d.stacks_by_package = unlimited_stacks;
    return exceeds(DeriveProblem::package_exceeded, w.base_area_m2(), package_m2);
  }
  d.stacks_by_edge = whole(d.memory_edge / memory.edge);
  d.stacks_by_package =
      memory.package_area.si() > 0.0
          ? std::max(0, whole((package_m2 - w.base_area_m2()) / memory.package_area.si()))
          : unlimited_stacks;
  d.stacks = w.budget.shares.memory_edge
                 ? std::max(1, std::min(d.stacks_by_edge, d.stacks_by_package))
                 : w.budget.stacks;
  const double stacks = d.stacks;
  if (auto no = exceeds(DeriveProblem::stacks_exceed_edge, memory.edge.si() * stacks,
                        d.memory_edge.si())) {
    return no;
  }
  return exceeds(DeriveProblem::package_exceeded,
                 w.base_area_m2() + memory.package_area.si() * stacks, package_m2);
}

// Links as wide as asked for, or as their edge where that is shared out.
std::optional<Infeasible> place_links(Work& w) {
  Derivation& d = w.d;
  d.scale_up = w.parts.scale_up;
  const double full_edge_m = d.scale_up.edge.si();
  if (!w.budget.shares.memory_edge) {
    return exceeds(DeriveProblem::links_exceed_edge, full_edge_m, d.link_edge.si());
  }
  if (d.link_edge.si() <= 0.0) {
    return Infeasible{DeriveProblem::links_exceed_edge, full_edge_m, 0.0};
  }
  if (full_edge_m > 0.0) {
    widen(d.scale_up, d.link_edge.si() / full_edge_m);
    d.scale_up.edge = d.link_edge;
  }
  return std::nullopt;
}

// The crossbar spans the die: its area a byte of L2 grows with the die's side.
double l2_area_per_byte(const Work& w, double logic_scale, double sram_scale) {
  const DeviceTemplate& t = w.architecture;
  return t.l2_logic_area_per_byte * logic_scale * w.side_ratio() +
         t.l2_sram_area_per_byte * sram_scale;
}

// Of what the interfaces leave. On a smaller die than the reference the crossbar leaves more.
double core_area_share(const Work& w) {
  if (w.budget.shares.core_area) {
    return *w.budget.shares.core_area;
  }
  const DeviceTemplate& t = w.architecture;
  if (w.l2_below() || t.mesh) {
    return 1.0;
  }
  const double l2 = 1.0 - t.core_area_share;
  const double crossbar =
      t.l2_logic_area_per_byte / (t.l2_logic_area_per_byte + t.l2_sram_area_per_byte);
  return t.core_area_share /
         (t.core_area_share + l2 * (1.0 - crossbar + crossbar * w.side_ratio()));
}

// Interfaces, and what they leave of the dies that they stand on.
std::optional<Infeasible> place_interfaces(Work& w) {
  Derivation& d = w.d;
  const bool below = w.l2_below();
  d.fixed_area = w.architecture.fixed_area * (w.dies * (below ? 1.0 : w.scaling.analog_area));
  // Stated at the first node of the series.
  const double density = below ? w.parts.reference.analog_density : w.parts.node.analog_density;
  d.memory_interface_area = w.parts.memory.interface_area * (d.stacks / density);
  if (w.parts.package.interfaces_apart && !below) {
    return std::nullopt;  // on dies that hold nothing else
  }
  const SquareMetres interfaces = d.fixed_area + d.memory_interface_area;
  const SquareMetres there = SquareMetres::si(w.base_area_m2());
  if (there <= interfaces) {
    return Infeasible{DeriveProblem::interfaces_exceed_die, interfaces.si(), there.si()};
  }
  if (below) {
    d.l2_area_below = there - interfaces;
  }
  return std::nullopt;
}

std::optional<Infeasible> divide_area(Work& w) {
  const DeviceTemplate& t = w.architecture;
  Derivation& d = w.d;
  const SquareMetres total = SquareMetres::si(w.total_area_m2());
  const SquareMetres rest =
      w.parts.package.interfaces_apart ? total : total - d.fixed_area - d.memory_interface_area;
  d.cores_area = rest * core_area_share(w);
  d.l2_area = rest - d.cores_area;
  d.core_area = t.core_logic_area * w.scaling.logic_area + t.core_sram_area * w.scaling.sram_area;
  d.fitting_cores = d.cores_area / d.core_area;
  d.physical_cores = whole(d.fitting_cores);
  const double enabled = w.budget.enabled_cores.value_or(t.enabled_cores);
  d.device.cores = whole(d.fitting_cores * enabled);
  if (d.device.cores < 1) {
    return Infeasible{DeriveProblem::no_core_fits, d.core_area.si() / enabled, d.cores_area.si()};
  }
  return std::nullopt;
}

BytesPerSecond stack_bandwidth(const Work& w) {
  const MemoryTechnology& memory = w.parts.memory;
  return w.budget.pin_rate ? *w.budget.pin_rate * static_cast<double>(memory.pins)
                           : memory.stack_bandwidth;
}

// Joints that a byte crosses in a grid of r x c dies, from any die to any other:
// (r^2 - 1) / 3r + (c^2 - 1) / 3c.
double mean_joints(const Derivation& d) {
  const double rows = d.die_rows;
  const double columns = d.die_columns;
  return (rows * rows - 1.0) / (3.0 * rows) + (columns * columns - 1.0) / (3.0 * columns);
}

// Mostly wires, which burn with the square of the voltage and not less at a newer node.
JoulesPerByte access_energy(const Work& w) {
  const double relative = w.parts.node.voltage.nominal / w.parts.reference.voltage.nominal;
  return w.architecture.memory_access_energy * (relative * relative);
}

// From the cell to the core: where each die has an L2 of its own, what misses it crosses joints. A
// template whose cache stands below says what a byte takes over those dies.
JoulesPerByte memory_energy(const Work& w) {
  const Package& package = w.parts.package;
  const JoulesPerByte once = w.parts.memory.energy + access_energy(w);
  return package.l2_spans_dies || w.l2_below() || w.parts.memory.in_cores
             ? once
             : once + package.joint_energy * mean_joints(w.d);
}

// Memory takes the power of its full rate, or its share, and then runs slower.
void power_memory(Work& w) {
  Derivation& d = w.d;
  if (w.parts.memory.in_cores) {
    const double bytes_per_clock = w.architecture.shared_bytes_per_clock * d.device.cores;
    d.memory_power =
        BytesPerSecond::si(bytes_per_clock * w.architecture.nominal_clock.si()) * memory_energy(w);
    return;
  }
  const Watts full = stack_bandwidth(w) * static_cast<double>(d.stacks) * memory_energy(w);
  d.memory_power = full;
  if (w.budget.shares.memory_power) {
    d.memory_power = std::min(full, w.budget.power * *w.budget.shares.memory_power);
  }
  d.memory_rate = d.memory_power / full;
}

// A byte of L2 crosses two thirds of a die's side (the mean distance of two points of a square
// along its sides), and joints where L2 spans the dies. Wires burn with the square of the voltage
// but not less at a newer node; of dies below it stays.
JoulesPerByte wire_energy(const Work& w) {
  const DeviceTemplate& t = w.architecture;
  const double relative =
      w.l2_below() ? 1.0 : w.parts.node.voltage.nominal / w.parts.reference.voltage.nominal;
  double joints = w.parts.package.l2_spans_dies ? mean_joints(w.d) : 0.0;
  if (w.architecture.mesh) {
    joints = std::min(joints, 1.0);  // operands go to neighbours
  }
  return t.l2_wire_energy * Metres::si(2.0 / 3.0 * w.side_m) * (relative * relative) +
         w.parts.package.joint_energy * joints;
}

Bytes l2_capacity(const Work& w) {
  if (w.architecture.mesh) {
    return {};
  }
  const double beside =
      w.d.l2_area.si() / l2_area_per_byte(w, w.scaling.logic_area, w.scaling.sram_area);
  return Bytes::si(beside + w.d.l2_area_below.si() / l2_area_per_byte(w, 1.0, 1.0));
}

// Energy of the arrays against that of the template: dies below stay at their node.
double l2_access_scale(const Work& w) {
  return w.l2_below() ? 1.0 : w.scaling.energy;
}

// What the ports of the cores take and the slices give: as much L2 as there is, so many slices.
// Half of the traffic between random cores and slices crosses the middle of the grid, in both
// directions.
BytesPerSecond l2_bandwidth(const Work& w, Hertz clock) {
  const DeviceTemplate& t = w.architecture;
  const double ports = t.l2_bytes_per_clock * w.d.device.cores;
  const double bytes_per_clock =
      t.mesh ? ports : std::min(ports, t.l2_slice_bytes_per_clock * l2_capacity(w).si());
  const BytesPerSecond on_dies = BytesPerSecond::si(bytes_per_clock * clock.si());
  if (w.budget.dies == 1 || !w.parts.package.l2_spans_dies) {
    return on_dies;
  }
  const double cut_m = w.side_m * w.d.die_rows;
  const BytesPerSecond joints = w.parts.package.joint_bandwidth * Metres::si(4.0 * cut_m);
  return std::min(on_dies, joints);
}

void set_nominal_power(Work& w) {
  const DeviceTemplate& t = w.architecture;
  Derivation& d = w.d;
  d.link_power = d.scale_up.bandwidth * d.scale_up.device_energy;
  d.fixed_power = t.fixed_power;
  const double cores = d.device.cores;
  d.l2_wire_energy = wire_energy(w);
  const BytesPerSecond l2_rate = l2_bandwidth(w, t.nominal_clock) * t.l2_sustained;
  d.nominal_l2_dynamic = l2_rate * (t.l2_access_energy * l2_access_scale(w) + d.l2_wire_energy);
  const std::size_t p = index_of(sixteen_bit(t.tensor_flop_per_clock));
  const FlopPerSecond core_rate =
      FlopPerSecond::si(t.tensor_flop_per_clock[p] * t.tensor_sustained[p] * t.nominal_clock.si());
  const Watts core = t.core_active_power + core_rate * t.tensor_energy[p];
  d.nominal_core_dynamic = core * (cores * w.scaling.energy) + d.nominal_l2_dynamic;
  d.nominal_core_leakage = t.core_leakage_power * (cores * w.scaling.leakage);
  d.highest_clock =
      t.nominal_clock * relative_frequency(w.parts.node.voltage, w.parts.node.voltage.maximum);
}

// Nothing if `point` works, else why not: leakage alone takes `budget`.
std::optional<Infeasible> leaked_away(const Work& w, Watts budget, const OperatingPoint& point) {
  if (point.feasible) {
    return std::nullopt;
  }
  const VoltageCurve& curve = w.parts.node.voltage;
  // The supply at which leakage alone takes the budget.
  const double volts = budget / w.d.nominal_core_leakage * curve.nominal.si();
  if (volts <= curve.threshold.si()) {
    return Infeasible{DeriveProblem::voltage_below_threshold, curve.threshold.si(), volts};
  }
  return Infeasible{DeriveProblem::power_below_leakage, point.leakage_power.si(), budget.si()};
}

// Static: cores have what memory and links leave at full rate. Shared: they may draw all but what
// always burns, and start from the highest supply (rate_clock).
std::optional<Infeasible> divide_power(Work& w) {
  Derivation& d = w.d;
  power_memory(w);
  set_nominal_power(w);
  const bool shared = w.budget.power_sharing == PowerSharing::shared;
  const Watts beside = shared ? d.fixed_power : d.memory_power + d.link_power + d.fixed_power;
  d.core_budget = w.budget.power - beside;
  if (d.core_budget.si() <= 0.0) {
    return Infeasible{DeriveProblem::power_below_rest, beside.si(), w.budget.power.si()};
  }
  d.point =
      settle(w.parts.node.voltage, d.core_budget, d.nominal_core_dynamic, d.nominal_core_leakage);
  if (auto no = leaked_away(w, d.core_budget, d.point); no || !shared) {
    return no;
  }
  d.point = at_voltage(w.parts.node.voltage, w.parts.node.voltage.maximum, d.nominal_core_dynamic,
                       d.nominal_core_leakage);
  return std::nullopt;
}

// From the clock at the highest supply down to the rated one.
void rate_clock(Work& w) {
  Derivation& d = w.d;
  const Precision widest = sixteen_bit(d.device.tensor_peak);
  const double rated =
      std::min(1.0, long_gemm_clock(d.device, widest) / w.architecture.long_gemm_clock);
  d.device = at_clock(d.device, rated);
  d.device.l2.bandwidth = l2_bandwidth(w, d.device.clock);  // joints keep theirs
  const double relative = d.device.supply / w.parts.node.voltage.nominal;
  d.point.voltage = d.device.supply;
  d.point.frequency *= rated;
  d.point.dynamic_power = d.nominal_core_dynamic * (d.point.frequency * relative * relative);
  d.point.leakage_power = d.device.leakage_power;
  d.point.limit = rated == 1.0                                      ? VoltageLimit::maximum
                  : d.device.supply <= w.parts.node.voltage.minimum ? VoltageLimit::minimum
                                                                    : VoltageLimit::power;
}

void fill_memory(const Work& w, Device& device) {
  const MemoryTechnology& memory = w.parts.memory;
  device.memory_in_cores = memory.in_cores;
  if (memory.in_cores) {
    device.dram = device.shared;
    device.dram.capacity *= static_cast<double>(device.cores);
    return;
  }
  const double stacks = w.d.stacks;
  device.dram.capacity = memory.stack_capacity * stacks;
  device.dram.bandwidth = stack_bandwidth(w) * (stacks * w.d.memory_rate);
  device.dram.sustained = memory.sustained;
}

void fill_rates(const Work& w, Device& device) {
  const DeviceTemplate& t = w.architecture;
  device.clock = t.nominal_clock * w.d.point.frequency;
  const double core_clocks = device.cores * device.clock.si();
  for (std::size_t p = 0; p < precision_count; ++p) {
    device.tensor_peak[p] = FlopPerSecond::si(t.tensor_flop_per_clock[p] * core_clocks);
  }
  device.cluster = t.cluster;
  device.tensor_sustained = t.tensor_sustained;
  device.vector_peak = FlopPerSecond::si(t.vector_flop_per_clock * core_clocks);
  device.vector_sustained = t.vector_sustained;
  device.l2.capacity = l2_capacity(w);
  device.l2.bandwidth = l2_bandwidth(w, device.clock);
  device.l2.sustained = t.l2_sustained;
  device.shared.capacity = t.shared_capacity;
  device.shared.bandwidth = BytesPerSecond::si(t.shared_bytes_per_clock * core_clocks);
  device.shared.sustained = t.shared_sustained;
  fill_memory(w, device);
  device.kernel_latency = t.kernel_latency;
  device.matrix_unit = t.matrix_unit;
  device.matmul = t.matmul;
  device.attention = t.attention;
  device.matmul_fit = t.matmul_fit;
  device.attention_fit = t.attention_fit;
}

void fill_energies(const Work& w, Device& device) {
  const DeviceTemplate& t = w.architecture;
  const double relative = w.d.point.voltage / w.parts.node.voltage.nominal;
  const double squared = relative * relative;
  const double factor = w.scaling.energy * squared;
  for (std::size_t p = 0; p < precision_count; ++p) {
    device.tensor_energy[p] = t.tensor_energy[p] * factor;
  }
  device.vector_energy = t.vector_energy * factor;
  device.l2.energy = (t.l2_access_energy * l2_access_scale(w) + w.d.l2_wire_energy) * squared;
  device.shared.energy = t.shared_energy * factor;
  device.dram.energy = memory_energy(w) * (w.parts.memory.in_cores ? squared : 1.0);
  device.memory_access_energy = access_energy(w);
  device.thermal_design_power = w.budget.power;
  device.leakage_power = w.d.point.leakage_power;
  device.active_power = t.core_active_power * (device.cores * factor * w.d.point.frequency);
  device.idle_power = t.fixed_power + w.d.point.leakage_power;
  device.voltage = w.parts.node.voltage;
  device.supply = w.d.point.voltage;
}

void describe(const Work& w, Device& device) {
  device.name =
      fmt::format("{}/{}/{}", w.architecture.name, w.parts.node.name, w.parts.memory.name);
  device.die_area = w.budget.die_area;
  device.dies = w.budget.dies;
  device.package = w.parts.package.name;
  device.logic = w.parts.node.name;
  device.memory = w.parts.memory.name;
  device.priced_like = w.architecture.calibrated_on;
  device.stacks = w.d.stacks;
}

double own_flop_per_clock(const DeviceTemplate& architecture) {
  const auto& flop = architecture.tensor_flop_per_clock;
  return flop[index_of(sixteen_bit(flop))];
}

DeviceTemplate widened(const DeviceTemplate& architecture, const Budget& budget) {
  return budget.flop_per_clock
             ? with_tensor_width(architecture,
                                 *budget.flop_per_clock / own_flop_per_clock(architecture))
             : architecture;
}

}  // namespace

Derivation derive(const Parts& parts, const Budget& budget) {
  SCALESWEEP_EXPECT(parts.node.series == parts.reference.series);
  SCALESWEEP_EXPECT(budget.dies >= 1 && (budget.stacks >= 1 || budget.shares.memory_edge));
  const DeviceTemplate architecture = widened(parts.architecture, budget);
  Derivation d;
  Work w = {architecture,
            parts,
            budget,
            scaling_between(parts.node, parts.reference),
            std::sqrt(budget.die_area.si()),
            static_cast<double>(budget.dies),
            d};
  for (const auto step :
       {place_dies, place_memory, place_links, place_interfaces, divide_area, divide_power}) {
    d.infeasible = step(w);
    if (d.infeasible) {
      return d;
    }
  }
  describe(w, d.device);
  fill_rates(w, d.device);
  fill_energies(w, d.device);
  if (budget.power_sharing == PowerSharing::shared) {
    rate_clock(w);
  }
  return d;
}

}  // namespace scalesweep::technology
