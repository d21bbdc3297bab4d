#include "deploy/import/imported.hpp"

#include <fmt/format.h>

#include "catalog/import/import_model.hpp"
#include "core/failure.hpp"

namespace scalesweep::deploy {
namespace {

void add_table(std::string& text, std::string_view name, const SpecTable& table) {
  if (table.empty()) {
    return;
  }
  text += fmt::format("\n[{}]\n", name);
  for (const auto& [key, value] : table) {
    text += fmt::format("{} = {}\n", key, value);
  }
}

// Whether they are the same but for what commands do not say: names, vocabularies where one is not
// known, contexts, how positions are told and what is dropped.
bool same_shape(const workload::TransformerModel& a, const workload::TransformerModel& b) {
  const auto shape = [](const workload::TransformerModel& m) {
    return std::tuple(m.hidden, m.layers, m.heads, m.kv_heads, m.head_dim, m.gated_ffn,
                      m.experts.count, m.experts.top_k, m.experts.ffn, m.latent.kv_rank);
  };
  const bool vocabularies = a.vocab == 0 || b.vocab == 0 || a.vocab == b.vocab;
  // A model of experts alone has no dense layer whose width could tell.
  const bool widths = a.ffn == b.ffn || a.experts.on();
  return shape(a) == shape(b) && widths && vocabularies && !b.encoder.on() && !b.linear.on();
}

// Options that shard among replicas are often written where there is one, and say nothing then.
void settle_sharding(Imported& imported, std::int64_t devices) {
  const auto size = [&imported](std::string_view key) {
    const auto found = imported.strategy.find(key);
    return found == imported.strategy.end() ? 1LL : std::atoll(found->second.c_str());
  };
  const auto zero = imported.strategy.find("zero");
  const bool shards = zero != imported.strategy.end() && zero->second != "0";
  if (shards && devices <= size("tensor_parallel") * size("pipeline_parallel")) {
    imported.notes.push_back(fmt::format(
        "zero = {} is left out: there is one replica, and nothing to shard among", zero->second));
    zero->second = "0";
  }
}

}  // namespace

std::string spec_text(const Imported& imported) {
  std::string text = fmt::format(
      "# Imported from {}; what could not be carried over stands below.\nschema = 1\ntitle = {}\n",
      imported.origin, toml_text("Imported from " + imported.origin));
  add_table(text, "workload", imported.workload);
  add_table(text, "system", imported.system);
  add_table(text, "strategy", imported.strategy);
  if (!imported.notes.empty() || !imported.left_out.empty()) {
    text += "\n";
  }
  for (const std::string& note : imported.notes) {
    text += config::toml_comment("note: " + note);
  }
  for (const std::string& key : imported.left_out) {
    text += config::toml_comment("not carried over: " + key);
  }
  return text;
}

void set_model(Imported& imported, workload::TransformerModel model,
               const catalog::Catalog& catalog, const ImportQuestion& question) {
  if (!question.model.empty()) {
    imported.workload["model"] = toml_text(question.model);
    return;
  }
  model.vocab = model.vocab == 0 ? question.vocab : model.vocab;
  for (const std::string& name : catalog.names(catalog::Section::models)) {
    if (same_shape(model, catalog.model(name))) {
      imported.workload["model"] = toml_text(name);
      imported.notes.push_back(fmt::format("the model has the shape of {}, which is taken", name));
      return;
    }
  }
  if (model.vocab == 0) {
    refuse(
        fmt::format("no model of the catalog has this shape (hidden {}, {} layers, {} heads), and "
                    "its vocabulary is not said; give --vocab NUMBER, or --model NAME",
                    model.hidden, model.layers, model.heads));
  }
  model.name = question.name.empty() ? "imported" : question.name;
  model.max_positions = std::max<std::int64_t>(model.max_positions, 1);
  const std::string family = model.gated_ffn ? "llama" : "gpt";
  imported.workload["model"] = toml_text(model.name);
  imported.entries +=
      catalog::catalog_text({model, family, "Imported from " + imported.origin, {}, {}, {}});
}

void set_system(Imported& imported, std::int64_t devices, const ImportQuestion& question) {
  const std::int64_t count = question.devices > 0 ? question.devices : devices;
  if (question.device.empty() && !imported.system.contains("device")) {
    throw Failure(
        ExitCode::usage,
        "import: what it runs on is not said; give --device NAME, an entry of the catalog");
  }
  if (count == 0) {
    throw Failure(ExitCode::usage,
                  "import: on how many devices is not said; give --devices NUMBER");
  }
  if (!question.device.empty()) {
    imported.system["device"] = toml_text(question.device);
  }
  imported.system["accelerators"] = std::to_string(count);
  settle_sharding(imported, count);
}

void leave_out(Imported& imported, const GivenKeys& keys) {
  for (const std::string& key : keys.unread()) {
    imported.left_out.push_back(fmt::format("{}: {}", keys.file(), key));
  }
}

}  // namespace scalesweep::deploy
