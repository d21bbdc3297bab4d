#include "workload/layer_parts.hpp"

namespace scalesweep::workload {
namespace {

// The tensors that one layer's forward pass leaves for its backward pass, in forward order.
class SavedList {
 public:
  explicit SavedList(const Slice& slice) : slice_(slice) {}

  void keep(std::string_view name, double elements, double bytes_per_element,
            Block block = Block::other) {
    tensors_.push_back({name, elements * bytes_per_element, block});
  }
  // As activations have it.
  void activation(std::string_view name, double elements) {
    keep(name, elements, slice_.element_bytes);
  }
  // Of a linear layer: quantised, the one copy that the weight gradient multiplies.
  void operand(std::string_view name, double elements) {
    keep(name, elements, slice_.operand_bytes);
  }
  bool quantised() const { return slice_.operand_bytes < slice_.element_bytes; }
  const Slice& slice() const { return slice_; }
  std::vector<SavedTensor> take() { return std::move(tensors_); }

 private:
  Slice slice_;
  std::vector<SavedTensor> tensors_;
};

void keep_attention_inputs(SavedList& saved, const TransformerModel& model, double outer) {
  const auto h = static_cast<double>(model.hidden);
  saved.activation("attention norm input", outer * h);
  if (!model.latent.on()) {
    saved.operand("query key value input", outer * h);
    return;
  }
  const auto query_rank = static_cast<double>(model.latent.query_rank);
  const auto kv_rank = static_cast<double>(model.latent.kv_rank);
  saved.operand("latent input", outer * h);
  if (query_rank > 0) {
    saved.activation("query norm input", outer * query_rank);
    saved.operand("query up input", outer * query_rank);
  }
  saved.activation("key value norm input", outer * kv_rank);
  saved.operand("key value up input", outer * kv_rank);
}

void keep_attention(SavedList& saved, const TransformerModel& model, const Widths& widths) {
  const Slice& slice = saved.slice();
  const double w = slice.element_bytes;
  const double tokens = slice.tokens();
  const double rows = static_cast<double>(slice.micro_batch) * widths.heads * widths.query_sequence;
  const double scores = rows * widths.key_sequence;
  saved.activation("queries", tokens * widths.queries);
  saved.activation("keys", tokens * widths.keys);
  saved.activation("values", tokens * widths.values);
  if (slice.flash_attention) {
    saved.keep("log-sum-exp", rows, 4.0, Block::attention_core);
    if (saved.quantised()) {
      saved.activation("attention output", tokens * widths.output);
    }
  } else {
    saved.keep("probabilities", scores, w, Block::attention_core);
    if (model.dropout) {
      saved.keep("attention dropout mask", scores, 1.0, Block::attention_core);
      saved.keep("dropped probabilities", scores, w, Block::attention_core);
    }
  }
  saved.operand("attention projection input", tokens * widths.output);
}

void keep_activation(SavedList& saved, const TransformerModel& model, double elements) {
  saved.activation("activation input", (model.gated_ffn ? 2.0 : 1.0) * elements);
  if (model.gated_ffn && !saved.slice().fused_pointwise) {
    saved.activation("gate", elements);
  }
  saved.operand("mlp down input", elements);
}

void keep_experts(SavedList& saved, const TransformerModel& model, double outer) {
  const Slice& slice = saved.slice();
  const Experts& experts = model.experts;
  const auto h = static_cast<double>(model.hidden);
  const RoutedWork work = routed_work(model, slice);
  saved.activation("router input", outer * h);
  saved.keep("router scores", outer * static_cast<double>(experts.count), 4.0);
  saved.operand("dispatched tokens", work.copies * h);
  keep_activation(saved, model, work.copies * work.ffn);
  saved.keep("routing weights", work.copies, 4.0);
  if (!slice.fused_pointwise) {
    // Fused, the activation has applied the weights already.
    saved.activation("expert output", work.sent * h);
  }
  if (experts.shared_ffn > 0) {
    if (saved.quantised()) {
      saved.operand("shared expert input", outer * h);
    }
    keep_activation(saved, model,
                    slice.tokens() * static_cast<double>(experts.shared_ffn) /
                        static_cast<double>(slice.tensor_shards));
  }
}

}  // namespace

std::vector<SavedTensor> saved_tensors(const TransformerModel& model, const Slice& slice,
                                       LayerKind kind) {
  const Widths widths = widths_of(model, slice);
  const double outer = slice.outer_tokens();
  SavedList saved(slice);
  keep_attention_inputs(saved, model, outer);
  keep_attention(saved, model, widths);
  if (model.dropout) {
    saved.keep("attention residual mask", outer * widths.hidden, 1.0);
  }
  if (!model.parallel_blocks) {
    saved.activation("mlp norm input", outer * widths.hidden);
  }
  if (kind == LayerKind::experts) {
    keep_experts(saved, model, outer);
  } else {
    if (!model.parallel_blocks) {
      saved.operand("mlp up input", outer * widths.hidden);
    }
    keep_activation(
        saved, model,
        slice.tokens() * static_cast<double>(model.ffn) / static_cast<double>(slice.tensor_shards));
  }
  if (model.dropout) {
    saved.keep("mlp residual mask", outer * widths.hidden, 1.0);
  }
  return saved.take();
}

SavedActivations saved_activations(const TransformerModel& model, const Slice& slice,
                                   LayerKind kind) {
  SavedActivations sums;
  sums.input_bytes = slice.outer_tokens() * static_cast<double>(model.hidden) * slice.element_bytes;
  for (const SavedTensor& tensor : saved_tensors(model, slice, kind)) {
    (tensor.block == Block::attention_core ? sums.attention_core_bytes : sums.other_bytes) +=
        tensor.bytes;
  }
  return sums;
}

}  // namespace scalesweep::workload
