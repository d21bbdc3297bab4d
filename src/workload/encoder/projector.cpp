// An encoder and the projector behind it, as the operators that one device runs.
#include <utility>

#include "workload/encoder/encoder.hpp"
#include "workload/encoder/inputs.hpp"
#include "workload/inference_layer.hpp"
#include "workload/layer_parts.hpp"
#include "workload/model.hpp"

namespace scalesweep::workload {
namespace {

struct ProjectorWidths {
  double inputs = 0.0;
  double inner = 0.0;  // of one device; 0: one matrix
  double hidden = 0.0;
};

ProjectorWidths widths_of(const TransformerModel& model, std::int64_t shards) {
  const Encoder& encoder = model.encoder;
  return {static_cast<double>(encoder.model->hidden * encoder.merged()),
          static_cast<double>(encoder.projector_ffn) / static_cast<double>(shards),
          static_cast<double>(model.hidden)};
}

}  // namespace

std::vector<Operator> in_activations(std::vector<Operator> operators) {
  for (Operator& op : operators) {
    if (auto* matmul = std::get_if<MatMul>(&op.kernel)) {
      matmul->low_precision = false;
    }
  }
  return operators;
}

LayerOperators in_activations(LayerOperators operators) {
  operators.forward = in_activations(std::move(operators.forward));
  for (auto* gradients : {&operators.data_gradients, &operators.weight_gradients}) {
    for (MatMul& matmul : *gradients) {
      matmul.low_precision = false;
    }
  }
  return operators;
}

double encoded_tokens(const TransformerModel& model, const Slice& slice) {
  return encoded_tokens(model.encoder) * static_cast<double>(slice.micro_batch) /
         static_cast<double>(slice.context_shards);
}

LayerOperators projector_operators(const TransformerModel& model, const Slice& slice) {
  Slice trained = slice;
  trained.tuning = {};
  const double w = slice.element_bytes;
  const ProjectorWidths widths = widths_of(model, slice.tensor_shards);
  LayerBuilder layer(trained);
  Linear linear = {.forward_name = "projector up",
                   .data_name = "d projector up",
                   .weight_name = "w projector up",
                   .m = encoded_tokens(model, slice),
                   .n = widths.inner,
                   .k = widths.inputs,
                   .low_precision = false,
                   .of_layer = false};
  if (widths.inner > 0.0) {
    layer.linear(linear);
    layer.forward("projector activation", linear.m * widths.inner, 2.0 * w, 8.0);
    layer.backward("d projector activation", linear.m * widths.inner, 3.0 * w, 12.0);
  }
  linear.forward_name = "projector down";
  linear.data_name = "d projector down";
  linear.weight_name = "w projector down";
  linear.n = widths.hidden;
  linear.k = widths.inner > 0.0 ? widths.inner : widths.inputs;
  layer.linear(linear);
  layer.forward("place image tokens", linear.m * widths.hidden, 2.0 * w, 0.0);
  layer.backward("d place image tokens", linear.m * widths.hidden, 2.0 * w, 0.0);
  LayerOperators operators = layer.take();
  if (!slice.tuning.trains_encoder()) {
    operators.data_gradients.erase(operators.data_gradients.begin());
  }
  return operators;
}

double saved_by_projector(const TransformerModel& model, const Slice& slice) {
  const ProjectorWidths widths = widths_of(model, slice.tensor_shards);
  // Its input, and what its activation function reads and gives.
  return encoded_tokens(model, slice) * (widths.inputs + 2.0 * widths.inner) * slice.element_bytes;
}

std::vector<Operator> inference_projector_operators(const TransformerModel& model, double tokens,
                                                    std::int64_t shards, double element_bytes) {
  const ProjectorWidths widths = widths_of(model, shards);
  const auto linear = [&](std::string_view name, double n, double k) {
    MatMul op{name, tokens, n, k, 1.0, element_bytes, element_bytes, false};
    op.low_precision = false;
    return Operator{Block::other, op};
  };
  const auto pointwise = [&](std::string_view name, double elements, double flop) {
    return Operator{Block::other, Pointwise{name, 2.0 * element_bytes * elements, flop * elements}};
  };
  std::vector<Operator> operators;
  if (widths.inner > 0.0) {
    operators.push_back(linear("projector up", widths.inner, widths.inputs));
    operators.push_back(pointwise("projector activation", tokens * widths.inner, 8.0));
  }
  operators.push_back(
      linear("projector down", widths.hidden, widths.inner > 0.0 ? widths.inner : widths.inputs));
  operators.push_back(pointwise("place image tokens", tokens * widths.hidden, 0.0));
  return operators;
}

}  // namespace scalesweep::workload
