#include "workload/layer.hpp"

namespace scalesweep::workload {
namespace {

// Multiply-adds of one token with the weights of one layer's attention.
double attention_weights(const TransformerModel& model) {
  const auto h = static_cast<double>(model.hidden);
  const LatentAttention& latent = model.latent;
  if (!latent.on()) {
    return h * (model.query_width() + model.key_width() + model.value_width()) +
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

}  // namespace

double model_flop_per_sequence(const TransformerModel& model, std::int64_t sequence) {
  const auto s = static_cast<double>(sequence);
  const auto h = static_cast<double>(model.hidden);
  double seen = 0.0;  // pairs of tokens, the mean of the layers; of a causal mask the whole matrix
  for (const AttentionSpan span : {AttentionSpan::whole, AttentionSpan::window}) {
    seen += layers_with(model, span) / static_cast<double>(model.layers) *
            (model.causal ? 2.0 : 1.0) * visible_scores(model, span, 0.0, s);
  }
  const double scores = 2.0 * seen * (model.query_width() + model.output_width());
  const auto layer = [&](LayerKind kind) {
    return 2.0 * s * (attention_weights(model) + mlp_weights(model, kind)) + scores;
  };
  const auto experts = static_cast<double>(model.expert_layers());
  const double dense = static_cast<double>(model.layers) - experts;
  const LayerKind last = experts > 0.0 ? LayerKind::experts : LayerKind::dense;
  const auto modules = static_cast<double>(model.prediction_layers);
  const double rows = model.patch_inputs > 0 ? 1.0 : s;  // that the head reads
  const double head = 2.0 * rows * h * static_cast<double>(model.vocab);
  const double patches = 2.0 * s * h * static_cast<double>(model.patch_inputs);
  const double predictions = modules * (layer(last) + 4.0 * s * h * h + head);
  const double with_experts = experts > 0.0 ? experts * layer(LayerKind::experts) : 0.0;
  return 3.0 * (dense * layer(LayerKind::dense) + with_experts + head + predictions) +
         2.0 * patches;
}

}  // namespace scalesweep::workload
