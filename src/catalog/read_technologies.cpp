// Logic nodes, memories and models out of their entries.
#include <fmt/format.h>

#include "catalog/data.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

using config::Dimension;

// What the models of a family share; single keys override it.
struct Family {
  std::string_view name;
  bool gated_ffn, tied_embeddings, biases, dropout, learned_positions;
};
constexpr std::array<Family, 2> families = {
    {{"gpt", false, true, true, true, true}, {"llama", true, false, false, false, false}}};

Family read_family(EntryReader& entry) {
  const Located name = entry.text("family");
  std::vector<std::string> known;
  for (const Family& family : families) {
    if (family.name == name.text) {
      return family;
    }
    known.emplace_back(family.name);
  }
  if (!name.text.empty()) {
    entry.table().error(
        "family", fmt::format("unknown family '{}'{}", name.text, suggestion(name.text, known)));
  }
  return families[0];
}

}  // namespace

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

workload::TransformerModel read_model(EntryReader& entry, const std::string& name) {
  workload::TransformerModel model;
  model.name = name;
  const Family family = read_family(entry);
  model.hidden = entry.integer("hidden");
  model.layers = entry.integer("layers");
  model.heads = entry.integer("heads");
  model.kv_heads = entry.optional_integer("kv_heads").value_or(model.heads);
  const std::optional<std::int64_t> head_dim = entry.optional_integer("head_dim");
  model.head_dim = head_dim.value_or(model.hidden / model.heads);
  model.ffn = entry.integer("ffn");
  model.vocab = entry.integer("vocab");
  model.max_positions = entry.integer("max_positions");
  model.gated_ffn = entry.optional_boolean("gated_ffn").value_or(family.gated_ffn);
  model.tied_embeddings =
      entry.optional_boolean("tied_embeddings").value_or(family.tied_embeddings);
  model.biases = entry.optional_boolean("biases").value_or(family.biases);
  model.dropout = entry.optional_boolean("dropout").value_or(family.dropout);
  model.learned_positions =
      entry.optional_boolean("learned_positions").value_or(family.learned_positions);
  if (!head_dim && entry.table().has("hidden") && model.hidden % model.heads != 0) {
    entry.table().error("heads", fmt::format("{} heads do not divide hidden = {}; give head_dim",
                                             model.heads, model.hidden));
  }
  if (model.heads % model.kv_heads != 0) {
    entry.table().error("kv_heads", fmt::format("kv_heads = {} must divide heads = {}",
                                                model.kv_heads, model.heads));
  }
  return model;
}

workload::Framework read_framework(EntryReader& entry, const std::string& name) {
  workload::Framework framework;
  framework.name = name;
  framework.hides_tensor_communication =
      entry.optional_boolean("hides_tensor_communication").value_or(false);
  framework.hides_data_communication =
      entry.optional_boolean("hides_data_communication").value_or(false);
  framework.issue_interval_s =
      entry.quantity("issue_interval", Dimension::seconds, Range::not_negative);
  return framework;
}

}  // namespace scalesweep::catalog
