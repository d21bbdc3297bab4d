// Processes, packages, topologies and economics out of their entries.
#include <fmt/format.h>

#include "catalog/data.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {

technology::Process read_process(EntryReader& entry, const std::string& name) {
  technology::Process process;
  process.name = name;
  process.wafer_price = Usd::si(entry.value("wafer_price"));
  process.wafer_diameter = Metres::si(entry.value("wafer_diameter"));
  process.defect_density = PerSquareMetre::si(entry.value("defect_density"));
  process.clustering = entry.value("clustering");
  process.repairable_share = entry.value("repairable_share");
  process.carbon = KilogramsCo2PerArea::si(entry.value("carbon"));
  return process;
}

technology::Package read_package(EntryReader& entry, const std::string& name) {
  technology::Package package;
  package.name = name;
  package.most_dies = static_cast<int>(entry.integer("most_dies"));
  package.area = SquareMetres::si(entry.value("area"));
  package.reticle = SquareMetres::si(entry.value("reticle"));
  package.interfaces_apart = entry.truth("interfaces_apart");
  package.l2_spans_dies = entry.truth("l2_spans_dies");
  if (package.interfaces_apart) {
    package.base_area_ratio = entry.needed("base_area_ratio");
  }
  if (package.most_dies > 1) {
    package.joint_bandwidth = BytesPerSecondMetre::si(entry.needed("joint_bandwidth"));
    package.joint_energy = JoulesPerByte::si(entry.needed("joint_energy"));
  }
  package.cost = UsdPerArea::si(entry.value("cost"));
  package.assembly = Usd::si(entry.value("assembly"));
  package.assembly_yield = entry.value("assembly_yield");
  package.carbon = KilogramsCo2::si(entry.value("carbon"));
  return package;
}

technology::Topology read_topology(EntryReader& entry, const std::string& name) {
  technology::Topology topology;
  topology.name = name;
  const Located kind = entry.text("topology");
  const auto known = technology::topology_kind_names.find(kind.text);
  if (!known && !kind.text.empty()) {
    entry.table().error("topology",
                        fmt::format("unknown topology '{}'{}", kind.text,
                                    suggestion(kind.text, technology::topology_kind_names.list())));
  }
  topology.kind = known.value_or(technology::TopologyKind::fat_tree);
  topology.radix = static_cast<int>(entry.integer("radix"));
  topology.oversubscription = entry.value("oversubscription");
  topology.taper = entry.value("taper");
  topology.dimensions = static_cast<int>(entry.integer("dimensions"));
  return topology;
}

technology::Economics read_economics(EntryReader& entry, const std::string& name) {
  technology::Economics e;
  e.name = name;
  e.energy_price = UsdPerJoule::si(entry.value("energy_price"));
  e.power_usage_effectiveness = entry.value("power_usage_effectiveness");
  e.grid_carbon = KilogramsCo2PerJoule::si(entry.value("grid_carbon"));
  e.lifetime = Seconds::si(entry.value("lifetime"));
  e.utilization = entry.value("utilization");
  e.silicon_markup = entry.value("silicon_markup");
  e.parts_markup = entry.value("parts_markup");
  e.network_markup = entry.value("network_markup");
  e.rental_markup = entry.value("rental_markup");
  e.facility_cost = UsdPerWatt::si(entry.value("facility_cost"));
  e.facility_lifetime = Seconds::si(entry.value("facility_lifetime"));
  e.delivery_cost = UsdPerWatt::si(entry.value("delivery_cost"));
  e.server_cost = Usd::si(entry.value("server_cost"));
  e.server_power = Watts::si(entry.value("server_power"));
  e.server_carbon = KilogramsCo2::si(entry.value("server_carbon"));
  return e;
}

}  // namespace scalesweep::catalog
