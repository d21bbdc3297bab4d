#include "cli/catalog/derivation_sheets.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

using technology::Derivation;

Cell area(SquareMetres value) {
  return {fmt::format("{:.4g} mm2", value.si() * 1e6), value.si()};
}
Cell length(Metres value) {
  return {fmt::format("{:.4g} mm", value.si() * 1e3), value.si()};
}
Cell power(Watts value) {
  return {fmt::format("{:.4g} W", value.si()), value.si()};
}
Cell volts(Volts value) {
  return {fmt::format("{:.3f} V", value.si()), value.si()};
}
Cell money(Usd value) {
  return std::isnan(value.si()) ? Cell{"-", nullptr}
                                : Cell{fmt::format("{:.0f} USD", value.si()), value.si()};
}
Cell carbon(KilogramsCo2 value) {
  return {fmt::format("{:.1f} kgCO2e", value.si()), value.si()};
}
Cell number(double value) {
  return {fmt::format("{:.5g}", value), value};
}
Cell percent(double fraction) {
  return {fmt::format("{:.1f} %", 100.0 * fraction), fraction};
}
Cell si(double value, const char* unit) {
  return {with_si_prefix(value, unit), value};
}
Cell picojoules(double joules, const char* per) {
  return {fmt::format("{:.4g} pJ/{}", joules * 1e12, per), joules};
}

using Rows = std::vector<std::vector<Cell>>;

void add_places(Rows& rows, const technology::Parts& parts, const technology::Budget& budget,
                const Derivation& d) {
  const bool shared = budget.shares.memory_edge.has_value();
  rows.push_back({"outer edge of the dies", length(d.outer_edge),
                  fmt::format("{} x {} square dies, joints left out", d.die_rows, d.die_columns)});
  rows.push_back({"edge for memory", length(d.memory_edge),
                  shared ? "memory_edge_share" : "template die.memory_edge_share"});
  rows.push_back({"edge for links", length(d.link_edge),
                  shared ? "what memory leaves of both shares" : "template die.link_edge_share"});
  if (parts.memory.in_cores) {
    rows.push_back(
        {"stacks", Cell("none"), fmt::format("memory {}: what the cores hold", parts.memory.name)});
    rows.push_back({"edge that links need", length(d.scale_up.edge),
                    fmt::format("scale_up {}", d.scale_up.name)});
    return;
  }
  rows.push_back({"stacks that the edge takes", number(d.stacks_by_edge),
                  fmt::format("{:.4g} mm a stack, memory {}", parts.memory.edge.si() * 1e3,
                              parts.memory.name)});
  const bool board = parts.memory.package_area.si() == 0.0;
  rows.push_back({"stacks that the package takes",
                  board ? Cell("any: they stand on the board") : number(d.stacks_by_package),
                  fmt::format("{:.4g} mm2 of {}, {:.4g} mm2 a stack", parts.package.area.si() * 1e6,
                              parts.package.name, parts.memory.package_area.si() * 1e6)});
  rows.push_back({"stacks", number(d.stacks), shared ? "the smaller of both" : "asked for"});
  rows.push_back({"edge that links need", length(d.scale_up.edge),
                  fmt::format("scale_up {}", d.scale_up.name)});
}

void add_areas(Rows& rows, const technology::Parts& parts, const technology::Budget& budget,
               const Derivation& d) {
  const char* apart = parts.package.interfaces_apart ? ", on dies of their own" : "";
  const technology::LogicNode& node = parts.node;
  const technology::LogicNode& reference = parts.reference;
  // Dies below with a cache stay at the node of the template.
  const bool below = d.l2_area_below.si() > 0.0;
  const double analog = below ? 1.0 : reference.analog_density / node.analog_density;
  rows.push_back({"area of links, host and pads", area(d.fixed_area),
                  fmt::format("template die.fixed_area x {:.3g} (analog){}", analog, apart)});
  rows.push_back(
      {"area of memory interfaces", area(d.memory_interface_area),
       fmt::format("memory interface_area x stacks x {:.3g} (analog){}", analog, apart)});
  const char* share = below ? "all of the dies above the L2"
                            : "template core.area_share of the rest, the crossbar scaled with the "
                              "side of a die";
  rows.push_back({"area of cores", area(d.cores_area),
                  budget.shares.core_area ? "core_area_share of the rest" : share});
  rows.push_back({"area of L2", area(d.l2_area), "what cores leave"});
  if (below) {
    rows.push_back({"area of L2 below the cores", area(d.l2_area_below),
                    "template l2.below: what interfaces leave of the dies below"});
  }
  rows.push_back(
      {"area of one core", area(d.core_area),
       fmt::format("logic x {:.3g} + SRAM x {:.3g} of {}",
                   reference.logic_density / node.logic_density,
                   reference.sram_density / node.sram_density, parts.architecture.reference_node)});
  rows.push_back({"cores that fit", number(d.fitting_cores), "area of cores / area of one"});
  rows.push_back({"cores on the dies", number(d.physical_cores), "whole cores"});
  rows.push_back({"cores in use", number(d.device.cores),
                  budget.enabled_cores ? "enabled_cores" : "template core.enabled"});
}

void add_powers(Rows& rows, const technology::Parts& parts, const technology::Budget& budget,
                const Derivation& d) {
  const technology::LogicNode& node = parts.node;
  rows.push_back({"power of memory", power(d.memory_power),
                  fmt::format("full rate at {:.3g} pJ/bit", parts.memory.energy.si() / 8e-12)});
  rows.push_back(
      {"memory rate", percent(d.memory_rate),
       budget.shares.memory_power ? "of the pins, under memory_power_share" : "of the pins"});
  rows.push_back({"power of links", power(d.link_power),
                  fmt::format("full rate at {:.3g} pJ/bit in the device",
                              d.scale_up.device_energy.si() / 8e-12)});
  rows.push_back({"power of the rest", power(d.fixed_power), "template die.fixed_power"});
  const bool shared = budget.power_sharing == technology::PowerSharing::shared;
  rows.push_back({"power that cores may draw", power(d.core_budget),
                  shared ? "the budget less the rest: memory and links draw what they move"
                         : "the budget less these"});
  rows.push_back({"wire energy of L2", picojoules(d.l2_wire_energy.si(), "B"),
                  "two thirds of a side, and joints between dies"});
  rows.push_back({"L2 at nominal voltage and clock", power(d.nominal_l2_dynamic),
                  "sustained rate x (access + wires)"});
  rows.push_back({"cores and L2, dynamic, nominal", power(d.nominal_core_dynamic),
                  fmt::format("switching energy x {:.3g}",
                              node.switching_energy / parts.reference.switching_energy)});
  rows.push_back({"cores, leakage, nominal", power(d.nominal_core_leakage),
                  fmt::format("leakage x {:.3g}", node.leakage / parts.reference.leakage)});
  rows.push_back({"nominal voltage, threshold",
                  Cell(fmt::format("{:.3f} V, {:.3f} V", node.voltage.nominal.si(),
                                   node.voltage.threshold.si())),
                  fmt::format("logic {}/{}", node.series, node.name)});
  if (!shared) {
    rows.push_back({"voltage that uses the power up", volts(d.point.unbounded_voltage),
                    "V (V - Vt)^2 and leakage ~ V"});
  }
  rows.push_back({"supply voltage", volts(d.point.voltage),
                  fmt::format("limited by the {}", technology::name_of(d.point.limit))});
  rows.push_back({"clock over nominal clock", number(d.point.frequency), "(V - Vt)^2 / V"});
  rows.push_back({"clock at the highest supply", si(d.highest_clock.si(), "Hz"),
                  fmt::format("{:.2f} V, whatever the power", node.voltage.maximum.si())});
}

}  // namespace

Sheet derivation_sheet(const technology::Parts& parts, const technology::Budget& budget,
                       const Derivation& d) {
  Sheet sheet{
      "derivation",
      "How the device was derived",
      {{"name", "", Align::left}, {"value", "value", Align::right}, {"from", "from", Align::left}},
      {},
      true};
  add_places(sheet.rows, parts, budget, d);
  add_areas(sheet.rows, parts, budget, d);
  add_powers(sheet.rows, parts, budget, d);
  return sheet;
}

Sheet device_sheet(const technology::Device& device, const technology::Network& scale_up) {
  Sheet sheet{
      "device", "The device", {{"name", "", Align::left}, {"value", "", Align::right}}, {}, false};
  sheet.rows = {{"cores", number(device.cores)}, {"clock", si(device.clock.si(), "Hz")}};
  for (std::size_t p = 0; p < technology::precision_count; ++p) {
    if (device.tensor_peak[p].si() > 0.0) {
      sheet.rows.push_back({fmt::format("{} peak, dense", technology::precision_names[p]),
                            si(device.tensor_peak[p].si(), "FLOP/s")});
    }
  }
  const Rows rest = {{"vector peak", si(device.vector_peak.si(), "FLOP/s")},
                     {"DRAM bandwidth", si(device.dram.bandwidth.si(), "B/s")},
                     {"DRAM capacity", si(device.dram.capacity.si(), "B")},
                     {"L2 capacity", si(device.l2.capacity.si(), "B")},
                     {"L2 bandwidth", si(device.l2.bandwidth.si(), "B/s")},
                     {"scale-up, one direction", si(scale_up.bandwidth.si(), "B/s")},
                     {"thermal design power", power(device.thermal_design_power)},
                     {"idle power, leakage included", power(device.idle_power)}};
  sheet.rows.insert(sheet.rows.end(), rest.begin(), rest.end());
  return sheet;
}

Sheet binding_sheet(const technology::Binding& binding, const Derivation& d) {
  Sheet sheet{
      "binding", "What binds", {{"name", "", Align::left}, {"value", "", Align::left}}, {}, false};
  sheet.rows = {
      {"matrix peak is bound by", std::string(technology::name_of(binding.compute))},
      {"1 % more area brings", percent(0.01 * binding.by_area)},
      {"1 % more power brings", percent(0.01 * binding.by_power)},
      {"1 % more of the highest voltage brings", percent(0.01 * binding.by_voltage)},
      {"DRAM bandwidth is bound by", std::string(technology::name_of(binding.memory))},
      {"stacks, of those that fit",
       Cell(fmt::format("{} of {}", d.stacks, std::min(d.stacks_by_edge, d.stacks_by_package)))}};
  return sheet;
}

Sheet cost_sheet(const technology::Ownership& own) {
  const technology::DeviceCost& cost = own.device;
  Sheet sheet{"cost",
              "What making one takes, and what it is sold for",
              {{"name", "", Align::left},
               {"cost", "cost", Align::right},
               {"price", "price", Align::right},
               {"carbon", "carbon", Align::right}},
              {},
              true};
  const auto price = [&own](technology::Capital part) { return money(own.price(part)); };
  const Usd dies = own.repriced(technology::Repricing::other_margin);
  // A margin that is a part of what dies cost grows with wafers as well.
  const bool is_part =
      own.repriced(technology::Repricing::wafers) >= own.price(technology::Capital::silicon);
  const std::string otherwise = is_part ? "a fixed sum" : "a part of what dies cost";
  sheet.rows = {
      {"dies", money(cost.dies), price(technology::Capital::silicon), carbon(cost.dies_carbon)},
      {"memory", money(cost.memory), price(technology::Capital::memory),
       carbon(cost.memory_carbon)},
      {"package and assembly", money(cost.package), price(technology::Capital::package),
       carbon(cost.package_carbon)},
      {"all", money(cost.total()), money(own.device_price()), carbon(cost.total_carbon())},
      {"price of dies over making them", "", number(own.silicon_markup), ""},
      {"dies, if the margin is " + otherwise, "", money(dies), ""},
      {"all, if the margin is " + otherwise, "",
       money(own.device_price() - own.price(technology::Capital::silicon) + dies), ""},
      {"yield of a die", percent(cost.die_yield), "", ""},
      {"dies on a wafer", number(std::floor(cost.dies_per_wafer)), "", ""}};
  return sheet;
}

}  // namespace scalesweep::cli
