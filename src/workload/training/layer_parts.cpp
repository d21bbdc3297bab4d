#include "workload/layer_parts.hpp"

#include <algorithm>
#include <cmath>

#include "workload/feed_forward/expert_load.hpp"

namespace scalesweep::workload {
namespace {

Operator pointwise_operator(std::string_view name, double elements, double bytes_per_element,
                            double flop_per_element, Block block) {
  return {block, Pointwise{name, elements * bytes_per_element, elements * flop_per_element}};
}

}  // namespace

LayerBuilder::LayerBuilder(const Slice& slice, bool gated_ffn)
    : slice_(slice), gated_ffn_(gated_ffn) {
  constexpr std::size_t usual_operators = 32;
  constexpr std::size_t usual_matmuls = 12;
  layer_.forward.reserve(usual_operators);
  layer_.backward.reserve(usual_operators);
  layer_.data_gradients.reserve(usual_matmuls);
  layer_.weight_gradients.reserve(usual_matmuls);
}

void LayerBuilder::forward(std::string_view name, double elements, double bytes_per_element,
                           double flop_per_element, Block block) {
  layer_.forward.push_back(
      pointwise_operator(name, elements, bytes_per_element, flop_per_element, block));
}

void LayerBuilder::backward(std::string_view name, double elements, double bytes_per_element,
                            double flop_per_element) {
  layer_.backward.push_back(
      pointwise_operator(name, elements, bytes_per_element, flop_per_element, Block::other));
}

void LayerBuilder::forward(const MatMul& op, Block block) {
  layer_.forward.push_back({block, op});
}

void LayerBuilder::backward(const MatMul& op) {
  layer_.backward.push_back({Block::other, op});
}

void LayerBuilder::attention(FlashAttention op, std::string_view backward_name, double share) {
  layer_.forward.push_back({.block = Block::attention_core, .kernel = op, .share = share});
  op.name = backward_name;
  op.backward = true;
  layer_.backward.push_back({.block = Block::other, .kernel = op, .share = share});
}

void LayerBuilder::scan(LinearScan op, std::string_view backward_name) {
  layer_.forward.push_back({.block = Block::attention_core, .kernel = op});
  op.name = backward_name;
  op.backward = true;
  layer_.backward.push_back({.block = Block::other, .kernel = op});
}

// Whether such a kernel is one with what prepares the operands.
bool LayerBuilder::prepares(Producer by) const {
  const OperandFusion fusion = slice_.operand_fusion;
  return fused() && ((by == Producer::norm && fusion != OperandFusion::nothing) ||
                     (by == Producer::activation && fusion == OperandFusion::everything));
}

void LayerBuilder::quantise(std::string_view name, double elements, Producer by,
                            std::vector<Operator>& list) const {
  const bool fused_before = prepares(by);
  if (slice_.recipe.written_before(fused_before)) {
    return;
  }
  const double bytes = slice_.recipe.reads(fused_before) * slice_.element_bytes +
                       slice_.recipe.copies * slice_.prepared_bytes();
  list.push_back(pointwise_operator(name, elements, bytes, 4.0, Block::other));
}

double LayerBuilder::operand_write_bytes(Producer by) const {
  return quantises() && slice_.recipe.written_before(prepares(by))
             ? slice_.recipe.copies * slice_.prepared_bytes()
             : slice_.element_bytes;
}

void LayerBuilder::linear(const Linear& spec) {
  const double w = slice_.element_bytes;
  const double x = spec.low_precision ? slice_.operand_bytes : w;
  const Tuning& tuning = slice_.tuning;
  if (x < w) {
    quantise("quantise", spec.batch * spec.m * spec.k, spec.input, layer_.forward);
    quantise("d quantise", spec.batch * spec.m * spec.n, spec.gradient, layer_.backward);
  }
  if (tuning.narrow() && spec.of_layer) {
    // Made operands of for either pass: none is kept.
    const double weights = spec.batch * spec.k * spec.n;
    const double bytes = frozen_bytes(tuning.frozen, w) + w;
    forward("dequantise weights", weights, bytes, 2.0);
    backward("d dequantise weights", weights, bytes, 2.0);
  }
  MatMul op{spec.forward_name, spec.m, spec.n, spec.k, spec.batch, x, w, false};
  op.column_parallel = spec.column_parallel;
  op.row_parallel = spec.row_parallel;
  op.low_precision = spec.low_precision;
  op.scaled_depth = x < w ? slice_.recipe.scaled_depth : 0.0;
  op.aligned = !spec.of_layer || x < w ||  // what is quantised is laid out for it
               (has_aligned_rows(spec.k, w) && has_aligned_rows(spec.n, w));
  forward(op, Block::other);
  op.name = spec.data_name;
  op.n = spec.k;
  op.k = spec.n;
  layer_.data_gradients.push_back(op);
  if (tuning.on()) {
    const double joined = adapted_layers(spec.forward_name, tuning, gated_ffn_);
    if (joined > 0.0) {
      adapter(spec, joined);
    }
    return;
  }
  op.name = spec.weight_name;
  op.m = spec.k;
  op.n = spec.n;
  op.k = spec.m;
  weight_gradient(op);
}

void LayerBuilder::weight_gradient(MatMul op) {
  const double w = slice_.element_bytes;
  const double g = slice_.gradient_bytes;
  op.output_bytes = fused() ? g : w;
  op.accumulates = fused();
  layer_.weight_gradients.push_back(op);
  if (!fused()) {
    backward("accumulate gradient", op.batch * op.m * op.n, w + 2.0 * g, 1.0);
  }
}

// Each of the joined layers multiplies its own part of the columns of B, rank deep. Kernels of
// their own for A and B, whose output the second adds to what the layer gives, or eager one more
// kernel (torch, PEFT); no dropout before them. Of tensor parallelism half of the work is cut, as
// in serving (estimator/reuse/adapters.hpp).
void LayerBuilder::adapter(const Linear& spec, double joined) {
  const double w = slice_.element_bytes;
  const auto rank = static_cast<double>(slice_.tuning.rank);
  const auto product = [&](std::string_view name, double m, double n, double k, bool adds) {
    return MatMul{name, m, n, k, spec.batch, w, w, adds && fused()};
  };
  forward(product("adapter shrink", spec.m, joined * rank, spec.k, false), Block::other);
  forward(product("adapter expand", spec.m, spec.n, rank, true), Block::other);
  auto& data = layer_.data_gradients;
  data.push_back(product("d adapter expand", spec.m, rank, spec.n, false));
  data.push_back(product("d adapter shrink", spec.m, spec.k, joined * rank, true));
  if (!fused()) {
    forward("add adapter", spec.m * spec.n, 3.0 * w, 2.0);
    backward("d add adapter", spec.m * spec.k, 3.0 * w, 1.0);
  }
  weight_gradient(product("w adapter expand", rank, spec.n, spec.m, false));
  weight_gradient(product("w adapter shrink", spec.k, joined * rank, spec.m, false));
}

void LayerBuilder::norm(double elements, bool for_linear, std::string_view forward_name,
                        std::string_view backward_name) {
  const double w = slice_.element_bytes;
  if (slice_.composed_norms) {
    forward(forward_name, elements, composed_norm_bytes(w), 8.0);
    backward(backward_name, elements, composed_norm_gradient_bytes(w, !slice_.tuning.on()), 24.0);
    return;
  }
  forward(forward_name, elements,
          w + operand_write_bytes(for_linear ? Producer::norm : Producer::other), 8.0);
  if (slice_.tuning.on()) {
    backward(backward_name, elements, 3.0 * w, 10.0);
    return;
  }
  if (fused()) {
    // Reads the gradient and the input, writes the gradient; the parameter gradients read both
    // again.
    backward(backward_name, elements, 5.0 * w, 16.0);
    return;
  }
  // The same, and the partial sums of the parameter gradients, which are small, added up.
  backward(backward_name, elements, 5.0 * w, 16.0);
  backward("sum norm gradients", 0.0, 0.0, 0.0);
}

HeadWidths head_widths(const TransformerModel& model, double shards) {
  const auto heads = static_cast<double>(model.heads);
  const double kv_heads = static_cast<double>(model.latent.on() ? model.heads : model.kv_heads);
  return {heads / shards, std::max(1.0, kv_heads / shards), model.query_width() / heads,
          model.output_width() / heads};
}

AttentionShapes attention_shapes(const TransformerModel& model, const HeadWidths& widths) {
  const auto hidden = static_cast<double>(model.hidden);
  const double queries = widths.heads * widths.dim;
  AttentionShapes shapes;
  shapes.projection = {hidden, widths.heads * widths.value_dim};
  if (!model.latent.on()) {
    const double gate = model.gated_attention ? widths.heads * widths.value_dim : 0.0;
    shapes.query_key_value = {queries + widths.kv_heads * (widths.dim + widths.value_dim) + gate,
                              hidden};
    return shapes;
  }
  const auto query_rank = static_cast<double>(model.latent.query_rank);
  const auto kv_rank = static_cast<double>(model.latent.kv_rank);
  const auto expanded = static_cast<double>(model.latent.nope_dim + model.latent.value_dim);
  shapes.query_down = {query_rank, hidden};
  shapes.query_up = {queries, query_rank > 0.0 ? query_rank : hidden};
  shapes.key_value_down = {kv_rank + static_cast<double>(model.latent.rope_dim), hidden};
  shapes.key_value_up = {widths.heads * expanded, kv_rank};
  return shapes;
}

LinearWidths linear_widths(const TransformerModel& model, double shards) {
  const LinearAttention& linear = model.linear;
  LinearWidths widths;
  widths.heads = static_cast<double>(linear.heads) / shards;
  widths.key_heads = std::max(1.0, static_cast<double>(linear.key_heads) / shards);
  widths.key_dim = static_cast<double>(linear.key_dim);
  widths.value_dim = static_cast<double>(linear.value_dim);
  widths.keys = widths.key_heads * widths.key_dim;
  widths.values = widths.heads * widths.value_dim;
  const auto hidden = static_cast<double>(model.hidden);
  const auto rank = static_cast<double>(linear.gate_rank);
  const double gates = static_cast<double>(linear.gates) * widths.heads;
  widths.output = {hidden, widths.values};
  if (linear.gate_rank > 0) {
    widths.input = {2.0 * widths.values, hidden};
    widths.selection = {rank + 2.0 * widths.keys, widths.values};
    widths.gates = {gates, rank};
  } else {
    widths.input = {2.0 * widths.keys + 2.0 * widths.values + gates, hidden};
  }
  if (linear.convolution > 0) {
    widths.convolved = widths.values + (linear.gate_rank > 0 ? 0.0 : 2.0 * widths.keys);
  }
  return widths;
}

LinearScan linear_scan(const TransformerModel& model, const LinearWidths& widths, double sequences,
                       double tokens) {
  LinearScan op;
  op.sequences = sequences;
  op.tokens = tokens;
  op.heads = widths.heads;
  op.key_heads = widths.key_heads;
  op.key_dim = widths.key_dim;
  op.value_dim = widths.value_dim;
  op.chunk = static_cast<double>(model.linear.chunk);
  op.delta_rule = model.linear.delta_rule;
  return op;
}

IndexShapes index_shapes(const TransformerModel& model) {
  const auto hidden = static_cast<double>(model.hidden);
  const auto rank = static_cast<double>(model.latent.query_rank);
  const auto heads = static_cast<double>(model.sparse.index_heads);
  const auto dim = static_cast<double>(model.sparse.index_dim);
  return {{heads * dim, rank > 0.0 ? rank : hidden}, {dim + heads, hidden}};
}

bool reads_chosen(const TransformerModel& model, double chosen, double visible) {
  const LatentAttention& latent = model.latent;
  if (!latent.on()) {
    return true;
  }
  const auto latents = static_cast<double>(2 * latent.kv_rank + latent.rope_dim);
  const auto expanded = static_cast<double>(latent.nope_dim + latent.rope_dim + latent.value_dim);
  return chosen * latents < visible * expanded;
}

Widths widths_of(const TransformerModel& model, const Slice& slice) {
  const HeadWidths heads = head_widths(model, static_cast<double>(slice.tensor_shards));
  Widths widths{heads};
  widths.hidden = static_cast<double>(model.hidden);
  widths.queries = heads.heads * heads.dim;
  widths.output = heads.heads * heads.value_dim;
  widths.keys = heads.kv_heads * heads.dim;
  widths.values = heads.kv_heads * heads.value_dim;
  widths.key_sequence = static_cast<double>(slice.sequence);
  widths.query_sequence = widths.key_sequence / static_cast<double>(slice.context_shards);
  return widths;
}

RoutedWork routed_work(const TransformerModel& model, const Slice& slice) {
  const Experts& experts = model.experts;
  const auto shards = static_cast<double>(slice.expert_shards);
  const auto tensor = static_cast<double>(slice.expert_tensor_shards);
  RoutedWork work;
  work.local_experts = experts_held(experts, shards, 0.0);
  work.ffn = static_cast<double>(experts.ffn) / tensor;
  work.sent = slice.routed_tokens() * static_cast<double>(experts.top_k);
  const double load = busiest_expert_load(model, slice);
  // Devices that share an expert's columns gather each other's tokens, where they differ.
  work.copies = std::min(slice.tokens(), slice.routed_tokens() * tensor) *
                static_cast<double>(experts.top_k) * load;
  return work;
}

double busiest_expert_load(const TransformerModel& model, const Slice& slice) {
  const Experts& experts = model.experts;
  if (experts.capacity > 0.0 && experts.padded) {
    return experts.capacity;
  }
  const auto shards = static_cast<double>(slice.expert_shards);
  const double load = ExpertLoads(experts, shards, 0.0).largest(slice.routed_tokens() * shards);
  return experts.capacity > 0.0 ? std::min(load, experts.capacity) : load;
}

double dropped_copies(const TransformerModel& model, const Slice& slice) {
  const Experts& experts = model.experts;
  if (!experts.on() || experts.capacity <= 0.0) {
    return 0.0;
  }
  return ExpertLoads(experts, static_cast<double>(slice.expert_shards), 0.0)
      .dropped(slice.routed_tokens(), experts.capacity);
}

}  // namespace scalesweep::workload
