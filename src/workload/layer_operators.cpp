#include "workload/layer.hpp"

#include "workload/layer_parts.hpp"

namespace scalesweep::workload {
namespace {

// Dropout and residual that close a block of the layer, over the outer region; `branches` of them
// meet where blocks stand side by side.
void add_residual(LayerBuilder& layer, const TransformerModel& model, double branches,
                  std::string_view forward_name, std::string_view backward_name) {
  const double w = layer.slice().element_bytes;
  const double elements = layer.slice().outer_tokens() * static_cast<double>(model.hidden);
  const double mask = model.dropout ? 1.0 : 0.0;
  if (layer.fused()) {
    const double bias_gradient = model.biases ? w : 0.0;
    layer.forward(forward_name, elements, (2.0 + branches) * w + mask, 2.0 + branches);
    layer.backward(backward_name, elements, 2.0 * w + mask + bias_gradient, 3.0);
    return;
  }
  if (model.dropout) {
    layer.forward("dropout", elements, 2.0 * w + mask, 2.0);
    layer.backward("d dropout", elements, 2.0 * w + mask, 1.0);
  }
  for (double branch = 0.0; branch < branches; ++branch) {
    layer.forward(forward_name, elements, 3.0 * w, 1.0);
    layer.backward(backward_name, elements, 3.0 * w, 1.0);
  }
}

void add_cross_entropy(LayerBuilder& layer, double logits) {
  const double w = layer.slice().element_bytes;
  if (layer.fused()) {
    // On fp32 logits: cast (read 2, write 4), maximum (read 4), exponentials in place (read 4,
    // write 4); backward scales them in place and casts back (read 4, write 2).
    layer.forward("cross entropy", logits, w + 4.0 + 4.0 + 8.0, 8.0);
    layer.backward("d cross entropy", logits, 8.0 + w, 2.0);
    return;
  }
  layer.forward("cast logits", logits, w + 4.0, 0.0);
  layer.forward("maximum of logits", logits, 4.0, 1.0);
  layer.forward("shift logits", logits, 8.0, 1.0);
  layer.forward("exponentials", logits, 8.0, 8.0);
  layer.forward("sum of exponentials", logits, 4.0, 1.0);
  layer.forward("divide by sum", logits, 8.0, 1.0);
  layer.backward("d cross entropy", logits, 8.0, 1.0);
  layer.backward("d cast logits", logits, w + 4.0, 0.0);
}

}  // namespace

LayerOperators layer_operators(const TransformerModel& model, const Slice& slice, LayerKind kind) {
  const bool experts = kind == LayerKind::experts;
  const double outer = slice.outer_tokens() * static_cast<double>(model.hidden);
  LayerBuilder layer(slice);
  if (model.parallel_blocks) {
    layer.norm(outer, !experts, "norm", "d norm");
  } else {
    layer.norm(outer, true, "attention norm", "d attention norm");
  }
  add_attention(layer, model);
  if (!model.parallel_blocks) {
    add_residual(layer, model, 1.0, "attention residual", "d attention residual");
    // A router reads what the norm writes in the activations' precision.
    layer.norm(outer, !experts, "mlp norm", "d mlp norm");
  }
  if (experts) {
    add_experts(layer, model);
  } else {
    add_mlp(layer, model);
  }
  if (model.parallel_blocks) {
    add_residual(layer, model, 2.0, "residual", "d residual");
  } else {
    add_residual(layer, model, 1.0, "mlp residual", "d mlp residual");
  }
  return layer.take();
}

LayerOperators embedding_operators(const TransformerModel& model, const Slice& slice) {
  const double w = slice.element_bytes;
  const double elements = slice.tokens() * static_cast<double>(model.hidden);
  LayerBuilder layer(slice);
  if (model.patch_inputs > 0) {
    layer.linear({.forward_name = "patch embedding",
                  .data_name = "",
                  .weight_name = "w patch embedding",
                  .m = slice.tokens(),
                  .n = static_cast<double>(model.hidden),
                  .k = static_cast<double>(model.patch_inputs),
                  .low_precision = false});
    layer.forward("add positions", elements, 3.0 * w, 1.0);
    layer.backward("d positions", elements, w + 2.0 * slice.gradient_bytes, 1.0);
    LayerOperators operators = layer.take();
    operators.data_gradients.clear();  // nothing stands before the image
    return operators;
  }
  const double tables = model.learned_positions ? 2.0 : 1.0;
  layer.forward("embedding", elements, (tables + 1.0) * w, 1.0);
  // Scatter-add into the gradient table: reads and writes it once per token.
  layer.backward("d embedding", elements, w + 2.0 * tables * slice.gradient_bytes, 1.0);
  return layer.take();
}

LayerOperators head_operators(const TransformerModel& model, const Slice& slice) {
  const auto h = static_cast<double>(model.hidden);
  const double columns =
      static_cast<double>(model.vocab) / static_cast<double>(slice.tensor_shards);
  // A classifier reads the class token of each image only.
  const double rows =
      model.patch_inputs > 0 ? static_cast<double>(slice.micro_batch) : slice.tokens();
  LayerBuilder layer(slice);
  layer.norm(slice.outer_tokens() * h, false, "final norm", "d final norm");
  // Stacks keep the head in the activations' precision where layers are quantised.
  layer.linear({.forward_name = "output projection",
                .data_name = "d output projection",
                .weight_name = "w output projection",
                .m = rows,
                .n = columns,
                .k = h,
                .column_parallel = true,
                .low_precision = false});
  add_cross_entropy(layer, rows * columns);
  return layer.take();
}

LayerOperators prediction_operators(const TransformerModel& model, const Slice& slice) {
  const auto h = static_cast<double>(model.hidden);
  const double outer = slice.outer_tokens() * h;
  LayerBuilder layer(slice);
  layer.norm(outer, false, "embedding norm", "d embedding norm");
  layer.norm(outer, false, "hidden norm", "d hidden norm");
  layer.forward("join inputs", 2.0 * outer, 2.0 * slice.element_bytes, 0.0);
  layer.backward("d join inputs", 2.0 * outer, 2.0 * slice.element_bytes, 0.0);
  layer.linear({.forward_name = "prediction projection",
                .data_name = "d prediction projection",
                .weight_name = "w prediction projection",
                .m = slice.tokens(),
                .n = h / static_cast<double>(slice.tensor_shards),
                .k = 2.0 * h,
                .column_parallel = true});
  return layer.take();
}

}  // namespace scalesweep::workload
