#include "workload/model.hpp"

#include <algorithm>
#include <cmath>

namespace scalesweep::workload {
namespace {

// Low-rank projections, their norms and the full projections out of the ranks (arXiv:2405.04434,
// eqs. 9 to 19; appendix C).
double latent_parameters(const TransformerModel& model) {
  const LatentAttention& latent = model.latent;
  const auto h = static_cast<double>(model.hidden);
  const auto heads = static_cast<double>(model.heads);
  const auto query_rank = static_cast<double>(latent.query_rank);
  const auto kv_rank = static_cast<double>(latent.kv_rank);
  const auto rope = static_cast<double>(latent.rope_dim);
  const auto up = static_cast<double>(latent.nope_dim + latent.value_dim);
  const double queries = query_rank > 0
                             ? h * query_rank + query_rank + query_rank * model.query_width()
                             : h * model.query_width();
  const double keys_values = h * (kv_rank + rope) + kv_rank + kv_rank * heads * up;
  return queries + keys_values + model.output_width() * h;
}

double mlp_parameters(const TransformerModel& model, double ffn, bool biases) {
  const auto h = static_cast<double>(model.hidden);
  const double halves = model.gated_ffn ? 2.0 : 1.0;
  return (halves + 1.0) * h * ffn + (biases ? halves * ffn + h : 0.0);
}

double norm_parameters(const TransformerModel& model) {
  return (model.biases ? 2.0 : 1.0) * static_cast<double>(model.hidden);
}

}  // namespace

std::int64_t TransformerModel::expert_layers() const {
  if (!experts.on() || layers <= experts.dense_layers) {
    return 0;
  }
  return (layers - experts.dense_layers) / experts.every;
}

double TransformerModel::query_width() const {
  return static_cast<double>(heads * (latent.on() ? latent.nope_dim + latent.rope_dim : head_dim));
}

double TransformerModel::key_width() const {
  return latent.on() ? query_width() : static_cast<double>(kv_heads * head_dim);
}

double TransformerModel::value_width() const {
  return static_cast<double>(latent.on() ? heads * latent.value_dim : kv_heads * head_dim);
}

double TransformerModel::output_width() const {
  return static_cast<double>(heads * (latent.on() ? latent.value_dim : head_dim));
}

double TransformerModel::attention_parameters() const {
  const auto h = static_cast<double>(hidden);
  const double norms = (parallel_blocks ? 1.0 : 2.0) * norm_parameters(*this);
  if (latent.on()) {
    return latent_parameters(*this) + norms;
  }
  const double inputs = query_width() + key_width() + value_width();
  const double bias = (biases || qkv_biases ? inputs : 0.0) + (biases ? h : 0.0);
  return h * inputs + output_width() * h + norms + bias;
}

double TransformerModel::layer_parameters() const {
  return attention_parameters() + mlp_parameters(*this, static_cast<double>(ffn), biases);
}

double TransformerModel::routed_expert_parameters() const {
  return experts.on() ? static_cast<double>(experts.count) *
                            mlp_parameters(*this, static_cast<double>(experts.ffn), false)
                      : 0.0;
}

double TransformerModel::unrouted_expert_parameters() const {
  const double router = static_cast<double>(hidden * experts.count);
  return attention_parameters() + router +
         mlp_parameters(*this, static_cast<double>(experts.shared_ffn), false);
}

double TransformerModel::embedding_parameters() const {
  const auto h = static_cast<double>(hidden);
  const double positions = learned_positions ? static_cast<double>(max_positions) * h : 0.0;
  // An image model has a projection with biases and the class token instead of a table of tokens.
  const double inputs = patch_inputs > 0 ? (static_cast<double>(patch_inputs) + 2.0) * h
                                         : static_cast<double>(vocab) * h;
  return inputs + positions;
}

double TransformerModel::head_parameters() const {
  return static_cast<double>(vocab) * static_cast<double>(hidden);
}

double TransformerModel::prediction_parameters() const {
  const auto h = static_cast<double>(hidden);
  const double layer = expert_layers() > 0
                           ? routed_expert_parameters() + unrouted_expert_parameters()
                           : layer_parameters();
  // Norms of both inputs and of the output, the projection that joins the inputs.
  return 3.0 * norm_parameters(*this) + 2.0 * h * h + layer;
}

double TransformerModel::parameters() const {
  const auto with_experts = static_cast<double>(expert_layers());
  const double dense = (static_cast<double>(layers) - with_experts) * layer_parameters();
  return dense + with_experts * (routed_expert_parameters() + unrouted_expert_parameters()) +
         embedding_parameters() + norm_parameters(*this) +
         (tied_embeddings ? 0.0 : head_parameters());
}

double TransformerModel::active_parameters() const {
  if (!experts.on()) {
    return parameters();
  }
  const double idle = 1.0 - static_cast<double>(experts.top_k) / static_cast<double>(experts.count);
  return parameters() - static_cast<double>(expert_layers()) * idle * routed_expert_parameters();
}

TransformerModel with_layers(TransformerModel model, std::int64_t layers) {
  if (model.local.on()) {
    const double share =
        static_cast<double>(model.local.layers) / static_cast<double>(model.layers);
    model.local.layers = std::llround(share * static_cast<double>(layers));
  }
  if (layers < model.layers && model.experts.dense_layers > 0) {
    const double share =
        static_cast<double>(model.experts.dense_layers) / static_cast<double>(model.layers);
    const auto kept = static_cast<std::int64_t>(std::llround(share * static_cast<double>(layers)));
    model.experts.dense_layers = std::clamp<std::int64_t>(kept, 1, model.experts.dense_layers);
  }
  model.layers = layers;
  return model;
}

double layers_with(const TransformerModel& model, AttentionSpan span) {
  const auto local = model.local.on() ? static_cast<double>(model.local.layers) : 0.0;
  return span == AttentionSpan::window ? local : static_cast<double>(model.layers) - local;
}

double kept_tokens(const TransformerModel& model, AttentionSpan span, double context) {
  return span == AttentionSpan::window && model.local.on()
             ? std::min(context, static_cast<double>(model.local.window))
             : context;
}

double seen_tokens(const TransformerModel& model, AttentionSpan span, double context) {
  const double kept = kept_tokens(model, span, context);
  return kept < context && model.local.chunked ? 0.5 * (kept + 1.0) : kept;
}

double visible_scores(const TransformerModel& model, AttentionSpan span, double cached,
                      double tokens) {
  const double all = cached + tokens;
  const double window = kept_tokens(model, span, all);
  if (!model.causal) {
    return tokens * window;
  }
  if (window < all && model.local.chunked) {
    // Up to a token: the halves of the chunks before, and of its own as far as it reaches.
    const auto up_to = [window](double token) {
      const double chunks = std::floor(token / window);
      const double begun = token - chunks * window;
      return 0.5 * (chunks * window * window + begun * begun);
    };
    return up_to(all) - up_to(cached);
  }
  const double open = std::clamp(window - cached, 0.0, tokens);  // queries that see all before them
  return open * cached + 0.5 * open * open + (tokens - open) * window;
}

}  // namespace scalesweep::workload
