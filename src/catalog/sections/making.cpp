// What devices and systems are made of and stand on: processes, packages, topologies, and the
// assumptions of buying and running them.
#include <fmt/format.h>

#include "catalog/data.hpp"
#include "catalog/sections/field.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

using technology::Economics;
using technology::Package;
using technology::Process;
using technology::Topology;

const Fields<Process>& process_fields() {
  static const Fields<Process> fields = {
      value(&Process::wafer_price, "wafer_price", "of a processed wafer", "\"9346 USD\""),
      value(&Process::wafer_diameter, "wafer_diameter", "of the wafer", "\"300 mm\""),
      value(&Process::defect_density, "defect_density", "D0", "\"0.1 1/cm2\""),
      number(&Process::clustering, above_zero, "clustering",
             "alpha of the negative binomial yield (1 + A D0 / alpha)^-alpha", "3"),
      number(&Process::repairable_share, fraction, "repairable_share",
             "of the die area, where a defect costs one core and not the die", "0.6"),
      value(&Process::carbon, "carbon", "emitted in making a processed wafer, per area",
            "\"1.54 kgCO2e/cm2\""),
  };
  return fields;
}

bool interfaces_apart(const Package& package) {
  return package.interfaces_apart;
}
bool has_joints(const Package& package) {
  return package.most_dies > 1;
}

const Fields<Package>& package_fields() {
  static const Fields<Package> fields = {
      value(&Package::most_dies, "most_dies", "compute dies that one package takes", "2"),
      value(&Package::area, "area", "room for dies and the stacks beside them", "\"2500 mm2\""),
      value(&Package::reticle, "reticle", "largest die: one exposure field", "\"858 mm2\""),
      truth(&Package::interfaces_apart, "interfaces_apart",
            "memory and links stand on dies of their own; compute dies hold cores and L2 "
            "only",
            "false"),
      truth(&Package::l2_spans_dies, "l2_spans_dies",
            "the L2 of all dies is one, or each die has its own", "true"),
      needed_field(
          number("base_area_ratio", above_zero,
                 "of those dies to the compute dies above them; required with `interfaces_apart`",
                 "1", "1"),
          &Package::base_area_ratio, interfaces_apart),
      needed_field(quantity("joint_bandwidth", Dimension::bytes_per_second_per_metre,
                            "between two dies, in one direction, along the edge they share; "
                            "required with more than one die",
                            "\"500 GB/s/mm\"", "none"),
                   &Package::joint_bandwidth, has_joints),
      needed_field(quantity("joint_energy", Dimension::joules_per_byte,
                            "from one die to the next; required with more than one die",
                            "\"0.5 pJ/bit\"", "none"),
                   &Package::joint_energy, has_joints),
      value(&Package::cost, "cost", "of the area in use", "\"0.2 USD/mm2\""),
      value(&Package::assembly, "assembly", "of placing and testing one die or stack",
            "\"10 USD\""),
      number(&Package::assembly_yield, fraction, "assembly_yield", "of placing one die or stack",
             "0.99"),
      value(&Package::carbon, "carbon", "of one package", "\"20 kgCO2e\""),
  };
  return fields;
}

// A name of one of many: a misspelt one is told what it is near to.
Field<Topology> topology_kind() {
  Key key = name("topology", "what it is", "\"torus\"");
  key.words = technology::topology_kind_names;
  return {key, [key](EntryReader& entry, Topology& topology) {
            const Located kind = entry.text(key.path);
            const auto known = technology::topology_kind_names.find(kind.text);
            if (!known && !kind.text.empty()) {
              entry.table().error(
                  key.path,
                  fmt::format("unknown topology '{}'{}", kind.text,
                              suggestion(kind.text, technology::topology_kind_names.list())));
            }
            topology.kind = known.value_or(technology::TopologyKind::fat_tree);
          }};
}

const Fields<Topology>& topology_fields() {
  static const Fields<Topology> fields = [] {
    Key radix = integer("radix", "ports of a switch, 4 or more", "64", "64");
    radix.range = {4.0, true};
    return Fields<Topology>{
        topology_kind(), field(radix, &Topology::radix),
        number(&Topology::oversubscription, above_zero, "oversubscription",
               "of a tree: ports down over ports up at the lowest switches", "2", "1"),
        value(&Topology::dimensions, "dimensions", "of a torus", "3", "3"),
        number(&Topology::taper, above_zero, "taper",
               "of a dragonfly: bandwidth between groups over that of the endpoints of a "
               "group",
               "0.5", "1")};
  }();
  return fields;
}

Fields<Economics> price_fields() {
  return {
      value(&Economics::energy_price, "energy_price", "of electricity at the meter",
            "\"0.08 USD/kWh\""),
      number(&Economics::power_usage_effectiveness, above_zero, "power_usage_effectiveness",
             "power of the site over that of its computers", "1.2"),
      or_zero(
          value(&Economics::grid_carbon, "grid_carbon", "of electricity", "\"0.37 kgCO2e/kWh\"")),
      value(&Economics::lifetime, "lifetime",
            "over which capital and embodied carbon are written off", "\"4 a\""),
      number(&Economics::utilization, fraction, "utilization", "part of it spent on such work",
             "0.8"),
      number(&Economics::silicon_markup, above_zero, "silicon_markup",
             "price of dies over making them, where no `price` says what their maker asks", "35"),
      number(&Economics::parts_markup, above_zero, "parts_markup",
             "price of memory and package in a device over what they cost its maker", "1.25"),
      number(&Economics::network_markup, above_zero, "network_markup",
             "price of network equipment over its catalogued street price", "1"),
      number(&Economics::rental_markup, above_zero, "rental_markup",
             "what renting asks for all that is bought over what its owner paid", "1.4", "1"),
      number(&Economics::interest, fraction_or_none, "interest",
             "cost of capital a year; 0: written off in a straight line", "0.08", "0"),
  };
}

Fields<Economics> site_fields() {
  return {
      or_zero(value(&Economics::facility_cost, "facility_cost",
                    "building, electrical and cooling plant, by the power of all that "
                    "stands in it",
                    "\"11 USD/W\"")),
      value(&Economics::facility_lifetime, "facility_lifetime",
            "over which the facility is written off", "\"15 a\""),
      or_zero(value(&Economics::delivery_cost, "delivery_cost",
                    "supplies, regulators, cold plates and what else grows with power in "
                    "the rack; written off with the device",
                    "\"1 USD/W\"")),
      or_zero(value(&Economics::server_cost, "server_cost",
                    "host, board and chassis, per accelerator", "\"6000 USD\"")),
      or_zero(value(&Economics::server_power, "server_power", "of the same, per accelerator",
                    "\"150 W\"")),
      or_zero(value(&Economics::server_carbon, "server_carbon",
                    "embodied in the same, per accelerator", "\"160 kgCO2e\"")),
  };
}

const Fields<Economics>& economics_fields() {
  static const Fields<Economics> fields = joined<Economics>({price_fields(), site_fields()});
  return fields;
}

}  // namespace

std::vector<Key> process_rows() {
  return keys_of(process_fields());
}
std::vector<Key> package_rows() {
  return keys_of(package_fields());
}
std::vector<Key> topology_rows() {
  return keys_of(topology_fields());
}
std::vector<Key> economics_rows() {
  return heritable(keys_of(economics_fields()));
}

Process read_process(EntryReader& entry, const std::string& name) {
  return read_named(entry, name, process_fields());
}
Package read_package(EntryReader& entry, const std::string& name) {
  return read_named(entry, name, package_fields());
}
Topology read_topology(EntryReader& entry, const std::string& name) {
  return read_named(entry, name, topology_fields());
}
Economics read_economics(EntryReader& entry, const std::string& name) {
  return read_named(entry, name, economics_fields());
}

}  // namespace scalesweep::catalog
