#include "workload/layer.hpp"

#include <algorithm>

namespace scalesweep::workload {
namespace {

// Elements per device of the tensors that layers are made of.
struct Sizes {
  double h, q, kv, f, sequences_heads, sequences_kv_heads, scores;
};

Sizes sizes_of(const TransformerModel& model, const Slice& slice) {
  const auto t = static_cast<double>(slice.tensor_shards);
  // Where there are fewer key/value heads than shards, every shard holds a whole one.
  const double kv_heads = std::max(1.0, static_cast<double>(model.kv_heads) / t);
  const double heads = static_cast<double>(model.heads) / t;
  const auto d = static_cast<double>(model.head_dim);
  const auto s = static_cast<double>(slice.sequence);
  const auto b = static_cast<double>(slice.micro_batch);
  Sizes z{};
  z.h = static_cast<double>(model.hidden);
  z.q = heads * d;
  z.kv = kv_heads * d;
  z.f = static_cast<double>(model.ffn) / t;
  z.sequences_heads = b * heads;
  z.sequences_kv_heads = b * kv_heads;
  z.scores = b * heads * s * s;
  return z;
}

Operator matmul(const MatMul& op, Block block = Block::other) {
  Operator o;
  o.kind = Operator::Kind::matmul;
  o.block = block;
  o.matmul = op;
  return o;
}

Operator pointwise(std::string_view name, double elements, double bytes_per_element,
                   double flop_per_element, Block block = Block::other) {
  Operator o;
  o.kind = Operator::Kind::pointwise;
  o.block = block;
  o.pointwise = {name, elements * bytes_per_element, elements * flop_per_element};
  return o;
}

// A linear layer y[m,n] = x[m,k] W[k,n]: its forward product and its two gradients.
void linear(LayerOperators& layer, const Slice& slice, std::string_view forward_name,
            std::string_view data_name, std::string_view weight_name, double m, double n,
            double k) {
  const double w = slice.element_bytes;
  const double x = slice.operand_bytes;
  layer.forward.push_back(matmul({forward_name, m, n, k, 1.0, x, w, false}));
  layer.data_gradients.push_back({data_name, m, k, n, 1.0, x, w, false});
  layer.weight_gradients.push_back({weight_name, k, n, m, 1.0, x, slice.gradient_bytes, true});
}

void unfused_attention(LayerOperators& layer, const TransformerModel& model, const Slice& slice,
                       const Sizes& z) {
  const double w = slice.element_bytes;
  const auto s = static_cast<double>(slice.sequence);
  const auto d = static_cast<double>(model.head_dim);
  const double n = z.sequences_heads;
  const Block core = Block::attention_core;
  layer.forward.push_back(matmul({"attention scores", s, s, d, n, w, w, false}, core));
  // Read scores, write probabilities; about eight operations an element with the exponential.
  layer.forward.push_back(pointwise("softmax", z.scores, 2.0 * w, 8.0, core));
  if (model.dropout) {
    layer.forward.push_back(pointwise("attention dropout", z.scores, 2.0 * w + 1.0, 2.0, core));
  }
  layer.forward.push_back(matmul({"attention values", s, d, s, n, w, w, false}, core));

  layer.backward.push_back(matmul({"d values", s, d, s, n, w, w, false}));
  layer.backward.push_back(matmul({"d probabilities", s, s, d, n, w, w, false}));
  if (model.dropout) {
    layer.backward.push_back(pointwise("d attention dropout", z.scores, 2.0 * w + 1.0, 2.0));
  }
  layer.backward.push_back(pointwise("d softmax", z.scores, 3.0 * w, 5.0));
  layer.backward.push_back(matmul({"d queries", s, d, s, n, w, w, false}));
  layer.backward.push_back(matmul({"d keys", s, d, s, n, w, w, false}));
}

void flash_attention(LayerOperators& layer, const TransformerModel& model, const Slice& slice,
                     const Sizes& z) {
  Operator o;
  o.kind = Operator::Kind::flash_attention;
  o.block = Block::attention_core;
  o.flash = {"flash attention",
             static_cast<double>(slice.sequence),
             z.sequences_heads,
             z.sequences_kv_heads,
             static_cast<double>(model.head_dim),
             slice.element_bytes,
             false};
  layer.forward.push_back(o);
  o.block = Block::other;
  o.flash.name = "d flash attention";
  o.flash.backward = true;
  layer.backward.push_back(o);
}

// Norm, and the dropout + residual that closes each block, over the outer region.
void norm(LayerOperators& layer, const Slice& slice, double elements, std::string_view forward_name,
          std::string_view backward_name) {
  const double w = slice.element_bytes;
  layer.forward.push_back(pointwise(forward_name, elements, 2.0 * w, 8.0));
  // Reads the gradient and the input, writes the gradient; the parameter gradients read both again.
  layer.backward.push_back(pointwise(backward_name, elements, 5.0 * w, 16.0));
}

void residual(LayerOperators& layer, const TransformerModel& model, const Slice& slice,
              double elements, std::string_view forward_name, std::string_view backward_name) {
  const double w = slice.element_bytes;
  const double mask = model.dropout ? 1.0 : 0.0;
  layer.forward.push_back(pointwise(forward_name, elements, 3.0 * w + mask, 3.0));
  const double bias_gradient = model.biases ? w : 0.0;
  layer.backward.push_back(pointwise(backward_name, elements, 2.0 * w + mask + bias_gradient, 3.0));
}

}  // namespace

LayerOperators layer_operators(const TransformerModel& model, const Slice& slice,
                               LayerKind /*kind*/) {
  const Sizes z = sizes_of(model, slice);
  const double tokens = slice.tokens();
  const double outer = slice.outer_tokens() * z.h;
  const double w = slice.element_bytes;
  const double halves = model.gated_ffn ? 2.0 : 1.0;

  LayerOperators layer;
  norm(layer, slice, outer, "attention norm", "d attention norm");
  linear(layer, slice, "query key value", "d query key value", "w query key value", tokens,
         z.q + 2.0 * z.kv, z.h);
  if (!model.learned_positions) {
    const double rotated = tokens * (z.q + z.kv);
    layer.forward.push_back(pointwise("rotary embedding", rotated, 2.0 * w, 6.0));
    layer.backward.push_back(pointwise("d rotary embedding", rotated, 2.0 * w, 6.0));
  }
  if (slice.flash_attention) {
    flash_attention(layer, model, slice, z);
  } else {
    unfused_attention(layer, model, slice, z);
    // Heads are put side by side again before the projection.
    layer.forward.push_back(pointwise("merge heads", tokens * z.q, 2.0 * w, 0.0));
    layer.backward.push_back(pointwise("d merge heads", tokens * z.q, 2.0 * w, 0.0));
  }
  linear(layer, slice, "attention projection", "d attention projection", "w attention projection",
         tokens, z.h, z.q);
  residual(layer, model, slice, outer, "attention residual", "d attention residual");
  norm(layer, slice, outer, "mlp norm", "d mlp norm");
  linear(layer, slice, "mlp up", "d mlp up", "w mlp up", tokens, halves * z.f, z.h);
  layer.forward.push_back(pointwise("activation", tokens * z.f, (halves + 1.0) * w, 12.0));
  layer.backward.push_back(pointwise("d activation", tokens * z.f, (1.0 + 2.0 * halves) * w, 20.0));
  linear(layer, slice, "mlp down", "d mlp down", "w mlp down", tokens, z.h, z.f);
  residual(layer, model, slice, outer, "mlp residual", "d mlp residual");
  return layer;
}

LayerOperators embedding_operators(const TransformerModel& model, const Slice& slice) {
  const double w = slice.element_bytes;
  const double elements = slice.tokens() * static_cast<double>(model.hidden);
  LayerOperators layer;
  const double tables = model.learned_positions ? 2.0 : 1.0;
  layer.forward.push_back(pointwise("embedding", elements, (tables + 1.0) * w, 1.0));
  // Scatter-add into the gradient table: reads and writes it once per token.
  layer.backward.push_back(
      pointwise("d embedding", elements, w + 2.0 * tables * slice.gradient_bytes, 1.0));
  return layer;
}

LayerOperators head_operators(const TransformerModel& model, const Slice& slice) {
  const auto h = static_cast<double>(model.hidden);
  const double columns =
      static_cast<double>(model.vocab) / static_cast<double>(slice.tensor_shards);
  const double tokens = slice.tokens();
  LayerOperators layer;
  norm(layer, slice, slice.outer_tokens() * h, "final norm", "d final norm");
  linear(layer, slice, "output projection", "d output projection", "w output projection", tokens,
         columns, h);
  // Cross-entropy on fp32 logits: cast (read 2, write 4), maximum (read 4), exponentials in place
  // (read 4, write 4); backward scales them in place and casts back (read 4, write 2).
  layer.forward.push_back(
      pointwise("cross entropy", tokens * columns, slice.element_bytes + 4.0 + 4.0 + 8.0, 8.0));
  layer.backward.push_back(
      pointwise("d cross entropy", tokens * columns, 8.0 + slice.element_bytes, 2.0));
  return layer;
}

double model_flop_per_sequence(const TransformerModel& model, std::int64_t sequence) {
  const auto s = static_cast<double>(sequence);
  const auto h = static_cast<double>(model.hidden);
  const auto q = static_cast<double>(model.heads * model.head_dim);
  const auto kv = static_cast<double>(model.kv_heads * model.head_dim);
  const double weights = h * (q + 2.0 * kv) + q * h +
                         (model.gated_ffn ? 3.0 : 2.0) * h * static_cast<double>(model.ffn);
  const double layer = 2.0 * s * weights + 4.0 * s * s * q;
  const double head = 2.0 * s * h * static_cast<double>(model.vocab);
  return 3.0 * (static_cast<double>(model.layers) * layer + head);
}

SavedActivations saved_activations(const TransformerModel& model, const Slice& slice,
                                   LayerKind /*kind*/) {
  const Sizes z = sizes_of(model, slice);
  const double w = slice.element_bytes;
  const double tokens = slice.tokens();
  const double outer = slice.outer_tokens() * z.h;
  const double mask = model.dropout ? 1.0 : 0.0;
  const double halves = model.gated_ffn ? 2.0 : 1.0;

  SavedActivations saved;
  saved.input_bytes = outer * w;
  // Input of both norms, input of both column-parallel products, both dropout masks.
  const double outer_bytes = 4.0 * outer * w + 2.0 * outer * mask;
  // Queries, keys and values; input of the projection; MLP before and after its activation.
  const double inner_bytes = tokens * w * (z.q + 2.0 * z.kv + z.q + halves * z.f + z.f);
  saved.other_bytes = outer_bytes + inner_bytes;
  if (slice.flash_attention) {
    // The log-sum-exp of each row, fp32; the output is the projection's input, counted above.
    saved.attention_core_bytes = 4.0 * z.sequences_heads * static_cast<double>(slice.sequence);
  } else {
    // Softmax output, dropout mask, dropout output (the same tensor without dropout).
    saved.attention_core_bytes = z.scores * (model.dropout ? 2.0 * w + mask : w);
  }
  return saved;
}

double expert_exchange_bytes(const TransformerModel& model, const Slice& slice) {
  return model.experts.on() ? slice.outer_tokens() * static_cast<double>(model.experts.top_k) *
                                  static_cast<double>(model.hidden) * slice.element_bytes
                            : 0.0;
}

}  // namespace scalesweep::workload
