// The mixer of a layer with a state, between its norm and its residual, and what its recurrence
// takes; its state in the cache.
#include <algorithm>

#include "workload/inference_layer.hpp"
#include "workload/layer_parts.hpp"
#include "workload/model.hpp"

namespace scalesweep::workload {
namespace {

constexpr double state_element_bytes = 4.0;  // kept in fp32 (Mamba-2 and the libraries after it)
constexpr double exponential_flop = 8.0;

// Backward each product of matrices has two, and scores and states are computed again; half as many
// (the kernels of mamba_ssm and flash-linear-attention).
constexpr double backward_repeats = 2.5;

double chunk_of(const LinearScan& op) {
  return std::min(op.chunk, op.tokens);
}
bool in_chunks(const LinearScan& op) {
  return chunk_of(op) > 1.0;
}
double state_size(const LinearScan& op) {
  return op.heads * op.key_dim * op.value_dim;
}

}  // namespace

// Of a token and a head, in multiply-adds, with chunks of L: its scores with the chunk, L N (of the
// group alone, where its heads have one), their product with the values, L P, the product of keys
// and values that the state takes and that of the query with the state, N P each (Mamba-2,
// arXiv:2405.21060, section 6; Lightning attention, arXiv:2401.04658, algorithm 1). The delta rule:
// scores of keys with keys, L N, the inverse of that triangle, L^2 / 6, its product with keys and
// values, L (N + P), and what the state holds of it, N P (gated DeltaNet, arXiv:2412.06464,
// section 3.3).
double LinearScan::tensor_flop() const {
  if (!in_chunks(*this)) {
    return 0.0;
  }
  const double length = chunk_of(*this);
  const double states = key_dim * value_dim;
  const double scored = (delta_rule ? heads : key_heads) * length * key_dim;
  double products = scored + heads * (length * value_dim + 2.0 * states);
  if (delta_rule) {
    products += heads * (length * (2.0 * key_dim + value_dim) + length * length / 6.0 + states);
  }
  return (backward ? backward_repeats : 1.0) * 2.0 * sequences * tokens * products;
}

// In chunks: decays, an exponential and a product for each score, and states once a chunk. Else the
// recurrence, where heads of one value have a decay for each element of their states.
double LinearScan::vector_flop() const {
  const double recurrence = delta_rule ? 7.0 : 5.0;
  const double decays = value_dim > 1.0 ? 0.0 : exponential_flop;
  const double token = in_chunks(*this) ? heads * chunk_of(*this) * (exponential_flop + 2.0) +
                                              2.0 * state_size(*this) / chunk_of(*this)
                                        : (recurrence + decays) * state_size(*this);
  return (backward ? backward_repeats : 1.0) * sequences * tokens * token;
}

// Queries, keys and values are read, outputs written; backward the gradient comes in beside them
// and three go out. States of chunks are written and read by another kernel, backward twice; so is
// what the delta rule makes of keys and values.
double LinearScan::traffic_bytes() const {
  const double all = sequences * tokens;
  const double inputs = 2.0 * key_heads * key_dim + heads * value_dim;
  const double outputs = heads * value_dim;
  const double passes = backward ? 2.0 : 1.0;
  double bytes = all * (passes * inputs + outputs) * element_bytes;
  if (in_chunks(*this)) {
    const double chunks = all / chunk_of(*this);
    bytes += passes * 2.0 * chunks * state_size(*this) * state_element_bytes;
    if (delta_rule) {
      bytes += passes * 2.0 * all * heads * (key_dim + 2.0 * value_dim) * element_bytes;
    }
  }
  return bytes + (carries_state ? 2.0 * sequences * state_size(*this) * state_element_bytes : 0.0);
}

// Sums of decays, states, their recurrence, scores and outputs; the delta rule inverts one more.
double LinearScan::launches() const {
  return !in_chunks(*this) ? 1.0 : delta_rule ? 6.0 : 5.0;
}

void add_linear(LayerBuilder& layer, const TransformerModel& model) {
  const Slice& slice = layer.slice();
  const LinearWidths widths = linear_widths(model, static_cast<double>(slice.tensor_shards));
  const double w = slice.element_bytes;
  const double tokens = slice.tokens();
  layer.linear({.forward_name = "linear input",
                .data_name = "d linear input",
                .weight_name = "w linear input",
                .m = tokens,
                .n = widths.input.n,
                .k = widths.input.k,
                .column_parallel = true,
                .input = Producer::norm});
  if (widths.convolved > 0.0) {
    // A product for each token that it reaches; an activation.
    const auto reach = static_cast<double>(model.linear.convolution);
    const double flop = 2.0 * reach + exponential_flop;
    layer.forward("short convolution", tokens * widths.convolved, 2.0 * w, flop);
    layer.backward("d short convolution", tokens * widths.convolved, 3.0 * w, 2.0 * flop);
  }
  if (widths.selection.n > 0.0) {
    layer.linear({.forward_name = "selection",
                  .data_name = "d selection",
                  .weight_name = "w selection",
                  .m = tokens,
                  .n = widths.selection.n,
                  .k = widths.selection.k});
    layer.linear({.forward_name = "step sizes",
                  .data_name = "d step sizes",
                  .weight_name = "w step sizes",
                  .m = tokens,
                  .n = widths.gates.n,
                  .k = widths.gates.k});
  }
  const auto sequences = static_cast<double>(slice.micro_batch);
  LinearScan op = linear_scan(model, widths, sequences, tokens / sequences);
  op.name = "linear attention";
  op.element_bytes = w;
  layer.scan(op, "d linear attention");
  const double values = tokens * widths.values;
  layer.forward("gated norm", values, 2.0 * w + layer.operand_write_bytes(Producer::norm), 16.0);
  layer.backward("d gated norm", values, 5.0 * w, 30.0);
  layer.linear({.forward_name = "linear output",
                .data_name = "d linear output",
                .weight_name = "w linear output",
                .m = tokens,
                .n = widths.output.n,
                .k = widths.output.k,
                .row_parallel = true,
                .input = Producer::norm});
}

double state_bytes(const TransformerModel& model, std::int64_t tensor_shards,
                   double activation_bytes) {
  const LinearWidths widths = linear_widths(model, static_cast<double>(tensor_shards));
  const auto reach = static_cast<double>(std::max<std::int64_t>(1, model.linear.convolution));
  return widths.heads * widths.key_dim * widths.value_dim * state_element_bytes +
         (reach - 1.0) * widths.convolved * activation_bytes;
}

}  // namespace scalesweep::workload
