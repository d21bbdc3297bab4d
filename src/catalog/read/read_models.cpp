// Models out of their entries.
#include <fmt/format.h>

#include "catalog/data.hpp"
#include "catalog/import/model_family.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

ModelFamily read_family(EntryReader& entry) {
  const Located name = entry.text("family");
  std::vector<std::string> known;
  for (const ModelFamily& family : model_families) {
    if (family.name == name.text) {
      return family;
    }
    known.emplace_back(family.name);
  }
  if (!name.text.empty()) {
    entry.table().error(
        "family", fmt::format("unknown family '{}'{}", name.text, suggestion(name.text, known)));
  }
  return model_families[0];
}

workload::LatentAttention read_latent(EntryReader entry) {
  workload::LatentAttention latent;
  latent.query_rank = entry.integer("query_rank");
  latent.kv_rank = entry.integer("kv_rank");
  latent.rope_dim = entry.integer("rope_dim");
  latent.nope_dim = entry.integer("nope_dim");
  latent.value_dim = entry.integer("value_dim");
  return latent;
}

workload::Experts read_experts(EntryReader entry, std::int64_t layers) {
  workload::Experts experts;
  experts.count = entry.integer("count");
  experts.top_k = entry.integer("top_k");
  experts.ffn = entry.integer("ffn");
  experts.shared_ffn = entry.integer("shared_ffn");
  experts.dense_layers = entry.integer("dense_layers");
  experts.every = entry.integer("every");
  experts.node_limit = entry.integer("node_limit");
  experts.capacity = entry.given("capacity").value_or(0.0);
  experts.imbalance = entry.value("imbalance");
  const bool complete = entry.table().has("count") && entry.table().has("top_k");
  if (complete && experts.top_k > experts.count) {
    entry.table().error("top_k", fmt::format("a token cannot go to {} of {} experts", experts.top_k,
                                             experts.count));
  }
  if (experts.dense_layers >= layers) {
    entry.table().error("dense_layers",
                        fmt::format("{} of {} layers leave none with experts; it must be less",
                                    experts.dense_layers, layers));
  }
  if (experts.imbalance < 1.0) {
    entry.table().error("imbalance",
                        "the busiest device cannot have less than the mean; it must "
                        "be at least 1");
  }
  return experts;
}

void read_traits(EntryReader& entry, const ModelFamily& family, workload::TransformerModel& model) {
  const auto trait = [&](std::string_view key, bool usual) {
    return entry.given_truth(key).value_or(usual);
  };
  model.gated_ffn = trait("gated_ffn", family.gated_ffn);
  model.tied_embeddings = trait("tied_embeddings", family.tied_embeddings);
  model.biases = trait("biases", family.biases);
  model.qkv_biases = trait("qkv_biases", false);
  model.dropout = trait("dropout", family.dropout);
  model.learned_positions = trait("learned_positions", family.learned_positions);
  model.causal = trait("causal", family.causal);
  model.parallel_blocks = trait("parallel_blocks", false);
  model.rotary_share = entry.value("rotary_share");
}

// Layers that attend to the latest tokens alone.
void read_window(EntryReader& entry, workload::TransformerModel& model) {
  model.attention_window = entry.integer("attention_window");
  model.whole_every = entry.integer("attention_whole_every");
  if (model.whole_every > 0 && model.attention_window == 0) {
    entry.table().error("attention_whole_every",
                        "says which layers attend beyond a window; it needs attention_window");
  }
  if (model.whole_every == 1) {
    entry.table().error("attention_whole_every",
                        "1 leaves no layer with a window; it must be at least 2, or left out");
  }
}

void check_heads(const EntryReader& entry, const workload::TransformerModel& model) {
  if (model.latent.on()) {
    return;  // its heads have their own widths
  }
  if (!entry.table().has("head_dim") && entry.table().has("hidden") &&
      model.hidden % model.heads != 0) {
    entry.table().error("heads", fmt::format("{} heads do not divide hidden = {}; give head_dim",
                                             model.heads, model.hidden));
  }
  if (model.heads % model.kv_heads != 0) {
    entry.table().error("kv_heads", fmt::format("kv_heads = {} must divide heads = {}",
                                                model.kv_heads, model.heads));
  }
}

}  // namespace

workload::TransformerModel read_model(EntryReader& entry, const std::string& name) {
  workload::TransformerModel model;
  model.name = name;
  const ModelFamily family = read_family(entry);
  model.hidden = entry.integer("hidden");
  model.layers = entry.integer("layers");
  model.heads = entry.integer("heads");
  model.kv_heads = entry.given_integer("kv_heads").value_or(model.heads);
  model.head_dim = entry.given_integer("head_dim").value_or(model.hidden / model.heads);
  model.ffn = entry.integer("ffn");
  model.vocab = entry.integer("vocab");
  model.max_positions = entry.integer("max_positions");
  read_traits(entry, family, model);
  read_window(entry, model);
  model.patch_inputs = entry.given_integer("patch_inputs").value_or(0);
  model.prediction_layers = entry.integer("prediction_layers");
  if (entry.table().has("latent")) {
    model.latent = read_latent(entry.group("latent"));
  }
  if (entry.table().has("experts")) {
    model.experts = read_experts(entry.group("experts"), model.layers);
  }
  check_heads(entry, model);
  return model;
}

}  // namespace scalesweep::catalog
