// A model as the catalog writes it.
#include <fmt/format.h>

#include <algorithm>

#include "catalog/import/import_model.hpp"
#include "catalog/import/model_family.hpp"
#include "catalog/read/checkpoints.hpp"
#include "config/toml_text.hpp"

namespace scalesweep::catalog {
namespace {

using config::toml_text;

std::string header(const std::string& name, std::string_view table) {
  return fmt::format("[model.{}{}]\n", config::toml_key(name), table);
}

ModelFamily family_named(std::string_view name) {
  const auto found = std::find_if(model_families.begin(), model_families.end(),
                                  [name](const ModelFamily& f) { return f.name == name; });
  return found == model_families.end() ? model_families[0] : *found;
}

class Lines {
 public:
  void integer(std::string_view key, std::int64_t value) {
    text_ += fmt::format("{} = {}\n", key, value);
  }
  void integer_unless(std::string_view key, std::int64_t value, std::int64_t usual) {
    if (value != usual) {
      integer(key, value);
    }
  }
  void boolean_unless(std::string_view key, bool value, bool usual) {
    if (value != usual) {
      text_ += fmt::format("{} = {}\n", key, value);
    }
  }
  void number_unless(std::string_view key, double value, double usual) {
    if (value != usual) {
      text_ += fmt::format("{} = {}\n", key, value);
    }
  }
  void add(const std::string& line) { text_ += line; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void add_traits(Lines& lines, const workload::TransformerModel& model, const ModelFamily& family) {
  lines.boolean_unless("gated_ffn", model.gated_ffn, family.gated_ffn);
  lines.boolean_unless("tied_embeddings", model.tied_embeddings, family.tied_embeddings);
  lines.boolean_unless("biases", model.biases, family.biases);
  lines.boolean_unless("qkv_biases", model.qkv_biases, false);
  lines.boolean_unless("dropout", model.dropout, family.dropout);
  lines.boolean_unless("learned_positions", model.learned_positions, family.learned_positions);
  lines.boolean_unless("causal", model.causal, family.causal);
  lines.boolean_unless("parallel_blocks", model.parallel_blocks, false);
  lines.number_unless("rotary_share", model.rotary_share, 1.0);
  lines.integer_unless("patch_inputs", model.patch_inputs, 0);
  lines.integer_unless("prediction_layers", model.prediction_layers, 0);
  lines.integer_unless("layers_without_mlp", model.bare_layers, 0);
  lines.boolean_unless("gated_attention", model.gated_attention, false);
}

void add_attention(Lines& lines, const workload::TransformerModel& model,
                   const LayerPattern& pattern) {
  lines.add("\n" + header(model.name, ".attention"));
  lines.integer_unless("window", model.local.window, 0);
  lines.boolean_unless("chunked", model.local.chunked, false);
  if (pattern.pattern != every_layer) {
    lines.add(fmt::format("pattern = {}\n", toml_text(pattern.pattern)));
  }
  if (!pattern.rest.empty()) {
    lines.add(fmt::format("rest = {}\n", toml_text(pattern.rest)));
  }
}

void add_linear(Lines& lines, const workload::TransformerModel& model) {
  const workload::LinearAttention& linear = model.linear;
  lines.add("\n" + header(model.name, ".linear"));
  lines.integer("heads", linear.heads);
  lines.integer_unless("key_heads", linear.key_heads, linear.heads);
  lines.integer("key_dim", linear.key_dim);
  lines.integer("value_dim", linear.value_dim);
  lines.integer_unless("convolution", linear.convolution, 0);
  lines.integer_unless("gates", linear.gates, 0);
  lines.integer_unless("gate_rank", linear.gate_rank, 0);
  lines.integer_unless("chunk", linear.chunk, 1);
  lines.boolean_unless("delta_rule", linear.delta_rule, false);
}

void add_sparse(Lines& lines, const workload::TransformerModel& model) {
  lines.add("\n" + header(model.name, ".sparse"));
  lines.integer("index_heads", model.sparse.index_heads);
  lines.integer("index_dim", model.sparse.index_dim);
  lines.integer("top_k", model.sparse.top_k);
}

void add_latent(Lines& lines, const workload::TransformerModel& model) {
  lines.add("\n" + header(model.name, ".latent"));
  lines.integer_unless("query_rank", model.latent.query_rank, 0);
  lines.integer("kv_rank", model.latent.kv_rank);
  lines.integer("rope_dim", model.latent.rope_dim);
  lines.integer("nope_dim", model.latent.nope_dim);
  lines.integer("value_dim", model.latent.value_dim);
}

void add_experts(Lines& lines, const workload::TransformerModel& model) {
  const workload::Experts& experts = model.experts;
  lines.add("\n" + header(model.name, ".experts"));
  lines.integer("count", experts.count);
  lines.integer("top_k", experts.top_k);
  lines.integer("ffn", experts.ffn);
  lines.integer_unless("shared_ffn", experts.shared_ffn, 0);
  lines.integer_unless("dense_layers", experts.dense_layers, 0);
  lines.integer_unless("every", experts.every, 1);
  lines.integer_unless("groups", experts.groups, 0);
  lines.integer_unless("node_limit", experts.node_limit, 0);
}

// Tables come behind all keys of the entry.
void add_checkpoint(Lines& lines, const ImportedModel& imported) {
  for (const CheckpointPart& part : checkpoint_parts) {
    if (const auto& format = imported.checkpoint.*(part.format)) {
      lines.add("\n" + header(imported.model.name, fmt::format(".checkpoint.{}", part.key)));
      lines.add(fmt::format("{} = \"{}\"\n", imported.precision, technology::name_of(*format)));
    }
  }
}

}  // namespace

std::string catalog_text(const ImportedModel& imported) {
  const workload::TransformerModel& model = imported.model;
  Lines lines;
  lines.add("schema = 1\n\n[sources]\n");
  lines.add(fmt::format("config = {}\n\n", toml_text(imported.citation)));
  lines.add(header(model.name, ""));
  lines.add("source = \"config\"\nkind = \"published\"\n");
  lines.add(fmt::format("family = \"{}\"\n", imported.family));
  lines.integer("hidden", model.hidden);
  lines.integer("layers", model.layers);
  lines.integer("heads", model.heads);
  lines.integer_unless("kv_heads", model.kv_heads, model.heads);
  lines.integer_unless("head_dim", model.head_dim, model.hidden / model.heads);
  lines.integer("ffn", model.ffn);
  lines.integer("vocab", model.vocab);
  lines.integer("max_positions", model.max_positions);
  if (!imported.precision.empty()) {
    lines.add(fmt::format("precision = {}\n", toml_text(imported.precision)));
  }
  add_traits(lines, model, family_named(imported.family));
  add_checkpoint(lines, imported);
  if (model.local.on() || model.linear.on()) {
    add_attention(lines, model, imported.pattern);
  }
  if (model.linear.on()) {
    add_linear(lines, model);
  }
  if (model.sparse.on()) {
    add_sparse(lines, model);
  }
  if (model.latent.on()) {
    add_latent(lines, model);
  }
  if (model.experts.on()) {
    add_experts(lines, model);
  }
  return lines.text();
}

}  // namespace scalesweep::catalog
