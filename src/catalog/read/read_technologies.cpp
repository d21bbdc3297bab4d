// Logic nodes and memories out of their entries.
#include <fmt/format.h>

#include "catalog/data.hpp"

namespace scalesweep::catalog {

using config::Dimension;

technology::LogicNode read_logic(EntryReader& entry, const std::string& series,
                                 const std::string& name) {
  technology::LogicNode node;
  node.name = name;
  node.series = series;
  node.logic_density = entry.number("logic_density", Range::positive);
  node.sram_density = entry.number("sram_density", Range::positive);
  node.analog_density = entry.number("analog_density", Range::positive);
  node.switching_energy = entry.number("switching_energy", Range::positive);
  node.leakage = entry.number("leakage", Range::not_negative);
  technology::VoltageCurve& curve = node.voltage;
  curve.nominal = Volts::si(entry.quantity("voltage", Dimension::volts));
  curve.threshold = Volts::si(entry.quantity("threshold", Dimension::volts, Range::not_negative));
  curve.minimum = Volts::si(entry.quantity("minimum_voltage", Dimension::volts));
  curve.maximum = Volts::si(entry.quantity("maximum_voltage", Dimension::volts));
  const bool complete = entry.table().has("voltage") && entry.table().has("threshold") &&
                        entry.table().has("minimum_voltage") &&
                        entry.table().has("maximum_voltage");
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
  memory.pins = static_cast<int>(entry.integer("pins"));
  memory.stack_bandwidth =
      BytesPerSecond::si(entry.quantity("pin_rate", Dimension::bytes_per_second) * memory.pins);
  memory.stack_capacity = Bytes::si(entry.quantity("capacity", Dimension::bytes));
  memory.sustained = entry.number("sustained", Range::fraction);
  memory.energy = JoulesPerByte::si(entry.quantity("energy", Dimension::joules_per_byte));
  memory.package_area =
      SquareMetres::si(entry.quantity("package_area", Dimension::area, Range::not_negative));
  memory.edge = Metres::si(entry.quantity("edge", Dimension::metres));
  memory.interface_area = SquareMetres::si(entry.quantity("interface_area", Dimension::area));
  memory.cost = UsdPerByte::si(entry.quantity("cost", Dimension::usd_per_byte));
  memory.carbon = KilogramsCo2PerByte::si(entry.quantity("carbon", Dimension::co2_per_byte));
  return memory;
}

}  // namespace scalesweep::catalog
