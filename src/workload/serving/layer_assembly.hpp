// The operators of one device in inference, as the blocks of a layer collect them.
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "workload/inference_layer.hpp"
#include "workload/layer_parts.hpp"
#include "workload/model.hpp"

namespace scalesweep::workload {

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

// The MLP of a layer; of a layer with experts the router, routed and shared ones, or what is left
// of them here where they are on devices of their own.
void add_mlp(Assembly& layer, LinearPart part, double ffn, std::string_view up,
             std::string_view activation, std::string_view down);
void add_experts(Assembly& layer);

}  // namespace scalesweep::workload
