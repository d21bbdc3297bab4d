// Parts of transformers: layers with a window or a state, latent attention, experts.
#include <fmt/format.h>

#include <optional>

#include "catalog/import/layer_pattern.hpp"
#include "catalog/sections/models/model_parts.hpp"
#include "workload/feed_forward/expert_load.hpp"

namespace scalesweep::catalog {

using workload::Experts;
using workload::LatentAttention;
using workload::LinearAttention;
using workload::SparseAttention;
using workload::TransformerModel;

Fields<TransformerModel> local_attention_fields() {
  return by_hand<TransformerModel>({
      table("attention", "layers that attend to a part of the tokens before, or have a state",
            "all attend to all"),
      integer("attention.window", "tokens that such a layer attends to, the latest ones", "4096",
              "no layer has a window"),
      truth("attention.chunked",
            "it attends to those of its chunk of `window` tokens, not to the latest ones", "false"),
      row("attention.pattern", KeyKind::text,
          "which layers do, `window`, which attend to all, `whole`, and which have a state, "
          "`linear`: runs of layers alike, repeated to the last layer",
          "\"5 window, 1 whole\"", "every layer"),
      row("attention.rest", KeyKind::text, "the last layers, where the pattern leaves some",
          "\"2 window\"", "none"),
  });
}

Fields<LinearAttention> linear_fields() {
  return {
      value(&LinearAttention::heads, "heads", "states of a layer, and heads of values", "32"),
      field(integer("key_heads", "heads of queries and keys, or groups (Mamba-2)", "16",
                    "as `heads`"),
            &LinearAttention::key_heads, &LinearAttention::heads),
      value(&LinearAttention::key_dim, "key_dim", "of a query or key: rows of a state (Mamba: N)",
            "128"),
      value(&LinearAttention::value_dim, "value_dim",
            "of a value: columns of a state (Mamba-2: P; Mamba: 1)", "128"),
      or_zero(value(&LinearAttention::convolution, "convolution",
                    "tokens that the convolution over queries, keys and values reaches; 0: none",
                    "4", "0")),
      or_zero(value(&LinearAttention::gates, "gates",
                    "numbers that a token has for a head: decay, strength of writing", "2", "0")),
      or_zero(value(&LinearAttention::gate_rank, "gate_rank",
                    "0: all come out of the layer's input; else queries, keys and so many "
                    "numbers, of which the gates are made, out of the values (Mamba)",
                    "512", "0")),
      value(&LinearAttention::chunk, "chunk",
            "tokens that are worked on together; 1: one after the other", "64", "1"),
      truth(&LinearAttention::delta_rule, "delta_rule",
            "a token writes what its key does not read already (DeltaNet)", "false"),
  };
}

Fields<SparseAttention> sparse_fields() {
  return {
      value(&SparseAttention::index_heads, "index_heads", "heads that score them", "64"),
      value(&SparseAttention::index_dim, "index_dim",
            "width of such a head, and of the one key of a token", "128"),
      value(&SparseAttention::top_k, "top_k", "tokens that a query attends to", "2048"),
  };
}

Fields<LatentAttention> latent_fields() {
  return {
      or_zero(value(&LatentAttention::query_rank, "query_rank",
                    "rank of the queries; 0: one full GEMM", "1536", "0")),
      value(&LatentAttention::kv_rank, "kv_rank", "rank of keys and values", "512"),
      value(&LatentAttention::rope_dim, "rope_dim", "of a query or key head, with positions", "64"),
      value(&LatentAttention::nope_dim, "nope_dim", "of a query or key head, without", "128"),
      value(&LatentAttention::value_dim, "value_dim", "of a value head", "128"),
  };
}

Fields<Experts> routed_fields() {
  return {
      value(&Experts::count, "count", "routed experts of a layer", "256"),
      value(&Experts::top_k, "top_k", "of them, that a token goes to", "8"),
      value(&Experts::ffn, "ffn", "width of one", "2048"),
      or_zero(value(&Experts::shared_ffn, "shared_ffn", "width of what every token passes through",
                    "2048", "0")),
      or_zero(
          value(&Experts::dense_layers, "dense_layers", "first layers without experts", "3", "0")),
      value(&Experts::every, "every", "every n-th of the other layers has experts", "2", "1"),
      or_zero(value(&Experts::groups, "groups",
                    "groups of experts, of which a token goes to `node_limit` at most", "8", "0")),
      or_zero(value(&Experts::node_limit, "node_limit",
                    "most groups that a token is sent to; 0: no limit", "4", "0")),
  };
}

Fields<Experts> load_fields() {
  return {
      number(&Experts::capacity, above_zero, "capacity",
             "most tokens that an expert takes over the mean, before it drops some", "1.25",
             "no limit"),
      truth(&Experts::padded, "padded",
            "experts work on as many rows as their `capacity`, empty ones too", "false"),
      number(&Experts::imbalance, {1.0, true}, "imbalance",
             "tokens of the busiest device over the mean", "1.1", "1"),
      field(number("skew", from_zero,
                   "instead of `imbalance`: exponent of a Zipf law of how popular experts are; 0: "
                   "all alike, and the chance of finitely many tokens is left",
                   "0.3", "`imbalance`"),
            &Experts::skew),
      field(number("request_skew", from_zero,
                   "`skew` of the tokens of requests alone, in inference and serving: no loss "
                   "balances them as it does those of training",
                   "0.7", "`skew`, else 0.7 from 32 experts on"),
            &Experts::request_skew),
  };
}

Fields<Experts> expert_fields() {
  return joined<Experts>({routed_fields(), load_fields()});
}

namespace {

void check_experts(const EntryReader& entry, const Experts& experts, std::int64_t layers) {
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
}

// How loads are given, at most one way.
void check_loads(const EntryReader& entry, const Experts& experts) {
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

}  // namespace

Experts read_experts(EntryReader entry, std::int64_t layers) {
  static const Fields<Experts> fields = expert_fields();
  Experts experts;
  entry.either({"imbalance"}, {"skew"});
  entry.either({"request_skew"}, {"skew"});
  read_fields(entry, fields, experts);
  if (experts.padded && experts.capacity <= 0.0) {
    entry.table().error("padded", "needs 'capacity', the rows that experts are filled up to");
  }
  if (!experts.skew && !experts.request_skew) {
    experts.request_skew = workload::usual_request_skew(experts.count);
  }
  check_experts(entry, experts, layers);
  check_loads(entry, experts);
  return experts;
}

// How many layers have a window, and how many a state.
void read_attention(EntryReader entry, TransformerModel& model) {
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

void read_linear(EntryReader entry, LinearAttention& linear) {
  static const Fields<LinearAttention> fields = linear_fields();
  read_fields(entry, fields, linear);
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

SparseAttention read_sparse(EntryReader entry, const TransformerModel& model) {
  static const Fields<SparseAttention> fields = sparse_fields();
  SparseAttention sparse;
  read_fields(entry, fields, sparse);
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

LatentAttention read_latent(EntryReader entry) {
  static const Fields<LatentAttention> fields = latent_fields();
  LatentAttention latent;
  read_fields(entry, fields, latent);
  return latent;
}

}  // namespace scalesweep::catalog
