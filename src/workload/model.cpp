#include "workload/model.hpp"

namespace scalesweep::workload {

std::int64_t TransformerModel::expert_layers() const {
  if (!experts.on() || layers <= experts.dense_layers) {
    return 0;
  }
  return (layers - experts.dense_layers) / experts.every;
}

double TransformerModel::layer_parameters() const {
  const auto h = static_cast<double>(hidden);
  const auto width_q = static_cast<double>(heads * head_dim);
  const auto width_kv = static_cast<double>(kv_heads * head_dim);
  const auto f = static_cast<double>(ffn);
  const double attention = h * (width_q + 2.0 * width_kv) + width_q * h;
  const double mlp = (gated_ffn ? 3.0 : 2.0) * h * f;
  const double norms = (biases ? 4.0 : 2.0) * h;
  const double bias = biases ? width_q + 2.0 * width_kv + h + (gated_ffn ? 2.0 : 1.0) * f + h : 0.0;
  return attention + mlp + norms + bias;
}

double TransformerModel::embedding_parameters() const {
  const double positions = learned_positions ? static_cast<double>(max_positions) : 0.0;
  return (static_cast<double>(vocab) + positions) * static_cast<double>(hidden);
}

double TransformerModel::head_parameters() const {
  return static_cast<double>(vocab) * static_cast<double>(hidden);
}

double TransformerModel::parameters() const {
  const double final_norm = (biases ? 2.0 : 1.0) * static_cast<double>(hidden);
  return static_cast<double>(layers) * layer_parameters() + embedding_parameters() + final_norm +
         (tied_embeddings ? 0.0 : head_parameters());
}

}  // namespace scalesweep::workload
