// The architecture of a dense decoder-only transformer. Sizes in elements, as published.
#pragma once

#include <cstdint>
#include <string>

namespace scalesweep::workload {

struct TransformerModel {
  std::string name;
  std::int64_t hidden = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;  // equal to heads without grouped-query attention
  std::int64_t head_dim = 0;  // hidden / heads unless published otherwise
  std::int64_t ffn = 0;       // width of the MLP
  std::int64_t vocab = 0;
  bool gated_ffn = false;  // three matrices (SwiGLU) instead of two (GELU)
  bool tied_embeddings = false;
  bool biases = true;             // linear layers and norms have bias vectors (GPT), or not (Llama)
  bool dropout = true;            // trained with dropout: masks are stored (GPT-3, Megatron)
  bool learned_positions = true;  // position embedding table (GPT), or rotary (Llama)
  std::int64_t max_positions = 0;  // context length; rows of the position table

  // Parameters, exactly as the architecture gives them.
  double parameters() const;
  double layer_parameters() const;
  double embedding_parameters() const;  // input table and positions
  double head_parameters() const;       // output projection, whether or not it is tied
};

}  // namespace scalesweep::workload
