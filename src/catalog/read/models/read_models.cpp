// Transformers out of their entries.
#include <fmt/format.h>

#include <algorithm>

#include "catalog/data.hpp"
#include "catalog/import/layer_pattern.hpp"
#include "catalog/import/model_family.hpp"
#include "catalog/read/models/read_images.hpp"
#include "core/text.hpp"
#include "workload/feed_forward/expert_load.hpp"

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
  experts.groups = entry.integer("groups");
  experts.node_limit = entry.integer("node_limit");
  experts.capacity = entry.given("capacity").value_or(0.0);
  experts.padded = entry.truth("padded");
  if (experts.padded && experts.capacity <= 0.0) {
    entry.table().error("padded", "needs 'capacity', the rows that experts are filled up to");
  }
  entry.either({"imbalance"}, {"skew"});
  entry.either({"request_skew"}, {"skew"});
  experts.imbalance = entry.value("imbalance");
  experts.skew = entry.given("skew");
  experts.request_skew = entry.given("request_skew");
  if (!experts.skew && !experts.request_skew) {
    experts.request_skew = workload::usual_request_skew(experts.count);
  }
  const bool complete = entry.has("count") && entry.has("top_k");
  if (complete && experts.top_k > experts.count) {
    entry.table().error("top_k", fmt::format("a token cannot go to {} of {} experts", experts.top_k,
                                             experts.count));
  }
  if (experts.node_limit > 0 && experts.groups <= experts.node_limit) {
    entry.table().error("node_limit",
                        fmt::format("is {} of {} groups; it must be less than 'groups', the number "
                                    "of groups of experts that routing chooses among (n_group of a "
                                    "published config), or be left out",
                                    experts.node_limit, experts.groups));
  } else if (experts.groups > 0 && experts.count % experts.groups != 0) {
    entry.table().error("groups",
                        fmt::format("{} do not divide {} experts", experts.groups, experts.count));
  }
  if (experts.dense_layers >= layers) {
    entry.table().error("dense_layers",
                        fmt::format("{} of {} layers leave none with experts; it must be less",
                                    experts.dense_layers, layers));
  }
  if (experts.skew && experts.request_skew) {
    entry.table().error("request_skew", "'skew' holds for requests as well; leave one of both out");
  }
  if (experts.skew && entry.has("imbalance")) {
    entry.table().error("skew",
                        "the busiest device is either measured, as imbalance, or follows from a "
                        "skew; leave one of both out");
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
  model.gated_attention = trait("gated_attention", false);
  model.rotary_share = entry.value("rotary_share");
}

// Layers of a text like "5 window, 1 whole"; nothing where it is wrong (and then reported).
std::optional<FormCounts> read_runs(EntryReader& entry, std::string_view key,
                                    std::string_view usual) {
  const std::optional<Located> given = entry.given_text(key);
  std::string problem;
  const std::optional<FormCounts> counts =
      count_forms(given ? given->text : std::string(usual), problem);
  if (!counts) {
    entry.table().error(std::string(key), problem);
  }
  return counts;
}

// Of all layers of a model, how many have each form; nothing where that is wrong.
std::optional<FormCounts> read_pattern(EntryReader& entry, std::int64_t layers) {
  const std::optional<FormCounts> pattern = read_runs(entry, "pattern", every_layer);
  const std::optional<FormCounts> rest = read_runs(entry, "rest", "");
  if (!pattern || !rest) {
    return std::nullopt;
  }
  if (pattern->layers() == 0) {
    entry.table().error("pattern", "it names no layer; give a run of them, as in \"1 window\"");
    return std::nullopt;
  }
  const std::int64_t repeated = layers - rest->layers();
  if (repeated < pattern->layers()) {
    entry.table().error(
        "pattern", fmt::format("{} layers, with {} of rest, are more than the model has, {}; give "
                               "a shorter pattern",
                               pattern->layers(), rest->layers(), layers));
    return std::nullopt;
  }
  const std::int64_t times = repeated / pattern->layers();
  if (const std::int64_t left = repeated % pattern->layers(); left > 0) {
    entry.table().error(
        "pattern", fmt::format("{} layers, {} times, leave {} of {}; name the last {} as rest, as "
                               "in \"{} window\", or give a pattern that fills them",
                               pattern->layers(), times, left, layers, left + rest->layers(),
                               left + rest->layers()));
  }
  return FormCounts{times * pattern->window + rest->window, times * pattern->whole + rest->whole,
                    times * pattern->linear + rest->linear};
}

// How many layers have a window, and how many a state.
void read_attention(EntryReader entry, workload::TransformerModel& model) {
  model.local.chunked = entry.truth("chunked");
  const std::optional<FormCounts> counts = read_pattern(entry, model.layers);
  if (!counts || counts->window > 0) {
    if (!entry.has("window")) {
      entry.needed("window");  // reports it
    }
    model.local.window = entry.given_integer("window").value_or(1);
  } else if (entry.given_integer("window") || counts->linear == 0) {
    entry.table().error("pattern", "no layer has a window; name one, or leave the table out");
  }
  if (counts) {
    model.local.layers = counts->window;
    model.linear.layers = counts->linear;
  }
}

void read_linear(EntryReader entry, workload::TransformerModel& model) {
  workload::LinearAttention& linear = model.linear;
  linear.heads = entry.integer("heads");
  linear.key_heads = entry.given_integer("key_heads").value_or(linear.heads);
  linear.key_dim = entry.integer("key_dim");
  linear.value_dim = entry.integer("value_dim");
  linear.convolution = entry.integer("convolution");
  linear.gates = entry.integer("gates");
  linear.gate_rank = entry.integer("gate_rank");
  linear.chunk = entry.integer("chunk");
  linear.delta_rule = entry.truth("delta_rule");
  if (linear.heads % linear.key_heads != 0) {
    entry.table().error("key_heads", fmt::format("key_heads = {} must divide heads = {}",
                                                 linear.key_heads, linear.heads));
  }
  if (linear.gate_rank > 0 && linear.gates == 0) {
    entry.table().error("gate_rank",
                        "nothing comes out of it; give the number of gates of a head as gates, or "
                        "leave it out");
  }
}

// The table of layers with a state, and the pattern that names them, go together.
void check_linear(EntryReader& entry, workload::TransformerModel& model) {
  const bool described = entry.has("linear");
  if (model.linear.layers > 0 && !described) {
    entry.table().error("attention",
                        fmt::format("{} layers are linear, and nothing says what they are; give "
                                    "the table 'linear' with heads, key_dim and value_dim, or name "
                                    "them window or whole",
                                    model.linear.layers));
  } else if (described && model.linear.layers == 0) {
    entry.table().error("linear",
                        "no layer is linear; name some in attention.pattern, as in \"3 linear, 1 "
                        "whole\", or leave the table out");
  }
  if (model.linear.layers > 0 && !model.causal) {
    entry.table().error("causal",
                        "a linear layer passes on what came before, and an encoder sees both ways; "
                        "set causal = true, or name its layers whole");
  }
}

workload::SparseAttention read_sparse(EntryReader entry, const workload::TransformerModel& model) {
  workload::SparseAttention sparse;
  sparse.index_heads = entry.integer("index_heads");
  sparse.index_dim = entry.integer("index_dim");
  sparse.top_k = entry.integer("top_k");
  if (model.local.layers > 0) {
    entry.table().error("top_k",
                        fmt::format("{} layers attend to a window, and an indexer chooses among "
                                    "all tokens; leave out the window or the table 'sparse'",
                                    model.local.layers));
  } else if (model.linear.layers >= model.layers) {
    entry.table().error("top_k",
                        "no layer attends to tokens that could be chosen; name some whole "
                        "in attention.pattern, or leave the table 'sparse' out");
  }
  return sparse;
}

void check_bare(EntryReader& entry, const workload::TransformerModel& model) {
  const std::int64_t plain = model.layers - model.expert_layers();
  if (model.bare_layers > plain) {
    entry.table().error("layers_without_mlp",
                        fmt::format("{} layers without an MLP are more than those without experts, "
                                    "{}; give at most these",
                                    model.bare_layers, plain));
  }
}

void check_heads(const EntryReader& entry, const workload::TransformerModel& model) {
  if (model.latent.on()) {
    return;  // its heads have their own widths
  }
  if (!entry.has("head_dim") && entry.has("hidden") && model.hidden % model.heads != 0) {
    entry.table().error("heads", fmt::format("{} heads do not divide hidden = {}; give head_dim",
                                             model.heads, model.hidden));
  }
  if (model.heads % model.kv_heads != 0) {
    entry.table().error("kv_heads", fmt::format("kv_heads = {} must divide heads = {}",
                                                model.kv_heads, model.heads));
  }
}

}  // namespace

ModelRecord read_model(EntryReader& entry, const std::string& name) {
  ModelRecord record;
  workload::TransformerModel& model = record.model;
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
  (void)entry.words("precision");  // who asks finds it among the values of the entry
  read_traits(entry, family, model);
  model.patch_inputs = entry.given_integer("patch_inputs").value_or(0);
  model.prediction_layers = entry.integer("prediction_layers");
  model.bare_layers = entry.integer("layers_without_mlp");
  if (entry.has("attention")) {
    read_attention(entry.group("attention"), model);
  }
  if (entry.has("linear")) {
    read_linear(entry.group("linear"), model);
  }
  check_linear(entry, model);
  if (entry.has("sparse")) {
    model.sparse = read_sparse(entry.group("sparse"), model);
  }
  if (entry.has("latent")) {
    model.latent = read_latent(entry.group("latent"));
  }
  if (entry.has("experts")) {
    model.experts = read_experts(entry.group("experts"), model.layers);
  }
  check_bare(entry, model);
  check_heads(entry, model);
  record.encoder = read_encoder(entry, model);
  return record;
}

}  // namespace scalesweep::catalog
