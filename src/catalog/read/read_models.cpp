// Models out of their entries.
#include <fmt/format.h>

#include "catalog/data.hpp"
#include "catalog/import/layer_pattern.hpp"
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

// Layers of a text like "5 window, 1 whole"; nothing where it is wrong (and then reported).
std::optional<SpanCounts> read_runs(EntryReader& entry, std::string_view key,
                                    std::string_view usual) {
  const std::optional<Located> given = entry.given_text(key);
  std::string problem;
  const std::optional<SpanCounts> counts =
      count_spans(given ? given->text : std::string(usual), problem);
  if (!counts) {
    entry.table().error(std::string(key), problem);
  }
  return counts;
}

workload::LocalAttention read_attention(EntryReader entry, std::int64_t layers) {
  workload::LocalAttention local;
  local.window = entry.integer("window");
  local.chunked = entry.truth("chunked");
  const std::optional<SpanCounts> pattern = read_runs(entry, "pattern", every_layer);
  const std::optional<SpanCounts> rest = read_runs(entry, "rest", "");
  if (!pattern || !rest) {
    return local;
  }
  if (pattern->layers() == 0) {
    entry.table().error("pattern", "it names no layer; give a run of them, as in \"1 window\"");
    return local;
  }
  const std::int64_t repeated = layers - rest->layers();
  if (repeated < pattern->layers()) {
    entry.table().error(
        "pattern", fmt::format("{} layers, with {} of rest, are more than the model has, {}; give "
                               "a shorter pattern",
                               pattern->layers(), rest->layers(), layers));
    return local;
  }
  const std::int64_t times = repeated / pattern->layers();
  if (const std::int64_t left = repeated % pattern->layers(); left > 0) {
    entry.table().error(
        "pattern", fmt::format("{} layers, {} times, leave {} of {}; name the last {} as rest, as "
                               "in \"{} window\", or give a pattern that fills them",
                               pattern->layers(), times, left, layers, left + rest->layers(),
                               left + rest->layers()));
  }
  local.layers = times * pattern->window + rest->window;
  if (local.layers == 0) {
    entry.table().error("pattern", "no layer has a window; name one, or leave the table out");
  }
  return local;
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
  model.patch_inputs = entry.given_integer("patch_inputs").value_or(0);
  model.prediction_layers = entry.integer("prediction_layers");
  if (entry.table().has("attention")) {
    model.local = read_attention(entry.group("attention"), model.layers);
  }
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
