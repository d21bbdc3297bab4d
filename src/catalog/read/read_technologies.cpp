// Logic nodes and memories out of their entries.
#include <fmt/format.h>

#include "catalog/data.hpp"

namespace scalesweep::catalog {
namespace {

// What cells in the cores hold and how fast they are, the cores say.
void refuse_stacks(const EntryReader& entry) {
  for (const std::string& key : entry.value_keys()) {
    if (key != "in_cores" && entry.table().value(key)) {
      entry.table().error(key, fmt::format("'{}' is that of stacks: where in_cores is true the "
                                           "template says it; take it away",
                                           key));
    }
  }
}

}  // namespace

technology::LogicNode read_logic(EntryReader& entry, const std::string& series,
                                 const std::string& name) {
  technology::LogicNode node;
  node.name = name;
  node.series = series;
  node.logic_density = entry.value("logic_density");
  node.sram_density = entry.value("sram_density");
  node.analog_density = entry.value("analog_density");
  node.switching_energy = entry.value("switching_energy");
  node.leakage = entry.value("leakage");
  technology::VoltageCurve& curve = node.voltage;
  curve.nominal = Volts::si(entry.value("voltage"));
  curve.threshold = Volts::si(entry.value("threshold"));
  curve.minimum = Volts::si(entry.value("minimum_voltage"));
  curve.maximum = Volts::si(entry.value("maximum_voltage"));
  const bool complete = entry.has("voltage") && entry.has("threshold") &&
                        entry.has("minimum_voltage") && entry.has("maximum_voltage");
  if (complete && !(curve.threshold < curve.nominal && curve.threshold < curve.minimum)) {
    entry.table().error("threshold", "must be below voltage and minimum_voltage");
  }
  if (complete && !(curve.minimum <= curve.maximum)) {
    entry.table().error("maximum_voltage", "must not be below minimum_voltage");
  }
  return node;
}

technology::MemoryTechnology read_memory(EntryReader& entry, const std::string& name) {
  technology::MemoryTechnology memory;
  memory.name = name;
  memory.in_cores = entry.truth("in_cores");
  if (memory.in_cores) {
    refuse_stacks(entry);
    return memory;
  }
  memory.pins = static_cast<int>(entry.integer("pins"));
  memory.stack_bandwidth = BytesPerSecond::si(entry.value("pin_rate") * memory.pins);
  memory.stack_capacity = Bytes::si(entry.value("capacity"));
  memory.sustained = entry.value("sustained");
  memory.energy = JoulesPerByte::si(entry.value("energy"));
  memory.package_area = SquareMetres::si(entry.value("package_area"));
  memory.edge = Metres::si(entry.value("edge"));
  memory.interface_area = SquareMetres::si(entry.value("interface_area"));
  memory.cost = UsdPerByte::si(entry.value("cost"));
  memory.carbon = KilogramsCo2PerByte::si(entry.value("carbon"));
  return memory;
}

}  // namespace scalesweep::catalog
