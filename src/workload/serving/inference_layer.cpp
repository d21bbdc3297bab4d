#include "workload/inference_layer.hpp"

#include <algorithm>
#include <cmath>

#include "workload/layer_parts.hpp"
#include "workload/model.hpp"
#include "workload/serving/layer_assembly.hpp"

namespace scalesweep::workload {
namespace {

constexpr double fp32_bytes = 4.0;
constexpr LinearPart mixer_part = LinearPart::attention;

// The residual sum and the norm behind it, one kernel where they are fused. Linear layers of `part`
// read it.
void add_norm(Assembly& layer, LinearPart part, std::string_view name,
              std::string_view residual_name) {
  const double elements = layer.outer_tokens() * layer.hidden();
  const double w = layer.slice().activation_bytes;
  const double written = layer.written_for(part);
  if (layer.slice().fused_pointwise) {
    // Reads what the block gave and the residual, writes the sum and the norm.
    layer.pointwise(name, elements, 3.0 * w + written, 7.0);
    return;
  }
  layer.pointwise(residual_name, elements, 3.0 * w, 1.0);
  if (layer.slice().composed && !layer.model().biases) {
    layer.pointwise(name, elements, composed_norm_bytes(w), 8.0);
    return;
  }
  layer.pointwise(name, elements, w + written, 6.0);
}

// Scores go through DRAM: the GEMM of queries and keys, softmax, the GEMM with the values.
void add_scores(Assembly& layer, const HeadWidths& widths, const TokenGroup& group, double keys,
                double rows_of_cache) {
  const double w = layer.slice().activation_bytes;
  const double batch = group.sequences * widths.kv_heads;
  const double rows = rows_of_cache * group.new_tokens;
  const double scores = batch * rows * keys;
  layer.matmul({.name = "attention scores",
                .m = rows,
                .n = keys,
                .k = widths.dim,
                .batch = batch,
                .input_bytes = w,
                .output_bytes = w,
                .weight_bytes = layer.slice().cache_bytes},
               Block::attention_core);
  layer.pointwise("softmax", scores, 2.0 * w, 8.0, Block::attention_core);
  layer.matmul({.name = "attention values",
                .m = rows,
                .n = widths.value_dim,
                .k = keys,
                .batch = batch,
                .input_bytes = w,
                .output_bytes = w,
                .weight_bytes = layer.slice().cache_bytes},
               Block::attention_core);
}

// Of so many pairs of a query and a key. The choice reads the scores twice.
void add_index_scores(Assembly& layer, double sequences, double pairs, double keys) {
  const InferenceSlice& slice = layer.slice();
  const SparseAttention& sparse = layer.model().sparse;
  const auto heads = static_cast<double>(sparse.index_heads);
  MatMul op;
  op.name = "index scores";
  op.m = heads * pairs / keys;
  op.n = keys;
  op.k = static_cast<double>(sparse.index_dim);
  op.batch = sequences;
  op.input_bytes = slice.linear[LinearPart::attention].operand_bytes;
  op.output_bytes = fp32_bytes / heads;
  op.weight_bytes = slice.cache_bytes;
  op.low_precision = true;
  op.part = LinearPart::attention;
  layer.push({Block::attention_core, op});
  layer.pointwise("choose tokens", sequences * pairs, 2.0 * fp32_bytes, 4.0, Block::attention_core);
}

double prompt_pairs(const TransformerModel& model, const TokenGroup& group) {
  return visible_scores(model, AttentionSpan::whole, group.cached_tokens, group.new_tokens);
}
bool prompt_reads_chosen(const TransformerModel& model, const TokenGroup& group) {
  return model.sparse.on() &&
         reads_chosen(model, chosen_scores(model, group.cached_tokens, group.new_tokens),
                      prompt_pairs(model, group));
}

// Of a prompt over the tokens that an indexer chooses, or over all with a mask.
void choose(Assembly& layer, PrefillAttention& op) {
  const TransformerModel& model = layer.model();
  const TokenGroup& group = layer.slice().prefill;
  const double keys = group.cached_tokens + group.new_tokens;
  const double cut = op.sequence / group.new_tokens;  // what context parallelism leaves of queries
  add_index_scores(layer, group.sequences, cut * prompt_pairs(model, group), keys);
  op.name = "sparse prompt attention";
  if (!prompt_reads_chosen(model, group)) {
    return;
  }
  op.visible_share =
      chosen_scores(model, group.cached_tokens, group.new_tokens) / (group.new_tokens * keys);
  op.most_keys = std::min(keys, static_cast<double>(model.sparse.top_k));
  if (model.latent.on()) {
    op.batch_kv_heads = group.sequences;
    op.head_dim = static_cast<double>(model.latent.kv_rank + model.latent.rope_dim);
    op.value_dim = static_cast<double>(model.latent.kv_rank);
  }
}

void add_prompt_attention(Assembly& layer, const HeadWidths& widths, AttentionSpan span) {
  const InferenceSlice& slice = layer.slice();
  TokenGroup prefill = slice.prefill;
  if (prefill.tokens() <= 0.0) {
    return;
  }
  const double window =
      kept_tokens(layer.model(), span, prefill.cached_tokens + prefill.new_tokens);
  const double keys = prefill.cached_tokens + prefill.new_tokens;
  const double queries = prefill.new_tokens / static_cast<double>(slice.context_shards);
  if (!slice.flash_attention) {
    prefill.new_tokens = queries;
    add_scores(layer, widths, prefill, std::min(keys, prefill.cached_tokens + window),
               widths.heads / widths.kv_heads);
    return;
  }
  PrefillAttention op;
  op.name = span == AttentionSpan::window ? "window prompt attention" : "prompt attention";
  op.sequence = queries;
  op.key_sequence = keys;
  op.batch_heads = prefill.sequences * widths.heads;
  op.batch_kv_heads = prefill.sequences * widths.kv_heads;
  op.head_dim = widths.dim;
  op.value_dim = widths.value_dim;
  op.element_bytes = slice.activation_bytes;
  op.visible_share =
      visible_scores(layer.model(), span, prefill.cached_tokens, prefill.new_tokens) /
      (prefill.new_tokens * keys);
  op.most_keys = window < keys ? window : 0.0;
  op.cache_bytes = slice.cache_bytes;
  if (layer.model().sparse.on()) {
    choose(layer, op);
  }
  layer.push({Block::attention_core, op});
}

void add_decode_attention(Assembly& layer, const HeadWidths& widths, AttentionSpan span) {
  const InferenceSlice& slice = layer.slice();
  const TokenGroup& group = slice.decode;
  if (group.tokens() <= 0.0) {
    return;
  }
  const LatentAttention& latent = layer.model().latent;
  const double context = seen_tokens(layer.model(), span, group.cached_tokens + group.new_tokens) /
                         static_cast<double>(slice.context_shards * slice.cache_shards);
  const double heads = widths.heads * static_cast<double>(slice.cache_shards);
  if (!slice.flash_attention && !latent.on()) {
    add_scores(layer, widths, group, context, heads / widths.kv_heads);
    return;
  }
  DecodeAttention op;
  op.name = span == AttentionSpan::window ? "window decode attention" : "decode attention";
  op.batch = group.sequences;
  op.context = context;
  op.heads = heads;
  op.kv_heads = widths.kv_heads;
  op.head_dim = widths.dim;
  op.element_bytes = slice.cache_bytes;
  op.query_bytes = slice.activation_bytes;
  op.queries = group.new_tokens;
  if (latent.on()) {
    op.kv_heads = 1.0;
    op.head_dim = static_cast<double>(latent.kv_rank + latent.rope_dim);
    op.value_dim = static_cast<double>(latent.kv_rank);
  }
  if (const SparseAttention& sparse = layer.model().sparse; sparse.on()) {
    add_index_scores(layer, group.sequences, group.new_tokens * context, context);
    op.name = "sparse decode attention";
    op.context = std::min(
        context, static_cast<double>(sparse.top_k) / static_cast<double>(slice.context_shards));
  }
  layer.push({Block::attention_core, op});
}

// Of devices that share a cache: what each found of all heads is scaled by its part of the sum of
// exponentials, and added up in the collective; or comes from all, and is added up here.
void add_partial_outputs(Assembly& layer) {
  const InferenceSlice& slice = layer.slice();
  const CacheParts parts = cache_parts(layer.model(), slice);
  if (slice.cache_shards == 1 || parts.tokens <= 0.0) {
    return;
  }
  const bool scales = slice.partial_outputs == PartialOutputs::reduce_scatter;
  const double written = scales ? 1.0 : 1.0 / static_cast<double>(slice.cache_shards);
  layer.pointwise(scales ? "scale partial outputs" : "add partial outputs",
                  parts.tokens * parts.heads * parts.value_dim,
                  (1.0 + written) * slice.activation_bytes, 3.0);
}

// Rotary embedding and the write to the cache, where no attention kernel does them.
void add_eager_rotary(Assembly& layer, const HeadWidths& widths) {
  const TransformerModel& model = layer.model();
  const double w = layer.slice().activation_bytes;
  const double tokens = layer.slice().tokens();
  if (!model.learned_positions && model.rotary_share > 0.0) {
    const double bytes = layer.slice().composed ? composed_rotary_bytes(w) : 2.0 * w;
    layer.pointwise("rotary queries", tokens * widths.heads * widths.dim, bytes, 6.0);
    layer.pointwise("rotary keys", tokens * widths.kv_heads * widths.dim, bytes, 6.0);
  }
  layer.pointwise("write cache", tokens * widths.kv_heads * (widths.dim + widths.value_dim),
                  w + layer.slice().cache_bytes, 0.0);
}

// Latent attention. Prefill expands keys and values from the latents, of what is cached as well;
// decode attends to the latents themselves, the expansion multiplied into queries and outputs
// (DeepSeek-V2, arXiv:2405.04434, section 2.1.2).
void add_latent_matmuls(Assembly& layer, const HeadWidths& widths) {
  const InferenceSlice& slice = layer.slice();
  const AttentionShapes shapes = attention_shapes(layer.model(), widths);
  const double tokens = slice.tokens();
  if (shapes.query_down.n > 0.0) {
    layer.linear(mixer_part, "query down", tokens, shapes.query_down);
    layer.pointwise("query norm", tokens * shapes.query_down.n,
                    slice.activation_bytes + layer.written_for(mixer_part), 6.0);
  }
  layer.linear(mixer_part, shapes.query_down.n > 0.0 ? "query up" : "query", tokens,
               shapes.query_up);
  const double others =  // devices that share the cache, whose heads' queries are made here, too
      slice.own_group_queries ? static_cast<double>(slice.cache_shards) - 1.0 : 0.0;
  if (others > 0.0 && slice.decode.tokens() > 0.0) {
    layer.linear(mixer_part, "queries of other heads", slice.decode.tokens(),
                 {others * shapes.query_up.n, shapes.query_up.k});
  }
  layer.linear(mixer_part, "key value down", tokens, shapes.key_value_down);
  const double kv_rank = shapes.key_value_up.k;
  layer.pointwise("key value norm", tokens * kv_rank, 2.0 * slice.activation_bytes, 6.0);
  if (slice.prefill.tokens() > 0.0) {
    // Where latents are read as they are, they meet as many products, of new tokens alone.
    const double cached =
        prompt_reads_chosen(layer.model(), slice.prefill) ? 0.0 : slice.prefill.cached_tokens;
    const double expanded = slice.prefill.sequences * (slice.prefill.new_tokens + cached) /
                            static_cast<double>(slice.context_shards);
    layer.linear(mixer_part, "key value up", expanded, shapes.key_value_up);
  }
  if (slice.decode.tokens() > 0.0) {
    const double w = slice.activation_bytes;
    layer.matmul({.name = "absorb queries",
                  .m = slice.decode.tokens(),
                  .n = kv_rank,
                  .k = static_cast<double>(layer.model().latent.nope_dim),
                  .batch = widths.heads * (1.0 + others),
                  .input_bytes = w,
                  .output_bytes = w});
    layer.matmul({.name = "expand values",
                  .m = slice.decode.tokens(),
                  .n = widths.value_dim,
                  .k = kv_rank,
                  .batch = widths.heads,
                  .input_bytes = w,
                  .output_bytes = w});
  }
}

void add_attention(Assembly& layer, AttentionSpan span) {
  const TransformerModel& model = layer.model();
  const HeadWidths widths = head_widths(model, layer.shards());
  const AttentionShapes shapes = attention_shapes(model, widths);
  const double tokens = layer.slice().tokens();
  if (model.latent.on()) {
    add_latent_matmuls(layer, widths);
  } else {
    layer.linear(mixer_part, "query key value", tokens, shapes.query_key_value);
  }
  if (!layer.slice().fused_pointwise || !layer.slice().flash_attention) {
    add_eager_rotary(layer, widths);
  }
  if (model.sparse.on()) {
    const IndexShapes index = index_shapes(model);
    layer.linear(mixer_part, "index queries", tokens, index.queries);
    layer.linear(mixer_part, "index key", tokens, index.key);
  }
  add_prompt_attention(layer, widths, span);
  add_decode_attention(layer, widths, span);
  add_partial_outputs(layer);
  if (model.gated_attention) {
    layer.pointwise(
        "attention gate", tokens * widths.heads * widths.value_dim,
        2.0 * layer.slice().activation_bytes + layer.written_for(LinearPart::attention_output),
        10.0);
  }
  layer.linear(LinearPart::attention_output, "attention projection", tokens, shapes.projection);
}

// The mixer of a layer with a state: a prompt goes in chunks, a new token is one step of the
// recurrence; both start from the state that the tokens before have left.
void add_linear(Assembly& layer) {
  const TransformerModel& model = layer.model();
  const InferenceSlice& slice = layer.slice();
  const LinearWidths widths = linear_widths(model, layer.shards());
  const double w = slice.activation_bytes;
  const double tokens = slice.tokens();
  layer.linear(mixer_part, "linear input", tokens, widths.input);
  if (widths.convolved > 0.0) {
    // A product for each token that it reaches, an activation; those before are kept.
    const auto reach = static_cast<double>(model.linear.convolution);
    const double sequences = slice.prefill.sequences + slice.decode.sequences;
    const double bytes = 2.0 * w * (1.0 + (reach - 1.0) * sequences / tokens);
    layer.pointwise("short convolution", tokens * widths.convolved, bytes, 2.0 * reach + 8.0);
  }
  if (widths.selection.n > 0.0) {
    layer.linear(mixer_part, "selection", tokens, widths.selection);
    layer.linear(mixer_part, "step sizes", tokens, widths.gates);
  }
  const auto scan = [&](const TokenGroup& group, double shards) {
    LinearScan op = linear_scan(model, widths, group.sequences, group.new_tokens / shards);
    op.name = "linear prompt attention";
    op.element_bytes = w;
    op.carries_state = true;
    return op;
  };
  if (slice.prefill.tokens() > 0.0) {
    const LinearScan op = scan(slice.prefill, static_cast<double>(slice.context_shards));
    layer.push({Block::attention_core, op});
  }
  if (slice.decode.tokens() > 0.0) {
    LinearScan op = scan(slice.decode, 1.0);
    op.name = "linear decode attention";
    op.chunk = 1.0;
    layer.push({Block::attention_core, op});
  }
  layer.pointwise("gated norm", tokens * widths.values,
                  2.0 * w + layer.written_for(LinearPart::attention_output), 16.0);
  layer.linear(LinearPart::attention_output, "linear output", tokens, widths.output);
}

}  // namespace

std::vector<Operator> inference_layer_operators(const TransformerModel& model,
                                                const InferenceSlice& slice, LayerKind kind,
                                                AttentionSpan span, Mixer mixer) {
  Assembly layer(model, slice);
  add_norm(layer, mixer_part, "attention norm", "mlp residual");
  if (mixer == Mixer::linear) {
    add_linear(layer);
  } else {
    add_attention(layer, span);
  }
  if (kind == LayerKind::bare) {
    return layer.take();
  }
  if (!model.parallel_blocks) {
    add_norm(layer, kind == LayerKind::experts ? LinearPart::experts : LinearPart::mlp, "mlp norm",
             "attention residual");
  }
  if (kind == LayerKind::experts) {
    add_experts(layer);
  } else {
    add_mlp(layer, LinearPart::mlp, static_cast<double>(model.ffn), "mlp up", "activation",
            "mlp down");
  }
  return layer.take();
}

std::vector<Operator> inference_attention_operators(const TransformerModel& model,
                                                    const InferenceSlice& slice,
                                                    AttentionSpan span) {
  Assembly layer(model, slice);
  const HeadWidths widths = head_widths(model, layer.shards());
  add_prompt_attention(layer, widths, span);
  add_decode_attention(layer, widths, span);
  return layer.take();
}

std::vector<Operator> inference_mixer_operators(const TransformerModel& model,
                                                const InferenceSlice& slice) {
  Assembly layer(model, slice);
  add_attention(layer, AttentionSpan::whole);
  return layer.take();
}

std::vector<Operator> inference_embedding_operators(const TransformerModel& model,
                                                    const InferenceSlice& slice) {
  Assembly block(model, slice);
  if (model.patch_inputs > 0) {
    const auto inputs = static_cast<double>(model.patch_inputs);
    block.matmul({.name = "patch embedding",
                  .m = slice.tokens(),
                  .n = block.hidden(),
                  .k = inputs,
                  .input_bytes = slice.activation_bytes,
                  .output_bytes = slice.activation_bytes,
                  .weight_bytes = slice.activation_bytes});
    block.pointwise("add positions", slice.tokens() * block.hidden(), 3.0 * slice.activation_bytes,
                    1.0);
    return block.take();
  }
  const double tables = model.learned_positions ? 2.0 : 1.0;
  block.pointwise("embedding", slice.tokens() * block.hidden(),
                  tables * slice.head_bytes + slice.activation_bytes, 1.0);
  return block.take();
}

std::vector<Operator> inference_head_operators(const TransformerModel& model,
                                               const InferenceSlice& slice) {
  Assembly block(model, slice);
  const double rows = slice.prefill.sequences + slice.decode.tokens();
  const double w = slice.activation_bytes;
  const double columns = static_cast<double>(model.vocab) / block.shards();
  block.pointwise("final norm", rows * block.hidden(), 3.0 * w, 6.0);
  block.matmul({.name = "output projection",
                .m = rows,
                .n = columns,
                .k = block.hidden(),
                .input_bytes = w,
                .output_bytes = fp32_bytes,
                .weight_bytes = slice.head_bytes});
  // Every rank samples from all logits: maximum, exponentials, their sum, the choice.
  block.pointwise("sampling", rows * static_cast<double>(model.vocab), 3.0 * fp32_bytes, 10.0);
  return block.take();
}

}  // namespace scalesweep::workload
