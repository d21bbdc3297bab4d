#include "workload/layer.hpp"

#include "workload/layer_parts.hpp"
#include "workload/model.hpp"

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

// Where tensors have the batch before the sequence, shards of the sequence do not lie one behind
// the other: what is gathered is put in order, and what is scattered is cut, by a copy each
// (torch.distributed._functional_collectives). Those around the layer's second half, or around all
// of it, stand before and behind it.
class SequenceCopies {
 public:
  SequenceCopies(LayerBuilder& layer, const TransformerModel& model, LayerKind kind)
      : layer_(layer),
        on_(layer.slice().copies_sequence_shards && layer.slice().sequence_shards &&
            layer.slice().tensor_shards > 1),
        pairs_(model.parallel_blocks || kind == LayerKind::bare ? 1 : 2),
        elements_(layer.slice().tokens() * static_cast<double>(model.hidden)) {}

  void before() {
    for (int pair = 0; on_ && pair < pairs_; ++pair) {
      layer_.forward("order gathered input", elements_, bytes(), 0.0);
      layer_.backward("order gathered gradient", elements_, bytes(), 0.0);
      layer_.backward("cut gradient to scatter", elements_, bytes(), 0.0);
      if (!layer_.slice().keeps_gathered_inputs) {
        layer_.backward("order gathered input", elements_, bytes(), 0.0);
      }
    }
  }
  void between() { cut(on_ && pairs_ > 1); }
  void behind() { cut(on_); }

 private:
  double bytes() const { return 2.0 * layer_.slice().element_bytes; }
  void cut(bool is_cut) {
    if (is_cut) {
      layer_.forward("cut sums to scatter", elements_, bytes(), 0.0, Block::reduction);
    }
  }

  LayerBuilder& layer_;
  bool on_;
  int pairs_;
  double elements_;
};

// A stack that stops early runs again what something is kept of: all up to the last linear layer,
// whose input is the last tensor that the backward pass needs (PyTorch, torch.utils.checkpoint,
// set_checkpoint_early_stop). Where the core of attention alone is repeated, recurrences are not.
void set_repeats(std::vector<Operator>& forward, const Slice& slice) {
  constexpr double every_other = 0.5;
  const bool alternate = slice.selective == SelectiveRecompute::alternate;
  bool needed = !slice.recompute_stops_early;
  for (auto op = forward.rbegin(); op != forward.rend(); ++op) {
    const bool core = op->block == Block::attention_core;
    op->full_repeats = needed ? 1.0 : 0.0;
    if (!alternate) {
      op->selective_repeats = core && !op->is<LinearScan>() ? 1.0 : 0.0;
    } else if (op->is<MatMul>() && !core) {
      op->selective_repeats = every_other;
    } else {
      const bool kept = op->is<FlashAttention>() || op->block == Block::reduction;
      op->selective_repeats = kept || !needed ? 0.0 : 1.0;
    }
    needed = needed || (op->is<MatMul>() && !core);
  }
}

}  // namespace

std::string_view LayerVariant::name() const {
  const bool linear = mixer == Mixer::linear;
  switch (kind) {
    case LayerKind::dense:
      break;
    case LayerKind::experts:
      return linear ? "linear expert layer" : "expert layer";
    case LayerKind::bare:
      return linear ? "linear layer without MLP" : "layer without MLP";
  }
  return linear ? "linear layer" : "layer";
}

LayerVariants::LayerVariants(const TransformerModel& model, LayerKind kind) {
  const double bare = kind == LayerKind::dense ? bare_share(model) : 0.0;
  const double states = layers_with(model, Mixer::linear) / static_cast<double>(model.layers);
  const auto add = [this](LayerKind one, Mixer mixer, double share) {
    if (share > 0.0) {
      variants_[size_++] = {one, mixer, share};
    }
  };
  add(kind, Mixer::attention, (1.0 - bare) * (1.0 - states));
  add(kind, Mixer::linear, (1.0 - bare) * states);
  add(LayerKind::bare, Mixer::attention, bare * (1.0 - states));
  add(LayerKind::bare, Mixer::linear, bare * states);
}

LayerOperators layer_operators(const TransformerModel& model, const Slice& slice, LayerKind kind,
                               Mixer mixer) {
  const bool experts = kind == LayerKind::experts;
  const bool bare = kind == LayerKind::bare;
  const double outer = slice.outer_tokens() * static_cast<double>(model.hidden);
  LayerBuilder layer(slice, model.gated_ffn);
  SequenceCopies copies(layer, model, kind);
  copies.before();
  if (model.parallel_blocks) {
    layer.norm(outer, !experts, "norm", "d norm");
  } else {
    layer.norm(outer, true, "attention norm", "d attention norm");
  }
  if (mixer == Mixer::linear) {
    add_linear(layer, model);
  } else {
    add_attention(layer, model);
  }
  copies.between();
  if (!model.parallel_blocks && !bare) {
    add_residual(layer, model, 1.0, "attention residual", "d attention residual");
    // A router reads what the norm writes in the activations' precision.
    layer.norm(outer, !experts, "mlp norm", "d mlp norm");
  }
  if (experts) {
    add_experts(layer, model);
  } else if (!bare) {
    add_mlp(layer, model);
  }
  if (bare) {
    add_residual(layer, model, 1.0, "attention residual", "d attention residual");
  } else if (model.parallel_blocks) {
    add_residual(layer, model, 2.0, "residual", "d residual");
  } else {
    add_residual(layer, model, 1.0, "mlp residual", "d mlp residual");
  }
  copies.behind();
  LayerOperators operators = layer.take();
  set_repeats(operators.forward, slice);
  return operators;
}

LayerOperators embedding_operators(const TransformerModel& model, const Slice& slice) {
  const double w = slice.element_bytes;
  const double elements = slice.tokens() * static_cast<double>(model.hidden);
  const bool trained = !slice.tuning.on();
  LayerBuilder layer(slice);
  if (model.patch_inputs > 0) {
    layer.linear({.forward_name = "patch embedding",
                  .data_name = "",
                  .weight_name = "w patch embedding",
                  .m = slice.tokens(),
                  .n = static_cast<double>(model.hidden),
                  .k = static_cast<double>(model.patch_inputs),
                  .low_precision = false,
                  .of_layer = false});
    layer.forward("add positions", elements, 3.0 * w, 1.0);
    if (trained) {
      layer.backward("d positions", elements, w + 2.0 * slice.gradient_bytes, 1.0);
    }
    LayerOperators operators = layer.take();
    operators.data_gradients.clear();  // nothing stands before the image
    return operators;
  }
  const double tables = model.learned_positions ? 2.0 : 1.0;
  layer.forward("embedding", elements, (tables + 1.0) * w, 1.0);
  if (trained) {
    // Scatter-add into the gradient table: reads and writes it once per token.
    layer.backward("d embedding", elements, w + 2.0 * tables * slice.gradient_bytes, 1.0);
  }
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
                .low_precision = false,
                .of_layer = false});
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
