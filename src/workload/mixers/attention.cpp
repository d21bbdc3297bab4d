// The attention half of a layer between its norm and its residual; what a sequence takes of the
// cache there, and what devices that share it tell each other.
#include "workload/inference_layer.hpp"
#include "workload/layer_parts.hpp"
#include "workload/model.hpp"

#include <algorithm>
#include <cmath>

namespace scalesweep::workload {
namespace {

constexpr double fp32_bytes = 4.0;

// Scale, mask and softmax are one kernel where that can take the scores of a device: their number
// of matrices must be a multiple of 4 (Megatron-LM, fused scaled masked softmax). Elsewhere they
// are one each, in fp32.
bool has_softmax_kernel(const LayerBuilder& layer, double matrices) {
  return layer.fused() && std::fmod(matrices, 4.0) == 0.0;
}

// The whole matrix, windows or not: what a mask hides is computed all the same.
void add_scores(LayerBuilder& layer, const TransformerModel& model, const Widths& widths) {
  const Slice& slice = layer.slice();
  const double w = slice.element_bytes;
  const double q = widths.query_sequence;
  const double s = widths.key_sequence;
  const double d = widths.dim;
  const double v = widths.value_dim;
  const double n = static_cast<double>(slice.micro_batch) * widths.heads;
  const double scores = n * q * s;
  const Block core = Block::attention_core;
  layer.forward({"attention scores", q, s, d, n, w, w, false}, core);
  const bool stepwise = !has_softmax_kernel(layer, n);
  const double e = stepwise ? fp32_bytes : w;  // of an element that softmax reads and writes
  if (stepwise) {
    layer.forward("cast scores", scores, w + e, 0.0, core);
    layer.forward("mask", scores, 2.0 * e, 2.0, core);
  }
  // Read scores, write probabilities; about eight operations an element with the exponential.
  layer.forward("softmax", scores, 2.0 * e, 8.0, core);
  if (stepwise) {
    layer.forward("cast probabilities", scores, e + w, 0.0, core);
  }
  if (model.dropout) {
    layer.forward("attention dropout", scores, 2.0 * w + 1.0, 2.0, core);
  }
  layer.forward({"attention values", q, v, s, n, w, w, false}, core);

  layer.backward({"d values", s, v, q, n, w, w, false});
  layer.backward({"d probabilities", q, s, v, n, w, w, false});
  if (model.dropout) {
    layer.backward("d attention dropout", scores, 2.0 * w + 1.0, 2.0);
  }
  if (stepwise) {
    layer.backward("d cast probabilities", scores, w + e, 0.0);
  }
  layer.backward("d softmax", scores, 3.0 * e, 5.0);
  if (stepwise) {
    layer.backward("d mask", scores, 2.0 * e, 2.0);
    layer.backward("d cast scores", scores, e + w, 0.0);
  }
  layer.backward({"d queries", q, d, s, n, w, w, false});
  layer.backward({"d keys", s, d, q, n, w, w, false});
}

// Scores of all heads of the indexer with every key, one sum a pair, and the choice, which reads
// them twice. The loss that trains the indexer goes back through the scores: they are computed
// again, and both their gradients (DeepSeek-V3.2, arXiv:2512.02556, equations 1, 3 and 4).
void add_index_scores(LayerBuilder& layer, const TransformerModel& model, double pairs) {
  const Slice& slice = layer.slice();
  const auto heads = static_cast<double>(model.sparse.index_heads);
  const auto sequences = static_cast<double>(slice.micro_batch);
  const auto keys = static_cast<double>(slice.sequence);
  MatMul op;
  op.name = "index scores";
  op.m = heads * pairs / keys;
  op.n = keys;
  op.k = static_cast<double>(model.sparse.index_dim);
  op.batch = sequences;
  op.input_bytes = slice.operand_bytes;
  op.output_bytes = fp32_bytes / heads;
  op.low_precision = true;
  layer.forward(op, Block::other);
  layer.forward("choose tokens", sequences * pairs, 2.0 * fp32_bytes, 4.0);
  op.name = "d index scores";
  op.batch = 3.0 * sequences;
  op.input_bytes = slice.element_bytes;
  op.low_precision = false;
  layer.backward(op);
}

// Every query has keys of its own, which all heads share where they are latents. These are then
// multiplied into queries and outputs, by as many products as expand them ("key value up").
void add_chosen(LayerBuilder& layer, const TransformerModel& model, FlashAttention op) {
  const double all = op.keys();
  const double pairs = op.sequence * all;
  const double visible = op.visible_share * pairs;
  const double chosen = chosen_scores(model, 0.0, all) / (all * all) * pairs;
  add_index_scores(layer, model, visible);
  if (reads_chosen(model, chosen, visible)) {
    op.visible_share = chosen / pairs;
    op.most_keys = std::min(all, static_cast<double>(model.sparse.top_k));
    if (model.latent.on()) {
      op.batch_kv_heads = static_cast<double>(layer.slice().micro_batch);
      op.head_dim = static_cast<double>(model.latent.kv_rank + model.latent.rope_dim);
      op.value_dim = static_cast<double>(model.latent.kv_rank);
    }
  }
  op.name = "sparse attention";
  layer.attention(op, "d sparse attention", 1.0);
}

// The projections of an indexer, whole on every tensor-parallel rank.
void add_index(LayerBuilder& layer, const TransformerModel& model) {
  const IndexShapes shapes = index_shapes(model);
  const double tokens = layer.slice().tokens();
  layer.linear({.forward_name = "index queries",
                .data_name = "d index queries",
                .weight_name = "w index queries",
                .m = tokens,
                .n = shapes.queries.n,
                .k = shapes.queries.k,
                .input = Producer::norm});
  layer.linear({.forward_name = "index key",
                .data_name = "d index key",
                .weight_name = "w index key",
                .m = tokens,
                .n = shapes.key.n,
                .k = shapes.key.k,
                .input = Producer::norm});
}

void add_core(LayerBuilder& layer, const TransformerModel& model, const Widths& widths) {
  const Slice& slice = layer.slice();
  if (!slice.flash_attention) {
    add_scores(layer, model, widths);
    // Heads are put side by side again before the projection.
    const double merged = slice.tokens() * widths.output;
    layer.forward("merge heads", merged, 2.0 * slice.element_bytes, 0.0);
    layer.backward("d merge heads", merged, 2.0 * slice.element_bytes, 0.0);
    return;
  }
  const auto sequences = static_cast<double>(slice.micro_batch);
  FlashAttention op;
  op.sequence = widths.query_sequence;
  op.batch_heads = sequences * widths.heads;
  op.batch_kv_heads = sequences * widths.kv_heads;
  op.head_dim = widths.dim;
  op.element_bytes = slice.element_bytes;
  op.key_sequence = slice.context_shards > 1 ? widths.key_sequence : 0.0;
  op.value_dim = model.latent.on() ? static_cast<double>(model.latent.value_dim) : 0.0;
  for (const AttentionSpan span : {AttentionSpan::whole, AttentionSpan::window}) {
    const double share = layers_with(model, span) / layers_with(model, Mixer::attention);
    const double all = widths.key_sequence;
    const double window = kept_tokens(model, span, all);
    op.most_keys = window < all ? window : 0.0;
    op.visible_share = visible_scores(model, span, 0.0, all) / (all * all);
    const bool is_window = span == AttentionSpan::window;
    op.name = is_window ? "window attention" : "flash attention";
    if (model.sparse.on() && !is_window) {
      add_chosen(layer, model, op);
    } else if (share > 0.0) {
      layer.attention(op, is_window ? "d window attention" : "d flash attention", share);
    }
  }
}

// Eager stacks copy the parts of the joint GEMM to where attention wants them: queries, keys and
// values out of one tensor, keys and values into another, in the order of sequences.
void add_eager_rotary(LayerBuilder& layer, const TransformerModel& model, const Widths& widths) {
  const double w = layer.slice().element_bytes;
  const double tokens = layer.slice().tokens();
  const double queries = tokens * widths.queries;
  const double keys = tokens * widths.keys;
  const double both = keys + tokens * widths.values;
  if (layer.slice().composed) {
    const double rotated = (queries + keys) * model.rotary_share;
    layer.forward("rotary embedding", rotated, composed_rotary_bytes(w), 6.0);
    layer.backward("d rotary embedding", rotated, composed_rotary_gradient_bytes(w), 6.0);
    return;
  }
  layer.forward("split queries", queries, 2.0 * w, 0.0);
  layer.forward("split keys", keys, 2.0 * w, 0.0);
  layer.forward("split values", tokens * widths.values, 2.0 * w, 0.0);
  layer.forward("join keys and values", both, 2.0 * w, 0.0);
  layer.forward("order keys and values", both, 2.0 * w, 0.0);
  layer.backward("d order keys and values", both, 2.0 * w, 0.0);
  layer.backward("d join keys and values", both, 2.0 * w, 0.0);
  layer.backward("d split", queries + both, 2.0 * w, 0.0);
  const double share = model.rotary_share;
  layer.forward("rotary queries", queries * share, 2.0 * w, 6.0);
  layer.forward("rotary keys", keys * share, 2.0 * w, 6.0);
  layer.backward("d rotary queries", queries * share, 2.0 * w, 6.0);
  layer.backward("d rotary keys", keys * share, 2.0 * w, 6.0);
}

void add_rotary(LayerBuilder& layer, const TransformerModel& model, const Widths& widths) {
  if (model.learned_positions || model.rotary_share <= 0.0) {
    return;
  }
  if (!layer.fused()) {
    add_eager_rotary(layer, model, widths);
    return;
  }
  const double w = layer.slice().element_bytes;
  const double rotated = layer.slice().tokens() * (widths.queries + widths.keys);
  layer.forward("rotary embedding", rotated * model.rotary_share, 2.0 * w, 6.0);
  layer.backward("d rotary embedding", rotated * model.rotary_share, 2.0 * w, 6.0);
}

// The rotated part of the queries, and keys put together from their own part and the one that all
// heads share, with the values copied out; eager stacks copy the queries whole.
void add_latent_rotary(LayerBuilder& layer, const LatentAttention& latent, double heads) {
  const double w = layer.slice().element_bytes;
  const double elements = layer.slice().tokens() * heads;
  const auto rope = static_cast<double>(latent.rope_dim);
  const auto nope = static_cast<double>(latent.nope_dim);
  const auto value = static_cast<double>(latent.value_dim);
  const double keys_values = 2.0 * (nope + value) + rope;
  if (layer.fused()) {
    const double moved = elements * (2.0 * rope + keys_values);
    layer.forward("rotary embedding", moved, w, 3.0);
    layer.backward("d rotary embedding", moved, w, 3.0);
    return;
  }
  layer.forward("rotary queries", elements * rope, 2.0 * w, 6.0);
  layer.forward("join queries", elements * (nope + rope), 2.0 * w, 0.0);
  layer.forward("rotary keys", layer.slice().tokens() * rope, 2.0 * w, 6.0);
  layer.forward("join keys", elements * (2.0 * nope + rope), w, 0.0);
  layer.forward("split values", elements * value, 2.0 * w, 0.0);
  layer.backward("d rotary queries", elements * rope, 2.0 * w, 6.0);
  layer.backward("d join queries", elements * (nope + rope), 2.0 * w, 0.0);
  layer.backward("d rotary keys", layer.slice().tokens() * rope, 2.0 * w, 6.0);
  layer.backward("d split", elements, keys_values * w, 0.0);
}

// Down projections are small: every tensor-parallel rank holds them whole and computes its own
// share of the tokens; the up projections are cut by heads.
void add_latent_matmuls(LayerBuilder& layer, const TransformerModel& model, const Widths& widths) {
  const AttentionShapes shapes = attention_shapes(model, widths);
  const double outer = layer.slice().outer_tokens();
  const double tokens = layer.slice().tokens();
  if (shapes.query_down.n > 0.0) {
    layer.linear({.forward_name = "query down",
                  .data_name = "d query down",
                  .weight_name = "w query down",
                  .m = outer,
                  .n = shapes.query_down.n,
                  .k = shapes.query_down.k,
                  .input = Producer::norm});
    layer.norm(outer * shapes.query_down.n, true, "query norm", "d query norm");
  }
  const bool direct = shapes.query_down.n == 0.0;
  layer.linear({.forward_name = direct ? "query" : "query up",
                .data_name = direct ? "d query" : "d query up",
                .weight_name = direct ? "w query" : "w query up",
                .m = tokens,
                .n = shapes.query_up.n,
                .k = shapes.query_up.k,
                .column_parallel = true,
                .input = Producer::norm});
  layer.linear({.forward_name = "key value down",
                .data_name = "d key value down",
                .weight_name = "w key value down",
                .m = outer,
                .n = shapes.key_value_down.n,
                .k = shapes.key_value_down.k,
                .input = Producer::norm});
  layer.norm(outer * shapes.key_value_up.k, true, "key value norm", "d key value norm");
  layer.linear({.forward_name = "key value up",
                .data_name = "d key value up",
                .weight_name = "w key value up",
                .m = tokens,
                .n = shapes.key_value_up.n,
                .k = shapes.key_value_up.k,
                .column_parallel = true,
                .input = Producer::norm});
  add_latent_rotary(layer, model.latent, widths.heads);
}

}  // namespace

void add_attention(LayerBuilder& layer, const TransformerModel& model) {
  const Widths widths = widths_of(model, layer.slice());
  const AttentionShapes shapes = attention_shapes(model, widths);
  const double tokens = layer.slice().tokens();
  if (model.latent.on()) {
    add_latent_matmuls(layer, model, widths);
  } else {
    layer.linear({.forward_name = "query key value",
                  .data_name = "d query key value",
                  .weight_name = "w query key value",
                  .m = tokens,
                  .n = shapes.query_key_value.n,
                  .k = shapes.query_key_value.k,
                  .column_parallel = true,
                  .input = Producer::norm});
    add_rotary(layer, model, widths);
  }
  if (model.sparse.on()) {
    add_index(layer, model);
  }
  add_core(layer, model, widths);
  if (model.gated_attention) {
    const double gated = tokens * widths.output;
    const double w = layer.slice().element_bytes;
    layer.forward("attention gate", gated,
                  2.0 * w + layer.operand_write_bytes(Producer::activation), 10.0);
    layer.backward("d attention gate", gated, 5.0 * w, 14.0);
  }
  layer.linear({.forward_name = "attention projection",
                .data_name = "d attention projection",
                .weight_name = "w attention projection",
                .m = tokens,
                .n = shapes.projection.n,
                .k = shapes.projection.k,
                .row_parallel = true,
                .input = model.gated_attention ? Producer::activation : Producer::other});
}

double cache_elements(const TransformerModel& model, std::int64_t tensor_shards) {
  const double index = model.sparse.on() ? static_cast<double>(model.sparse.index_dim) : 0.0;
  if (model.latent.on()) {
    return static_cast<double>(model.latent.kv_rank + model.latent.rope_dim) + index;
  }
  const HeadWidths widths = head_widths(model, static_cast<double>(tensor_shards));
  return widths.kv_heads * (widths.dim + widths.value_dim) + index;
}

std::int64_t cache_copies(const TransformerModel& model, std::int64_t tensor_shards) {
  return model.latent.on() ? tensor_shards
                           : std::max<std::int64_t>(1, tensor_shards / model.kv_heads);
}

std::string_view sees_less(const TransformerModel& model) {
  return model.local.on()    ? "the model has windows"
         : model.sparse.on() ? "the model chooses tokens by an indexer"
                             : "";
}

CacheParts cache_parts(const TransformerModel& model, const InferenceSlice& slice) {
  const HeadWidths widths = head_widths(model, static_cast<double>(slice.tensor_shards));
  const auto shards = static_cast<double>(slice.cache_shards);
  CacheParts parts = {.heads = widths.heads * shards,
                      .tokens = slice.tokens(),
                      .query_dim = widths.dim,
                      .value_dim = widths.value_dim};
  if (model.latent.on()) {
    parts.tokens = slice.decode.tokens();
    parts.gathered = slice.prefill.tokens() > 0.0
                         ? slice.prefill.sequences * slice.prefill.cached_tokens *
                               cache_elements(model, slice.tensor_shards)
                         : 0.0;
    parts.query_dim = static_cast<double>(model.latent.kv_rank + model.latent.rope_dim);
    parts.value_dim = static_cast<double>(model.latent.kv_rank);
  }
  return parts;
}

}  // namespace scalesweep::workload
