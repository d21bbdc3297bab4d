#include "workload/inference_layer.hpp"

#include <algorithm>
#include <cmath>

#include "workload/feed_forward/expert_load.hpp"
#include "workload/layer_parts.hpp"

namespace scalesweep::workload {
namespace {

constexpr double fp32_bytes = 4.0;
constexpr LinearPart mixer_part = LinearPart::attention;

// Collects the operators of one block on one device.
class Assembly {
 public:
  Assembly(const TransformerModel& model, const InferenceSlice& slice)
      : model_(model), slice_(slice), shards_(static_cast<double>(slice.tensor_shards)) {}

  const TransformerModel& model() const { return model_; }
  const InferenceSlice& slice() const { return slice_; }
  double shards() const { return shards_; }
  double hidden() const { return static_cast<double>(model_.hidden); }
  // Tokens of a device outside the tensor-parallel blocks.
  double outer_tokens() const {
    return slice_.sequence_shards ? slice_.tokens() / shards_ : slice_.tokens();
  }

  void pointwise(std::string_view name, double elements, double bytes_per_element,
                 double flop_per_element, Block block = Block::other) {
    push({block, Pointwise{name, elements * bytes_per_element, elements * flop_per_element}});
  }

  // A linear layer: weights as they are stored, operands as they are multiplied.
  void linear(LinearPart part, std::string_view name, double m, const MatMulShape& shape,
              double batch = 1.0) {
    push({Block::other, product(part, name, m, shape, batch)});
  }

  // The same of each expert that tokens reach.
  void experts(std::string_view name, double m, const MatMulShape& shape, double reached) {
    const LinearPart part = LinearPart::experts;
    const bool narrow = slice_.linear[part].weight_bytes < slice_.activation_bytes;
    MatMul op = product(part, name, m, shape, reached);
    op.tile_rows = slice_.expert_tiles.rows(slice_.tokens() * slice_.expert_sources,
                                            static_cast<double>(model_.experts.count), narrow);
    push({Block::other, op});
  }

  // In the precision of the activations.
  void matmul(MatMul op, Block block = Block::other) {
    op.output_bytes = op.output_bytes > 0.0 ? op.output_bytes : slice_.activation_bytes;
    push({block, op});
  }

  void push(const Operator& op) { operators_.push_back(op); }

  // Bytes that a kernel writes for the linear layers of a part: quantised where it can do that on
  // the way. Those of other formats quantise for themselves.
  double written_for(LinearPart part) {
    written_for_ = part;
    const LinearFormat& format = slice_.linear[part];
    return format.recipe.written_before(slice_.fused_quantization)
               ? std::min(format.prepared_bytes(), slice_.activation_bytes)
               : slice_.activation_bytes;
  }

  // What was pushed since there were `first` of them is of this block.
  void mark(std::size_t first, Block block) {
    for (std::size_t i = first; i < operators_.size(); ++i) {
      operators_[i].block = block;
    }
  }
  std::size_t size() const { return operators_.size(); }

  std::vector<Operator> take() { return std::move(operators_); }

 private:
  // Behind what quantises its operands, where that is a kernel of its own.
  MatMul product(LinearPart part, std::string_view name, double m, const MatMulShape& shape,
                 double batch) {
    const LinearFormat& format = slice_.linear[part];
    const bool quantises = format.operand_bytes < slice_.activation_bytes;
    const bool fused =
        slice_.fused_quantization && format.takes_operands_of(slice_.linear[written_for_]);
    if (quantises && !format.recipe.written_before(fused)) {
      const double read = format.recipe.reads(fused) * slice_.activation_bytes;
      pointwise("quantise", m * batch * shape.k, read + format.prepared_bytes(), 3.0);
    }
    MatMul op{.name = name, .m = m, .n = shape.n, .k = shape.k, .batch = batch};
    op.input_bytes = format.operand_bytes;
    op.output_bytes = slice_.activation_bytes;
    op.weight_bytes = format.weight_bytes;
    op.low_precision = true;
    op.part = part;
    const double w = slice_.activation_bytes;
    op.aligned = quantises || (has_aligned_rows(shape.k, w) && has_aligned_rows(shape.n, w));
    op.scaled_depth = quantises ? format.recipe.scaled_depth : 0.0;
    return op;
  }

  const TransformerModel& model_;
  const InferenceSlice& slice_;
  double shards_;
  std::vector<Operator> operators_;
  LinearPart written_for_ = LinearPart::mlp;  // by the last kernel that could prepare operands
};

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
                         static_cast<double>(slice.context_shards);
  if (!slice.flash_attention && !latent.on()) {
    add_scores(layer, widths, group, context, widths.heads / widths.kv_heads);
    return;
  }
  DecodeAttention op;
  op.name = span == AttentionSpan::window ? "window decode attention" : "decode attention";
  op.batch = group.sequences;
  op.context = context;
  op.heads = widths.heads;
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
                  .batch = widths.heads,
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

// Gate and up projection are one GEMM; the activation and their product one kernel.
double halves_of(const TransformerModel& model) {
  return model.gated_ffn ? 2.0 : 1.0;
}

void add_activation(Assembly& layer, LinearPart part, std::string_view name, double elements) {
  const InferenceSlice& slice = layer.slice();
  const double w = slice.activation_bytes;
  const double written = layer.written_for(part);
  const double halves = halves_of(layer.model());
  if (!slice.fused_pointwise && halves > 1.0) {
    layer.pointwise("silu", elements, 2.0 * w, 6.0);
    layer.pointwise(name, elements, 2.0 * w + written, 1.0);
    return;
  }
  layer.pointwise(name, elements, halves * w + written, 8.0);
}

void add_mlp(Assembly& layer, LinearPart part, double ffn, std::string_view up,
             std::string_view activation, std::string_view down) {
  const double tokens = layer.slice().tokens();
  const double width = ffn / layer.shards();
  if (layer.slice().composed) {
    layer.linear(part, up, tokens, {width, layer.hidden()}, halves_of(layer.model()));
  } else {
    layer.linear(part, up, tokens, {halves_of(layer.model()) * width, layer.hidden()});
  }
  add_activation(layer, part, activation, tokens * width);
  layer.linear(part, down, tokens, {layer.hidden(), width});
}

ExpertLoads loads_of(const TransformerModel& model, const InferenceSlice& slice) {
  Experts experts = model.experts;
  if (!experts.skew) {
    experts.skew = experts.request_skew;
  }
  return {experts, static_cast<double>(slice.expert_shards), slice.redundant_experts};
}

// Experts that this iteration reaches are read, the others are not.
void add_experts(Assembly& layer) {
  const InferenceSlice& slice = layer.slice();
  const Experts& experts = layer.model().experts;
  const double w = slice.activation_bytes;
  const double own = layer.outer_tokens();
  const auto count = static_cast<double>(experts.count);
  const auto top_k = static_cast<double>(experts.top_k);
  layer.matmul({.name = "router",
                .m = own,
                .n = count,
                .k = layer.hidden(),
                .input_bytes = w,
                .output_bytes = fp32_bytes});
  layer.pointwise("choose experts", own * count, 2.0 * fp32_bytes, 10.0);

  const auto spread = static_cast<double>(slice.expert_shards);
  const ExpertLoads loads = loads_of(layer.model(), slice);
  const double sources = slice.shared_tokens();
  const double reached = loads.reached(sources);
  const double copies = sources * top_k / spread * loads.largest(sources);
  const double width =
      static_cast<double>(experts.ffn) / static_cast<double>(slice.expert_tensor_shards);
  layer.pointwise("dispatch", (own + copies) * layer.hidden(), w, 0.0);
  layer.experts("expert up", copies / reached, {halves_of(layer.model()) * width, layer.hidden()},
                reached);
  add_activation(layer, LinearPart::experts, "expert activation", copies * width);
  layer.experts("expert down", copies / reached, {layer.hidden(), width}, reached);
  layer.pointwise("combine", (own + copies) * layer.hidden(), w, 1.0);
  if (experts.shared_ffn > 0) {
    const std::size_t first = layer.size();
    add_mlp(layer, LinearPart::shared_experts, static_cast<double>(experts.shared_ffn),
            "shared expert up", "shared expert activation", "shared expert down");
    layer.mark(first, Block::shared_experts);
  }
}

}  // namespace

double cache_elements(const TransformerModel& model, std::int64_t tensor_shards) {
  const double index = model.sparse.on() ? static_cast<double>(model.sparse.index_dim) : 0.0;
  if (model.latent.on()) {
    return static_cast<double>(model.latent.kv_rank + model.latent.rope_dim) + index;
  }
  const HeadWidths widths = head_widths(model, static_cast<double>(tensor_shards));
  return widths.kv_heads * (widths.dim + widths.value_dim) + index;
}

double state_bytes(const TransformerModel& model, std::int64_t tensor_shards,
                   double activation_bytes) {
  const LinearWidths widths = linear_widths(model, static_cast<double>(tensor_shards));
  const auto reach = static_cast<double>(std::max<std::int64_t>(1, model.linear.convolution));
  return widths.heads * widths.key_dim * widths.value_dim * fp32_bytes +
         (reach - 1.0) * widths.convolved * activation_bytes;
}

double busiest_expert_load(const TransformerModel& model, const InferenceSlice& slice) {
  return loads_of(model, slice).largest(slice.shared_tokens());
}

double inference_exchange_bytes(const TransformerModel& model, const InferenceSlice& slice) {
  if (!model.experts.on() || slice.expert_shards <= 1) {
    return 0.0;
  }
  return slice.routed_tokens() * static_cast<double>(model.experts.top_k * model.hidden) *
         slice.activation_bytes;
}

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
