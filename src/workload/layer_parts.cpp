#include "workload/layer_parts.hpp"

#include <algorithm>

namespace scalesweep::workload {
namespace {

Operator matmul_operator(const MatMul& op, Block block) {
  Operator o;
  o.kind = Operator::Kind::matmul;
  o.block = block;
  o.matmul = op;
  return o;
}

Operator pointwise_operator(std::string_view name, double elements, double bytes_per_element,
                            double flop_per_element, Block block) {
  Operator o;
  o.kind = Operator::Kind::pointwise;
  o.block = block;
  o.pointwise = {name, elements * bytes_per_element, elements * flop_per_element};
  return o;
}

}  // namespace

LayerBuilder::LayerBuilder(const Slice& slice) : slice_(slice) {
  constexpr std::size_t usual_operators = 32;
  constexpr std::size_t usual_products = 12;
  layer_.forward.reserve(usual_operators);
  layer_.backward.reserve(usual_operators);
  layer_.data_gradients.reserve(usual_products);
  layer_.weight_gradients.reserve(usual_products);
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
  layer_.forward.push_back(matmul_operator(op, block));
}

void LayerBuilder::backward(const MatMul& op) {
  layer_.backward.push_back(matmul_operator(op, Block::other));
}

void LayerBuilder::attention(FlashAttention op) {
  Operator o;
  o.kind = Operator::Kind::flash_attention;
  o.block = Block::attention_core;
  o.flash = op;
  layer_.forward.push_back(o);
  o.block = Block::other;
  o.flash.name = "d flash attention";
  o.flash.backward = true;
  layer_.backward.push_back(o);
}

void LayerBuilder::quantise(std::string_view name, double elements,
                            std::vector<Operator>& list) const {
  const double bytes = slice_.element_bytes + 2.0 * slice_.operand_bytes;
  list.push_back(pointwise_operator(name, elements, bytes, 4.0, Block::other));
}

double LayerBuilder::operand_write_bytes(bool quantised) const {
  return quantised && quantises() && fused() ? 2.0 * slice_.operand_bytes : slice_.element_bytes;
}

void LayerBuilder::linear(const Linear& spec) {
  const double w = slice_.element_bytes;
  const double g = slice_.gradient_bytes;
  const double x = spec.low_precision ? slice_.operand_bytes : w;
  const bool quantises = x < w;
  if (quantises && !(spec.quantised_input && fused())) {
    quantise("quantise", spec.batch * spec.m * spec.k, layer_.forward);
  }
  if (quantises && !(spec.quantised_gradient && fused())) {
    quantise("d quantise", spec.batch * spec.m * spec.n, layer_.backward);
  }
  MatMul op{spec.forward_name, spec.m, spec.n, spec.k, spec.batch, x, w, false};
  op.column_parallel = spec.column_parallel;
  op.low_precision = spec.low_precision;
  forward(op, Block::other);
  op.name = spec.data_name;
  op.n = spec.k;
  op.k = spec.n;
  layer_.data_gradients.push_back(op);
  op.name = spec.weight_name;
  op.m = spec.k;
  op.n = spec.n;
  op.k = spec.m;
  op.output_bytes = fused() ? g : w;
  op.accumulates = fused();
  layer_.weight_gradients.push_back(op);
  if (!fused()) {
    backward("accumulate gradient", spec.batch * spec.k * spec.n, w + 2.0 * g, 1.0);
  }
}

void LayerBuilder::norm(double elements, bool quantised, std::string_view forward_name,
                        std::string_view backward_name) {
  const double w = slice_.element_bytes;
  forward(forward_name, elements, w + operand_write_bytes(quantised), 8.0);
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

Widths widths_of(const TransformerModel& model, const Slice& slice) {
  const auto t = static_cast<double>(slice.tensor_shards);
  Widths widths;
  widths.hidden = static_cast<double>(model.hidden);
  widths.heads = static_cast<double>(model.heads) / t;
  // Where there are fewer key/value heads than shards, every shard holds a whole one. Latent
  // attention has as many of them as of queries.
  const double all_kv_heads = static_cast<double>(model.latent.on() ? model.heads : model.kv_heads);
  widths.kv_heads = std::max(1.0, all_kv_heads / t);
  widths.queries = model.query_width() / t;
  widths.output = model.output_width() / t;
  widths.keys = widths.kv_heads * (model.key_width() / all_kv_heads);
  widths.values = widths.kv_heads * (model.value_width() / all_kv_heads);
  widths.key_sequence = static_cast<double>(slice.sequence);
  widths.query_sequence = widths.key_sequence / static_cast<double>(slice.context_shards);
  return widths;
}

RoutedWork routed_work(const TransformerModel& model, const Slice& slice) {
  const Experts& experts = model.experts;
  const auto shards = static_cast<double>(slice.expert_shards);
  const auto tensor = static_cast<double>(slice.expert_tensor_shards);
  RoutedWork work;
  work.local_experts = std::max(1.0, static_cast<double>(experts.count) / shards);
  work.ffn = static_cast<double>(experts.ffn) / tensor;
  work.sent = slice.outer_tokens() * static_cast<double>(experts.top_k);
  double load = slice.expert_shards > 1 ? experts.imbalance : 1.0;
  if (experts.capacity > 0.0) {
    load = std::min(load, experts.capacity);
  }
  // Devices that share an expert's columns gather each other's tokens, where they differ.
  work.copies = std::min(slice.tokens(), slice.outer_tokens() * tensor) *
                static_cast<double>(experts.top_k) * load;
  return work;
}

}  // namespace scalesweep::workload
