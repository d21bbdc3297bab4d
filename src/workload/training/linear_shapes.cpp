#include "workload/training/linear_shapes.hpp"

#include "workload/feed_forward/expert_load.hpp"
#include "workload/layer_parts.hpp"

namespace scalesweep::workload {
namespace {

void add(LinearShapes& shapes, std::string_view gemm, const MatMulShape& shape) {
  if (shape.n > 0.0) {
    shapes.add({gemm, shape.n, shape.k});
  }
}

void add_attention_shapes(LinearShapes& shapes, const TransformerModel& model, const Slice& slice) {
  const AttentionShapes of =
      attention_shapes(model, head_widths(model, static_cast<double>(slice.tensor_shards)));
  add(shapes, "query key value", of.query_key_value);
  add(shapes, "query down", of.query_down);
  add(shapes, of.query_down.n > 0.0 ? "query up" : "query", of.query_up);
  add(shapes, "key value down", of.key_value_down);
  add(shapes, "key value up", of.key_value_up);
  if (model.sparse.on()) {
    const IndexShapes index = index_shapes(model);
    add(shapes, "index queries", index.queries);
    add(shapes, "index key", index.key);
  }
  add(shapes, "attention projection", of.projection);
}

void add_linear_shapes(LinearShapes& shapes, const TransformerModel& model, const Slice& slice) {
  const LinearWidths widths = linear_widths(model, static_cast<double>(slice.tensor_shards));
  add(shapes, "linear input", widths.input);
  add(shapes, "selection", widths.selection);
  if (widths.selection.n > 0.0) {
    add(shapes, "step sizes", widths.gates);
  }
  add(shapes, "linear output", widths.output);
}

// Both matrices of an MLP of this width, `count` times.
void add_mlp_shapes(LinearShapes& shapes, const TransformerModel& model, std::string_view up,
                    std::string_view down, double ffn, double count = 1.0) {
  const auto hidden = static_cast<double>(model.hidden);
  shapes.add({up, (model.gated_ffn ? 2.0 : 1.0) * ffn, hidden, count});
  shapes.add({down, hidden, ffn, count});
}

void add_expert_shapes(LinearShapes& shapes, const TransformerModel& model, const Slice& slice) {
  const Experts& experts = model.experts;
  shapes.add({"router", static_cast<double>(experts.count), static_cast<double>(model.hidden)});
  add_mlp_shapes(shapes, model, "expert up", "expert down",
                 static_cast<double>(experts.ffn) / static_cast<double>(slice.expert_tensor_shards),
                 experts_held(experts, static_cast<double>(slice.expert_shards), 0.0));
  if (experts.shared_ffn > 0) {
    add_mlp_shapes(
        shapes, model, "shared expert up", "shared expert down",
        static_cast<double>(experts.shared_ffn) / static_cast<double>(slice.tensor_shards));
  }
}

}  // namespace

LinearShapes linear_shapes(const TransformerModel& model, const Slice& slice, LayerKind kind,
                           Mixer mixer) {
  LinearShapes shapes;
  if (mixer == Mixer::linear) {
    add_linear_shapes(shapes, model, slice);
  } else {
    add_attention_shapes(shapes, model, slice);
  }
  switch (kind) {
    case LayerKind::dense:
      add_mlp_shapes(shapes, model, "mlp up", "mlp down",
                     static_cast<double>(model.ffn) / static_cast<double>(slice.tensor_shards));
      break;
    case LayerKind::experts:
      add_expert_shapes(shapes, model, slice);
      break;
    case LayerKind::bare:
      break;
  }
  return shapes;
}

double adapter_parameters(const TransformerModel& model, const Tuning& tuning, const Slice& slice,
                          LayerKind kind, Mixer mixer) {
  double parameters = 0.0;
  for (const LinearShape& shape : linear_shapes(model, slice, kind, mixer)) {
    const double joined = adapted_layers(shape.gemm, tuning, model.gated_ffn);
    if (joined > 0.0) {
      parameters += shape.count * (joined * shape.k + shape.n);
    }
  }
  return parameters * static_cast<double>(tuning.rank);
}

}  // namespace scalesweep::workload
