#include "workload/model.hpp"

#include <algorithm>
#include <cmath>

#include "workload/serving/model_parts.hpp"

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

// Of an indexer: queries out of their latents where there are any, one key, a weight for each head.
double index_parameters(const TransformerModel& model) {
  const SparseAttention& sparse = model.sparse;
  const auto h = static_cast<double>(model.hidden);
  const auto queries = static_cast<double>(sparse.index_heads * sparse.index_dim);
  const auto rank = static_cast<double>(model.latent.query_rank);
  return queries * (rank > 0.0 ? rank : h) +
         h * static_cast<double>(sparse.index_dim + sparse.index_heads);
}

// Of queries that see at most so many of the tokens before them.
double latest_scores(double most, double cached, double tokens) {
  const double open = std::clamp(most - cached, 0.0, tokens);  // queries that see all before them
  return open * cached + 0.5 * open * open + (tokens - open) * most;
}

double norm_parameters(const TransformerModel& model) {
  return (model.biases ? 2.0 : 1.0) * static_cast<double>(model.hidden);
}

}  // namespace

bool operator==(const Encoder& a, const Encoder& b) {
  const bool alike =
      a.model == b.model || (a.model != nullptr && b.model != nullptr && *a.model == *b.model);
  return alike && a.tiles == b.tiles && a.audio == b.audio && a.projector_ffn == b.projector_ffn &&
         a.inputs == b.inputs && a.width == b.width && a.height == b.height &&
         a.length_s == b.length_s && a.spread == b.spread && a.prompt_tokens == b.prompt_tokens;
}

double encoder_parameters(const Encoder& encoder) {
  if (!encoder.on()) {
    return 0.0;
  }
  const TransformerModel& model = *encoder.model;
  return model.parameters() - (model.tied_embeddings ? 0.0 : model.head_parameters());
}

double projector_parameters(const Encoder& encoder, std::int64_t hidden) {
  if (!encoder.on()) {
    return 0.0;
  }
  const auto h = static_cast<double>(hidden);
  const auto inputs = static_cast<double>(encoder.model->hidden * encoder.merged());
  const auto inner = static_cast<double>(encoder.projector_ffn);
  return inner > 0.0 ? (inputs + 1.0) * inner + (inner + 1.0) * h : (inputs + 1.0) * h;
}

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

double TransformerModel::linear_key_width() const {
  return static_cast<double>(linear.key_heads * linear.key_dim);
}

double TransformerModel::linear_value_width() const {
  return static_cast<double>(linear.heads * linear.value_dim);
}

double TransformerModel::linear_input_width() const {
  const double gated = 2.0 * linear_value_width();
  return linear.gate_rank > 0
             ? gated
             : gated + 2.0 * linear_key_width() + static_cast<double>(linear.gates * linear.heads);
}

double TransformerModel::convolved_width() const {
  const double keys = linear.gate_rank > 0 ? 0.0 : 2.0 * linear_key_width();
  return linear.convolution > 0 ? keys + linear_value_width() : 0.0;
}

double TransformerModel::state_elements() const {
  return static_cast<double>(linear.heads * linear.key_dim * linear.value_dim);
}

double TransformerModel::linear_parameters() const {
  const auto h = static_cast<double>(hidden);
  const auto gates = static_cast<double>(linear.gates * linear.heads);
  const auto rank = static_cast<double>(linear.gate_rank);
  const double values = linear_value_width();
  const double selection =
      rank > 0.0 ? values * (rank + 2.0 * linear_key_width()) + rank * gates : 0.0;
  // Biases of the gates and the norm of the output; constants of a head are left out (< 0.1 %).
  return h * linear_input_width() + selection +
         static_cast<double>(linear.convolution) * convolved_width() + gates + values + values * h +
         (parallel_blocks ? 1.0 : 2.0) * norm_parameters(*this);
}

double TransformerModel::mixer_parameters() const {
  if (!linear.on()) {
    return attention_parameters();
  }
  const double states = static_cast<double>(linear.layers) / static_cast<double>(layers);
  return states * linear_parameters() + (1.0 - states) * attention_parameters();
}

double TransformerModel::mixer_output_parameters() const {
  const double states =
      linear.on() ? static_cast<double>(linear.layers) / static_cast<double>(layers) : 0.0;
  const double width = states * linear_value_width() + (1.0 - states) * output_width();
  return width * static_cast<double>(hidden);
}

double TransformerModel::attention_parameters() const {
  const auto h = static_cast<double>(hidden);
  double norms = (parallel_blocks ? 1.0 : 2.0) * norm_parameters(*this);
  if (sparse.on()) {
    norms += index_parameters(*this);
  }
  if (latent.on()) {
    return latent_parameters(*this) + norms;
  }
  const double gate = gated_attention ? output_width() : 0.0;
  const double inputs = query_width() + key_width() + value_width() + gate;
  const double bias = (biases || qkv_biases ? inputs : 0.0) + (biases ? h : 0.0);
  return h * inputs + output_width() * h + norms + bias;
}

double TransformerModel::layer_parameters() const {
  const double mlp = mlp_parameters(*this, static_cast<double>(ffn), biases);
  const double bare = bare_share(*this);
  return mixer_parameters() + mlp -
         (bare > 0.0 ? bare * (mlp + (parallel_blocks ? 0.0 : norm_parameters(*this))) : 0.0);
}

double TransformerModel::routed_expert_parameters() const {
  return experts.on() ? static_cast<double>(experts.count) *
                            mlp_parameters(*this, static_cast<double>(experts.ffn), false)
                      : 0.0;
}

double TransformerModel::unrouted_expert_parameters() const {
  const double router = static_cast<double>(hidden * experts.count);
  return mixer_parameters() + router + shared_expert_parameters();
}

double TransformerModel::shared_expert_parameters() const {
  return mlp_parameters(*this, static_cast<double>(experts.shared_ffn), false);
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
         (tied_embeddings ? 0.0 : head_parameters()) + encoder_parameters(encoder) +
         projector_parameters(encoder, hidden);
}

double TransformerModel::active_parameters() const {
  if (!experts.on()) {
    return parameters();
  }
  const double idle = 1.0 - static_cast<double>(experts.top_k) / static_cast<double>(experts.count);
  return parameters() - static_cast<double>(expert_layers()) * idle * routed_expert_parameters();
}

TransformerModel with_layers(TransformerModel model, std::int64_t layers) {
  for (std::int64_t* some : {&model.local.layers, &model.linear.layers, &model.bare_layers}) {
    const double share = static_cast<double>(*some) / static_cast<double>(model.layers);
    *some = std::llround(share * static_cast<double>(layers));
  }
  model.local.layers = std::min(model.local.layers, layers - model.linear.layers);
  if (layers < model.layers && model.experts.dense_layers > 0) {
    const double share =
        static_cast<double>(model.experts.dense_layers) / static_cast<double>(model.layers);
    const auto kept = static_cast<std::int64_t>(std::llround(share * static_cast<double>(layers)));
    model.experts.dense_layers = std::clamp<std::int64_t>(kept, 1, model.experts.dense_layers);
  }
  model.layers = layers;
  return model;
}

double layers_with(const TransformerModel& model, Mixer mixer) {
  return static_cast<double>(mixer == Mixer::linear ? model.linear.layers
                                                    : model.layers - model.linear.layers);
}

double bare_share(const TransformerModel& model) {
  const std::int64_t plain = model.layers - model.expert_layers();
  return plain > 0 ? static_cast<double>(model.bare_layers) / static_cast<double>(plain) : 0.0;
}

double recurrence_flop(const TransformerModel& model) {
  return (model.linear.delta_rule ? 7.0 : 5.0) * model.state_elements();
}

double layers_with(const TransformerModel& model, AttentionSpan span) {
  const auto local = model.local.on() ? static_cast<double>(model.local.layers) : 0.0;
  return span == AttentionSpan::window ? local : layers_with(model, Mixer::attention) - local;
}

double kept_tokens(const TransformerModel& model, AttentionSpan span, double context) {
  double kept = context;
  if (span == AttentionSpan::window && model.local.on()) {
    kept = std::min(kept, static_cast<double>(model.local.window));
  }
  return model.document > 0 ? std::min(kept, static_cast<double>(model.document)) : kept;
}

double seen_tokens(const TransformerModel& model, AttentionSpan span, double context) {
  const double kept = kept_tokens(model, span, context);
  return kept < context && model.local.chunked ? 0.5 * (kept + 1.0) : kept;
}

namespace {

// Of one document.
double visible_within(const TransformerModel& model, double window, double cached, double tokens) {
  const double all = cached + tokens;
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
  return latest_scores(window, cached, tokens);
}

}  // namespace

double visible_scores(const TransformerModel& model, AttentionSpan span, double cached,
                      double tokens) {
  const double all = cached + tokens;
  const auto document = static_cast<double>(model.document);
  if (document > 0.0 && document < all) {
    return tokens / document *
           visible_within(model, kept_tokens(model, span, document), 0.0, document);
  }
  return visible_within(model, kept_tokens(model, span, all), cached, tokens);
}

double chosen_scores(const TransformerModel& model, double cached, double tokens) {
  const double own = kept_tokens(model, AttentionSpan::whole, cached + tokens);
  const auto most = static_cast<double>(model.sparse.top_k);
  if (own <= most) {
    return visible_scores(model, AttentionSpan::whole, cached, tokens);
  }
  if (!model.causal) {
    return tokens * most;
  }
  return own < cached + tokens ? tokens / own * latest_scores(most, 0.0, own)
                               : latest_scores(most, cached, tokens);
}

bool has_part(const Experts& experts, LinearPart part) {
  switch (part) {
    case LinearPart::mlp:
      return !experts.on() || experts.dense_layers > 0 || experts.every > 1;
    case LinearPart::experts:
      return experts.on();
    case LinearPart::shared_experts:
      return experts.shared_ffn > 0;
    default:
      return true;
  }
}

}  // namespace scalesweep::workload
