// Processes, packages, topologies and economics out of their entries.
#include <fmt/format.h>

#include "catalog/data.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {

using config::Dimension;

technology::Process read_process(EntryReader& entry, const std::string& name) {
  technology::Process process;
  process.name = name;
  process.wafer_price = Usd::si(entry.quantity("wafer_price", Dimension::usd));
  process.wafer_diameter = Metres::si(entry.quantity("wafer_diameter", Dimension::metres));
  process.defect_density =
      PerSquareMetre::si(entry.quantity("defect_density", Dimension::per_area));
  process.clustering = entry.number("clustering", Range::positive);
  process.repairable_share = entry.number("repairable_share", Range::fraction);
  process.carbon = KilogramsCo2PerArea::si(entry.quantity("carbon", Dimension::co2_per_area));
  return process;
}

technology::Package read_package(EntryReader& entry, const std::string& name) {
  technology::Package package;
  package.name = name;
  package.most_dies = static_cast<int>(entry.integer("most_dies"));
  package.area = SquareMetres::si(entry.quantity("area", Dimension::area));
  package.reticle = SquareMetres::si(entry.quantity("reticle", Dimension::area));
  package.interfaces_apart = entry.optional_boolean("interfaces_apart").value_or(false);
  package.l2_spans_dies = entry.optional_boolean("l2_spans_dies").value_or(true);
  if (package.interfaces_apart) {
    package.base_area_ratio = entry.number("base_area_ratio", Range::positive);
  }
  if (package.most_dies > 1) {
    package.joint_bandwidth = BytesPerSecondMetre::si(
        entry.quantity("joint_bandwidth", Dimension::bytes_per_second_per_metre));
    package.joint_energy =
        JoulesPerByte::si(entry.quantity("joint_energy", Dimension::joules_per_byte));
  }
  package.cost = UsdPerArea::si(entry.quantity("cost", Dimension::usd_per_area));
  package.assembly = Usd::si(entry.quantity("assembly", Dimension::usd));
  package.assembly_yield = entry.number("assembly_yield", Range::fraction);
  package.carbon = KilogramsCo2::si(entry.quantity("carbon", Dimension::co2));
  return package;
}

technology::Topology read_topology(EntryReader& entry, const std::string& name) {
  technology::Topology topology;
  topology.name = name;
  const Located kind = entry.text("topology");
  const auto known = technology::topology_kind_from(kind.text);
  if (!known && !kind.text.empty()) {
    const std::vector<std::string> kinds(technology::topology_kind_names.begin(),
                                         technology::topology_kind_names.end());
    entry.table().error("topology", fmt::format("unknown topology '{}'{}", kind.text,
                                                suggestion(kind.text, kinds)));
  }
  topology.kind = known.value_or(technology::TopologyKind::fat_tree);
  topology.radix = static_cast<int>(entry.optional_integer("radix", 4).value_or(topology.radix));
  topology.oversubscription =
      entry.optional_number("oversubscription", Range::positive).value_or(1.0);
  topology.taper = entry.optional_number("taper", Range::positive).value_or(1.0);
  topology.dimensions =
      static_cast<int>(entry.optional_integer("dimensions").value_or(topology.dimensions));
  return topology;
}

technology::Economics read_economics(EntryReader& entry, const std::string& name) {
  technology::Economics e;
  e.name = name;
  e.energy_price = UsdPerJoule::si(entry.quantity("energy_price", Dimension::usd_per_joule));
  e.power_usage_effectiveness = entry.number("power_usage_effectiveness", Range::positive);
  e.grid_carbon = KilogramsCo2PerJoule::si(
      entry.quantity("grid_carbon", Dimension::co2_per_joule, Range::not_negative));
  e.lifetime = Seconds::si(entry.quantity("lifetime", Dimension::seconds));
  e.utilization = entry.number("utilization", Range::fraction);
  e.device_markup = entry.number("device_markup", Range::positive);
  e.network_markup = entry.number("network_markup", Range::positive);
  e.server_cost = Usd::si(entry.quantity("server_cost", Dimension::usd, Range::not_negative));
  e.server_power = Watts::si(entry.quantity("server_power", Dimension::watts, Range::not_negative));
  e.server_carbon =
      KilogramsCo2::si(entry.quantity("server_carbon", Dimension::co2, Range::not_negative));
  return e;
}

}  // namespace scalesweep::catalog
