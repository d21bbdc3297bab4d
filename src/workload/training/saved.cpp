#include <algorithm>

#include "workload/layer_parts.hpp"
#include "workload/model.hpp"

namespace scalesweep::workload {
namespace {

// What made a tensor: decides whether selective recomputation keeps it.
enum class Maker {
  layer,      // it is the layer's input
  pointwise,  // norms, activations, copies
  gemm,
  reduction,  // between tensor-parallel ranks, where there are several: else the GEMM before it
  scores,     // the core of attention, its output apart
  attention,
};

double dropped_share(Maker maker, const Slice& slice) {
  if (slice.selective == SelectiveRecompute::attention) {
    return maker == Maker::scores ? 1.0 : 0.0;
  }
  constexpr double every_other = 0.5;
  switch (maker) {
    case Maker::layer:
      return 0.0;
    case Maker::pointwise:
      return 1.0;
    case Maker::gemm:
      return every_other;
    case Maker::reduction:
      return slice.tensor_shards > 1 ? 0.0 : every_other;
    case Maker::scores:
    case Maker::attention:
      break;
  }
  return slice.flash_attention ? 0.0 : 1.0;  // unfused, its GEMMs are batched: none is kept
}

// The tensors that one layer's forward pass leaves for its backward pass, in forward order.
class SavedList {
 public:
  SavedList(const Slice& slice, bool gated_ffn) : slice_(slice), gated_ffn_(gated_ffn) {}

  void keep(std::string_view name, double elements, double bytes_per_element, Maker maker) {
    tensors_.push_back({name, elements * bytes_per_element, dropped_share(maker, slice_)});
  }
  // As activations have it.
  void activation(std::string_view name, double elements, Maker maker) {
    keep(name, elements, slice_.element_bytes, maker);
  }
  // Of a linear layer: quantised, the one copy that the weight gradient multiplies.
  void operand(std::string_view name, double elements, Maker maker = Maker::pointwise) {
    keep(name, elements, quantised() ? slice_.prepared_bytes() : slice_.operand_bytes, maker);
  }
  // What a linear layer reads, for its weight gradient: none where its weights stay as they are,
  // but that of an adapter beside it, which reads it as activations are, and what A makes of it.
  void input(std::string_view name, std::string_view gemm, double rows, double width,
             Maker maker = Maker::pointwise) {
    const Tuning& tuning = slice_.tuning;
    if (!tuning.on()) {
      operand(name, rows * width, maker);
      return;
    }
    if (const double joined = adapted_layers(gemm, tuning, gated_ffn_); joined > 0.0) {
      activation(name, rows * width, maker);
      activation("adapter activations", rows * joined * static_cast<double>(tuning.rank),
                 Maker::gemm);
    }
  }
  bool quantised() const { return slice_.operand_bytes < slice_.element_bytes; }
  const Slice& slice() const { return slice_; }
  std::vector<SavedTensor> take() { return std::move(tensors_); }

 private:
  Slice slice_;
  bool gated_ffn_;
  std::vector<SavedTensor> tensors_;
};

// Of the input of a column-parallel layer, as it was gathered or as a rank had it.
double gathered_tokens(const Slice& slice) {
  return slice.keeps_gathered_inputs ? slice.tokens() : slice.outer_tokens();
}

// Beside its input the fp32 copy of it, and what its weights multiply.
void keep_composed_norm(SavedList& saved, double elements) {
  if (saved.slice().composed_norms) {
    saved.keep("norm input in fp32", elements, 4.0, Maker::pointwise);
    saved.activation("norm without weights", elements, Maker::pointwise);
  }
}

void keep_attention_inputs(SavedList& saved, const TransformerModel& model, double outer) {
  const auto h = static_cast<double>(model.hidden);
  saved.activation("attention norm input", outer * h, Maker::layer);
  keep_composed_norm(saved, outer * h);
  if (!model.latent.on()) {
    saved.input("query key value input", "query key value", gathered_tokens(saved.slice()), h);
    return;
  }
  const auto query_rank = static_cast<double>(model.latent.query_rank);
  const auto kv_rank = static_cast<double>(model.latent.kv_rank);
  saved.input("latent input", "key value down", outer, h);
  if (query_rank > 0) {
    saved.activation("query norm input", outer * query_rank, Maker::gemm);
    saved.input("query up input", "query up", outer, query_rank);
  }
  saved.activation("key value norm input", outer * kv_rank, Maker::gemm);
  saved.input("key value up input", "key value up", outer, kv_rank);
}

// Of a layer with a state: what is projected, convolved and read by the recurrence, and what it
// gives. Its states are computed again.
void keep_linear(SavedList& saved, const TransformerModel& model, double outer) {
  const Slice& slice = saved.slice();
  const LinearWidths widths = linear_widths(model, static_cast<double>(slice.tensor_shards));
  const double tokens = slice.tokens();
  saved.activation("attention norm input", outer * static_cast<double>(model.hidden), Maker::layer);
  saved.input("linear input", "linear input", gathered_tokens(slice),
              static_cast<double>(model.hidden));
  saved.activation("linear projections", tokens * widths.input.n, Maker::gemm);
  saved.activation("convolved", tokens * widths.convolved, Maker::pointwise);
  saved.activation("selection", tokens * widths.selection.n, Maker::gemm);
  saved.activation("step sizes", tokens * widths.gates.n, Maker::gemm);
  saved.activation("linear attention output", tokens * widths.values, Maker::pointwise);
  saved.input("linear output input", "linear output", tokens, widths.values);
}

// Of an indexer: what it multiplies, and what it chose.
void keep_index(SavedList& saved, const TransformerModel& model) {
  const IndexShapes shapes = index_shapes(model);
  const double tokens = saved.slice().tokens();
  saved.activation("index queries", tokens * shapes.queries.n, Maker::gemm);
  saved.activation("index key", tokens * shapes.key.n, Maker::gemm);
  const auto chosen = static_cast<double>(std::min(model.sparse.top_k, saved.slice().sequence));
  saved.keep("chosen tokens", tokens * chosen, 4.0, Maker::pointwise);
}

void keep_attention(SavedList& saved, const TransformerModel& model, const Widths& widths) {
  const Slice& slice = saved.slice();
  const double w = slice.element_bytes;
  const double tokens = slice.tokens();
  const double rows = static_cast<double>(slice.micro_batch) * widths.heads * widths.query_sequence;
  const double scores = rows * widths.key_sequence;
  saved.activation("queries", tokens * widths.queries, Maker::gemm);
  saved.activation("keys", tokens * widths.keys, Maker::gemm);
  saved.activation("values", tokens * widths.values, Maker::gemm);
  if (slice.flash_attention) {
    saved.keep("log-sum-exp", rows, 4.0, Maker::scores);
    if (saved.quantised() || slice.tuning.on()) {
      saved.activation("attention output", tokens * widths.output, Maker::attention);
    }
  } else {
    saved.keep("probabilities", scores, w, Maker::scores);
    if (model.dropout) {
      saved.keep("attention dropout mask", scores, 1.0, Maker::scores);
      saved.keep("dropped probabilities", scores, w, Maker::scores);
    }
  }
  if (model.gated_attention) {
    saved.activation("attention gate", tokens * widths.output, Maker::gemm);
    saved.activation("ungated output", tokens * widths.output, Maker::attention);
  }
  if (model.sparse.on()) {
    keep_index(saved, model);
  }
  // Adapters read what attention keeps.
  if (!slice.tuning.on() || !slice.flash_attention || model.gated_attention) {
    saved.input("attention projection input", "attention projection", tokens, widths.output,
                Maker::attention);
  }
}

void keep_activation(SavedList& saved, const TransformerModel& model, std::string_view gemm,
                     double rows, double width) {
  const double elements = rows * width;
  saved.activation("activation input", (model.gated_ffn ? 2.0 : 1.0) * elements, Maker::gemm);
  if (model.gated_ffn && !saved.slice().fused_pointwise) {
    saved.activation("gate", elements, Maker::pointwise);
  }
  saved.input("mlp down input", gemm, rows, width);
}

void keep_experts(SavedList& saved, const TransformerModel& model, double outer) {
  const Slice& slice = saved.slice();
  const Experts& experts = model.experts;
  const auto h = static_cast<double>(model.hidden);
  const RoutedWork work = routed_work(model, slice);
  if (!slice.tuning.on()) {
    saved.activation("router input", outer * h, Maker::pointwise);
  }
  saved.keep("router scores", outer * static_cast<double>(experts.count), 4.0, Maker::gemm);
  saved.input("dispatched tokens", "expert up", work.copies, h);
  keep_activation(saved, model, "expert down", work.copies, work.ffn);
  saved.keep("routing weights", work.copies, 4.0, Maker::pointwise);
  if (!slice.fused_pointwise) {
    // Fused, the activation has applied the weights already.
    saved.activation("expert output", work.sent * h, Maker::gemm);
  }
  if (experts.shared_ffn > 0) {
    if (saved.quantised() || slice.tuning.on()) {
      saved.input("shared expert input", "shared expert up", outer, h);
    }
    keep_activation(
        saved, model, "shared expert down", slice.tokens(),
        static_cast<double>(experts.shared_ffn) / static_cast<double>(slice.tensor_shards));
  }
}

}  // namespace

std::vector<SavedTensor> saved_tensors(const TransformerModel& model, const Slice& slice,
                                       LayerKind kind, Mixer mixer) {
  const Widths widths = widths_of(model, slice);
  const double outer = slice.outer_tokens();
  SavedList saved(slice, model.gated_ffn);
  if (mixer == Mixer::linear) {
    keep_linear(saved, model, outer);
  } else {
    keep_attention_inputs(saved, model, outer);
    keep_attention(saved, model, widths);
  }
  if (model.dropout) {
    saved.keep("attention residual mask", outer * widths.hidden, 1.0, Maker::pointwise);
  }
  if (kind == LayerKind::bare) {
    return saved.take();
  }
  if (!model.parallel_blocks) {
    saved.activation("mlp norm input", outer * widths.hidden, Maker::reduction);
    keep_composed_norm(saved, outer * widths.hidden);
  }
  if (kind == LayerKind::experts) {
    keep_experts(saved, model, outer);
  } else {
    if (!model.parallel_blocks) {
      saved.input("mlp up input", "mlp up", gathered_tokens(slice), widths.hidden);
    }
    keep_activation(saved, model, "mlp down", slice.tokens(),
                    static_cast<double>(model.ffn) / static_cast<double>(slice.tensor_shards));
  }
  if (model.dropout) {
    saved.keep("mlp residual mask", outer * widths.hidden, 1.0, Maker::pointwise);
  }
  return saved.take();
}

SavedActivations saved_activations(const TransformerModel& model, const Slice& slice,
                                   LayerKind kind) {
  SavedActivations sums;
  sums.input_bytes = slice.outer_tokens() * static_cast<double>(model.hidden) * slice.element_bytes;
  for (const LayerVariant& variant : LayerVariants(model, kind)) {
    double dropped = 0.0;
    double kept = 0.0;
    for (const SavedTensor& tensor : saved_tensors(model, slice, variant.kind, variant.mixer)) {
      dropped += tensor.dropped * tensor.bytes;
      kept += (1.0 - tensor.dropped) * tensor.bytes;
    }
    sums.dropped_bytes += variant.share * dropped;
    sums.kept_bytes += variant.share * kept;
    sums.most_dropped_bytes = std::max(sums.most_dropped_bytes, dropped);
    sums.most_bytes = std::max(sums.most_bytes, kept + dropped);
  }
  return sums;
}

}  // namespace scalesweep::workload
