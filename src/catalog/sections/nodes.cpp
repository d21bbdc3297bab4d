// Logic nodes and memories.
#include <fmt/format.h>

#include "catalog/data.hpp"
#include "catalog/sections/field.hpp"

namespace scalesweep::catalog {
namespace {

using technology::LogicNode;
using technology::MemoryTechnology;
using technology::VoltageCurve;

Fields<VoltageCurve> voltage_fields() {
  return {
      value(&VoltageCurve::nominal, "voltage",
            "nominal supply, at which every node runs a circuit at the same clock", "\"0.75 V\""),
      or_zero(value(&VoltageCurve::threshold, "threshold",
                    "supply at which the clock of the voltage law is 0", "\"0.35 V\"")),
      value(&VoltageCurve::minimum, "minimum_voltage",
            "lowest supply that works: below, the clock falls and the voltage stays", "\"0.55 V\""),
      value(&VoltageCurve::maximum, "maximum_voltage", "highest supply that is reliable",
            "\"1.0 V\""),
  };
}

const Fields<LogicNode>& logic_fields() {
  static const Fields<LogicNode> fields =
      joined<LogicNode>({{number(&LogicNode::logic_density, above_zero, "logic_density",
                                 "gates by area, against N7", "1.8"),
                          number(&LogicNode::sram_density, above_zero, "sram_density",
                                 "bits by area, against N7", "1.3"),
                          number(&LogicNode::analog_density, above_zero, "analog_density",
                                 "interfaces by area, against N7", "1.1"),
                          number(&LogicNode::switching_energy, above_zero, "switching_energy",
                                 "of the same circuit at the nominal voltage, against N7", "0.7"),
                          number(&LogicNode::leakage, from_zero, "leakage",
                                 "of the same circuit at the nominal voltage, against N7", "0.9")},
                         of_part(&LogicNode::voltage, voltage_fields())});
  return fields;
}

void check_voltages(const EntryReader& entry, const VoltageCurve& curve) {
  const bool complete = entry.has("voltage") && entry.has("threshold") &&
                        entry.has("minimum_voltage") && entry.has("maximum_voltage");
  if (complete && !(curve.threshold < curve.nominal && curve.threshold < curve.minimum)) {
    entry.table().error("threshold",
                        "must be below voltage and minimum_voltage: the clock rises from there, "
                        "and power with it");
  }
  if (complete && !(curve.minimum <= curve.maximum)) {
    entry.table().error("maximum_voltage",
                        "must not be below minimum_voltage: power rises from the one to the other");
  }
  // Below the lowest supply it may be: the clock then falls alone.
  if (complete && curve.minimum <= curve.maximum && !(curve.nominal <= curve.maximum)) {
    entry.table().error("voltage",
                        "must not be above maximum_voltage: power would not rise up to the "
                        "nominal clock");
  }
}

Field<MemoryTechnology> in_cores() {
  Key key = truth("in_cores",
                  "no stacks: the shared memories of all cores are the memory of the device, "
                  "as on a wafer; the entry then says nothing else",
                  "false");
  key.example = "false";  // beside all the others
  return field(key, &MemoryTechnology::in_cores);
}

// The rate of a stack is kept, that of a pin is written.
Field<MemoryTechnology> pin_rate() {
  const Key key = quantity("pin_rate", Dimension::bytes_per_second,
                           "of one pin. Products run their pins slower than standards allow, and "
                           "a budget says so",
                           "\"5.2 Gb/s\"");
  return {key, [key](EntryReader& entry, MemoryTechnology& memory) {
            memory.stack_bandwidth = BytesPerSecond::si(entry.value(key.path) * memory.pins);
          }};
}

const Fields<MemoryTechnology>& stack_fields() {
  static const Fields<MemoryTechnology> fields = {
      value(&MemoryTechnology::pins, "pins", "data pins of a stack", "1024"),
      pin_rate(),
      value(&MemoryTechnology::stack_capacity, "capacity", "of a stack", "\"16 GiB\""),
      number(&MemoryTechnology::sustained, fraction, "sustained",
             "fraction of the bandwidth that long streams reach", "0.86"),
      value(&MemoryTechnology::energy, "energy",
            "everything from the cell to the interface of the processor", "\"4.3 pJ/bit\""),
      or_zero(value(&MemoryTechnology::package_area, "package_area",
                    "of a stack beside the die; 0 if it stands on the board", "\"110 mm2\"")),
      value(&MemoryTechnology::edge, "edge", "of the die, taken by the interface of a stack",
            "\"6 mm\""),
      value(&MemoryTechnology::interface_area, "interface_area",
            "of the die, taken by it, at N7; shrinks as analog circuits do", "\"12 mm2\""),
      value(&MemoryTechnology::cost, "cost", "of making it", "\"12 USD/GB\""),
      value(&MemoryTechnology::carbon, "carbon", "emitted in making it", "\"65 gCO2e/GB\""),
  };
  return fields;
}

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

std::vector<Key> logic_rows() {
  return keys_of(logic_fields());
}

std::vector<Key> memory_rows() {
  return heritable(keys_of(joined<MemoryTechnology>({{in_cores()}, stack_fields()})));
}

LogicNode read_logic(EntryReader& entry, const std::string& series, const std::string& name) {
  LogicNode node;
  node.name = name;
  node.series = series;
  read_fields(entry, logic_fields(), node);
  check_voltages(entry, node.voltage);
  return node;
}

MemoryTechnology read_memory(EntryReader& entry, const std::string& name) {
  MemoryTechnology memory;
  memory.name = name;
  read_fields(entry, {in_cores()}, memory);
  if (memory.in_cores) {
    refuse_stacks(entry);
  } else {
    read_fields(entry, stack_fields(), memory);
  }
  return memory;
}

}  // namespace scalesweep::catalog
