#include "workload/encoder/encoder.hpp"
#include "workload/encoder/inputs.hpp"
#include "workload/layer.hpp"
#include "workload/model.hpp"
#include "workload/training/linear_shapes.hpp"

namespace scalesweep::workload {
namespace {

// Multiply-adds of one token with the weights of one layer's attention.
double attention_weights(const TransformerModel& model) {
  const auto h = static_cast<double>(model.hidden);
  const LatentAttention& latent = model.latent;
  if (!latent.on()) {
    const double gate = model.gated_attention ? model.output_width() : 0.0;
    return h * (model.query_width() + model.key_width() + model.value_width() + gate) +
           model.output_width() * h;
  }
  const auto query_rank = static_cast<double>(latent.query_rank);
  const auto kv_rank = static_cast<double>(latent.kv_rank);
  const auto up = static_cast<double>(model.heads * (latent.nope_dim + latent.value_dim));
  const double queries =
      query_rank > 0 ? (h + model.query_width()) * query_rank : h * model.query_width();
  return queries + h * (kv_rank + static_cast<double>(latent.rope_dim)) + kv_rank * up +
         model.output_width() * h;
}

double index_weights(const TransformerModel& model) {
  const auto h = static_cast<double>(model.hidden);
  const auto dim = static_cast<double>(model.sparse.index_dim);
  const auto heads = static_cast<double>(model.sparse.index_heads);
  const auto rank = static_cast<double>(model.latent.query_rank);
  return heads * dim * (rank > 0.0 ? rank : h) + h * (dim + heads);
}

double linear_weights(const TransformerModel& model) {
  const auto h = static_cast<double>(model.hidden);
  const auto rank = static_cast<double>(model.linear.gate_rank);
  const auto gates = static_cast<double>(model.linear.gates * model.linear.heads);
  const double values = model.linear_value_width();
  const double selection =
      rank > 0.0 ? values * (rank + 2.0 * model.linear_key_width()) + rank * gates : 0.0;
  return h * model.linear_input_width() + selection + values * h;
}

// What a layer does between its norm and its MLP: weights that each token meets, and FLOP of one
// sequence beside them.
struct MixerFlop {
  double weights = 0.0;
  double rest = 0.0;
};

// Of a causal mask the whole matrix counts; the mean of layers that attend to all and to some.
MixerFlop attention_flop(const TransformerModel& model, double s) {
  const double twice = model.causal ? 2.0 : 1.0;
  const double width = model.query_width() + model.output_width();
  MixerFlop flop = {attention_weights(model), 0.0};
  if (model.sparse.on()) {
    const auto index = static_cast<double>(model.sparse.index_heads * model.sparse.index_dim);
    const double pairs = visible_scores(model, AttentionSpan::whole, 0.0, s);
    flop.weights += index_weights(model);
    flop.rest = 2.0 * twice * (chosen_scores(model, 0.0, s) * width + pairs * index);
    return flop;
  }
  double seen = 0.0;  // pairs of tokens
  for (const AttentionSpan span : {AttentionSpan::whole, AttentionSpan::window}) {
    seen += layers_with(model, span) / layers_with(model, Mixer::attention) * twice *
            visible_scores(model, span, 0.0, s);
  }
  flop.rest = 2.0 * seen * width;
  return flop;
}

MixerFlop linear_flop(const TransformerModel& model, double s) {
  const auto convolution = static_cast<double>(model.linear.convolution);
  return {linear_weights(model) + convolution * model.convolved_width(),
          s * recurrence_flop(model)};
}

MixerFlop mixer_flop(const TransformerModel& model, double s) {
  if (!model.linear.on()) {
    return attention_flop(model, s);
  }
  MixerFlop mean;
  const auto add = [&](Mixer mixer, MixerFlop (*of)(const TransformerModel&, double)) {
    const double share = layers_with(model, mixer) / static_cast<double>(model.layers);
    if (share > 0.0) {
      const MixerFlop flop = of(model, s);
      mean.weights += share * flop.weights;
      mean.rest += share * flop.rest;
    }
  };
  add(Mixer::attention, attention_flop);
  add(Mixer::linear, linear_flop);
  return mean;
}

double mlp_weights(const TransformerModel& model, LayerKind kind) {
  const auto h = static_cast<double>(model.hidden);
  const double matrices = model.gated_ffn ? 3.0 : 2.0;
  if (kind == LayerKind::dense) {
    return matrices * h * static_cast<double>(model.ffn);
  }
  const Experts& experts = model.experts;
  return matrices * h * static_cast<double>(experts.top_k * experts.ffn + experts.shared_ffn) +
         h * static_cast<double>(experts.count);
}

// Of a layer, the mean of its kind.
double mean_adapter_parameters(const TransformerModel& model, const Tuning& tuning,
                               LayerKind kind) {
  double mean = 0.0;
  if (tuning.on()) {
    for (const LayerVariant& variant : LayerVariants(model, kind)) {
      mean +=
          variant.share * adapter_parameters(model, tuning, Slice(), variant.kind, variant.mixer);
    }
  }
  return mean;
}

// Of the images or recordings of a sequence: what is not trained has a forward pass alone.
double encoder_flop(const TransformerModel& model, const Tuning& tuning) {
  const Encoder& encoder = model.encoder;
  if (!encoder.asked()) {
    return 0.0;
  }
  const EncodedInput image = encoded_input(encoder);
  TransformerModel without_head = *encoder.model;
  without_head.vocab = 0;
  const double piece =
      model_flop_per_sequence(without_head, static_cast<std::int64_t>(image.patches));
  const double passes = tuning.trains_encoder() ? 3.0 : 1.0;
  const double projector = 3.0 * 2.0 * image.tokens * projector_parameters(encoder, model.hidden);
  return encoder.inputs * (image.pieces * passes / 3.0 * piece + projector);
}

}  // namespace

double model_flop_per_sequence(const TransformerModel& model, std::int64_t sequence,
                               const Tuning& tuning) {
  const auto s = static_cast<double>(sequence);
  const auto h = static_cast<double>(model.hidden);
  const MixerFlop mixer = mixer_flop(model, s);
  // Forward, and of each weight the gradients of its input and, where it is trained, its own.
  const double passes = tuning.on() ? 2.0 : 3.0;
  const auto layer = [&](LayerKind kind) {
    const double with = kind == LayerKind::dense ? 1.0 - bare_share(model) : 1.0;
    return passes * 2.0 * s * (mixer.weights + with * mlp_weights(model, kind)) + 3.0 * mixer.rest +
           3.0 * 2.0 * s * mean_adapter_parameters(model, tuning, kind);
  };
  const auto experts = static_cast<double>(model.expert_layers());
  const double dense = static_cast<double>(model.layers) - experts;
  const LayerKind last = experts > 0.0 ? LayerKind::experts : LayerKind::dense;
  const auto modules = static_cast<double>(model.prediction_layers);
  const double rows = model.patch_inputs > 0 ? 1.0 : s;  // that the head reads
  const double head = passes * 2.0 * rows * h * static_cast<double>(model.vocab);
  const double patches = (passes - 1.0) * 2.0 * s * h * static_cast<double>(model.patch_inputs);
  const double predictions = modules * (layer(last) + passes * 4.0 * s * h * h + head);
  const double with_experts = experts > 0.0 ? experts * layer(LayerKind::experts) : 0.0;
  return dense * layer(LayerKind::dense) + with_experts + head + predictions + patches +
         encoder_flop(model, tuning);
}

}  // namespace scalesweep::workload
