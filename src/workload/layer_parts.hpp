// What layers are put together from: linear layers, norms, residuals and pointwise steps, fused or
// one kernel each. Internal to the layer.
//
// Fused (Megatron-LM with TransformerEngine, or a compiler): neighbouring pointwise steps are one
// kernel, weight gradients are added to their fp32 sums by the GEMM itself, and operands are
// quantised where a norm or an activation writes them, as far as stack and recipe do. Eager
// PyTorch: a kernel each, and gradients are added to their sums by one more.
#pragma once

#include "workload/layer.hpp"

namespace scalesweep::workload {

// Bytes of an element of `w` bytes where a library is eager and a norm or a rotation is written
// operator by operator, as in the modeling code of Hugging Face's transformers. A root mean square
// norm: cast to fp32, square, mean, scale, cast back, times its weights; its gradient is that of
// each of these as automatic differentiation gives it. A rotation: two products, half of it negated
// and joined, a sum.
constexpr double composed_norm_bytes(double w) {
  return 28.0 + 4.0 * w;
}
constexpr double composed_norm_gradient_bytes(double w, bool trained) {
  return 52.0 + (trained ? 12.0 : 8.0) * w;
}
constexpr double composed_rotary_bytes(double w) {
  return 10.0 * w;
}
constexpr double composed_rotary_gradient_bytes(double w) {
  return 17.0 * w;
}

// The kernel that makes what a linear layer reads, where no other reads it.
enum class Producer { other, norm, activation };

// y[m,n] = x[m,k] W[k,n], `batch` times. Of a layer, unless its weights lie beside all layers.
struct Linear {
  std::string_view forward_name, data_name, weight_name;
  double m = 0, n = 0, k = 0;
  double batch = 1;
  bool column_parallel = false;
  bool row_parallel = false;
  bool low_precision = true;
  bool of_layer = true;  // and not of the embedding or the head
  Producer input = Producer::other;
  Producer gradient = Producer::other;  // of the one that comes back
};

class LayerBuilder {
 public:
  explicit LayerBuilder(const Slice& slice, bool gated_ffn = false);

  LayerOperators take() { return std::move(layer_); }
  const Slice& slice() const { return slice_; }
  bool fused() const { return slice_.fused_pointwise; }
  // Linear layers multiply in fewer bytes than activations have.
  bool quantises() const { return slice_.operand_bytes < slice_.element_bytes; }

  void forward(std::string_view name, double elements, double bytes_per_element,
               double flop_per_element, Block block = Block::other);
  void backward(std::string_view name, double elements, double bytes_per_element,
                double flop_per_element);
  void forward(const MatMul& op, Block block);
  void backward(const MatMul& op);
  // In so many of the layers alike.
  void attention(FlashAttention op, std::string_view backward_name, double share);
  void scan(LinearScan op, std::string_view backward_name);

  void linear(const Linear& spec);
  // A norm over `elements`; `for_linear`: linear layers alone read what it writes.
  void norm(double elements, bool for_linear, std::string_view forward_name,
            std::string_view backward_name);
  // Bytes per element that such a kernel writes for a linear layer: as activations, or quantised
  // both ways round, since forward and weight gradient multiply along different axes.
  double operand_write_bytes(Producer by) const;

 private:
  bool prepares(Producer by) const;
  void quantise(std::string_view name, double elements, Producer by,
                std::vector<Operator>& list) const;
  void weight_gradient(MatMul op);
  // Beside weights that stay as they are: y += (x A) B, `joined` times side by side.
  void adapter(const Linear& spec, double joined);

  Slice slice_;
  bool gated_ffn_;
  LayerOperators layer_;
};

// Heads of one device. Where there are fewer key/value heads than shards, every shard holds a whole
// one; latent attention has as many of them as of queries.
struct HeadWidths {
  double heads = 1, kv_heads = 1;
  double dim = 0, value_dim = 0;  // elements of a head: of queries and keys, of values and outputs
};
HeadWidths head_widths(const TransformerModel& model, double shards);

// The GEMMs of an attention block on one device: `n` elements of a token out of `k`.
struct MatMulShape {
  double n = 0, k = 0;
};
struct AttentionShapes {
  MatMulShape query_key_value;  // one GEMM, but of latent attention:
  MatMulShape query_down;       // n = 0: queries are the one GEMM query_up
  MatMulShape query_up;
  MatMulShape key_value_down;
  MatMulShape key_value_up;
  MatMulShape projection;
};
AttentionShapes attention_shapes(const TransformerModel& model, const HeadWidths& widths);

// Widths and counts of one device.
struct Widths : HeadWidths {
  double hidden = 0;
  double queries = 0, keys = 0, values = 0, output = 0;  // elements a token, inside the shards
  double query_sequence = 0, key_sequence = 0;           // tokens of one sequence: own, and all
};
Widths widths_of(const TransformerModel& model, const Slice& slice);

// Experts of one device, and token copies that it computes: of the busiest device if there are
// several, cut at the capacity.
struct RoutedWork {
  double local_experts = 1;
  double sent = 0;    // token copies that a device sends out
  double copies = 0;  // token copies that come to its experts
  double ffn = 0;     // width of its part of one expert
};
RoutedWork routed_work(const TransformerModel& model, const Slice& slice);

// A layer with a state, on one device. Where there are fewer key heads than shards, every shard
// holds a whole one.
struct LinearWidths {
  double heads = 0, key_heads = 0, key_dim = 0, value_dim = 0;
  double keys = 0, values = 0;  // elements a token: of queries or keys, of values
  double convolved = 0;
  MatMulShape input;      // the first projection
  MatMulShape selection;  // n = 0, or queries, keys and the rank of the gates out of the values,
  MatMulShape gates;      // and the gates out of that
  MatMulShape output;
};
LinearWidths linear_widths(const TransformerModel& model, double shards);
// The recurrence over so many new tokens of each sequence.
LinearScan linear_scan(const TransformerModel& model, const LinearWidths& widths, double sequences,
                       double tokens);

// The GEMMs of an indexer: every tensor-parallel rank chooses for all heads, and so holds it whole.
struct IndexShapes {
  MatMulShape queries;
  MatMulShape key;  // and a weight for each head
};
IndexShapes index_shapes(const TransformerModel& model);

// Attention over chosen tokens, of which latent attention has two ways: all heads read the latents,
// or keys and values are expanded and what was not chosen is masked. Whether the first does less,
// for so many pairs that are chosen and so many in all.
bool reads_chosen(const TransformerModel& model, double chosen, double visible);

void add_attention(LayerBuilder& layer, const TransformerModel& model);
void add_linear(LayerBuilder& layer, const TransformerModel& model);
void add_mlp(LayerBuilder& layer, const TransformerModel& model);
void add_experts(LayerBuilder& layer, const TransformerModel& model);

}  // namespace scalesweep::workload
