// The architecture of a transformer: dense or with experts, decoder or encoder. Sizes in elements,
// as published.
#pragma once

#include <cstdint>
#include <string>

namespace scalesweep::workload {

// Multi-head latent attention (DeepSeek-AI, DeepSeek-V2, arXiv:2405.04434, section 2.1): queries,
// keys and values come out of low-rank products; a part of each head carries the positions.
struct LatentAttention {
  std::int64_t query_rank = 0;  // 0: queries are one full product
  std::int64_t kv_rank = 0;     // 0: no latent attention
  std::int64_t rope_dim = 0;   // of a query or key head, with positions; one key part for all heads
  std::int64_t nope_dim = 0;   // of a query or key head, without
  std::int64_t value_dim = 0;  // of a value head

  bool on() const { return kv_rank > 0; }
  friend bool operator==(const LatentAttention&, const LatentAttention&) = default;
};

// Mixture of experts (Shazeer et al., arXiv:1701.06538; shared experts and leading dense layers as
// in DeepSeekMoE, arXiv:2401.06066).
struct Experts {
  std::int64_t count = 0;         // routed experts a layer; 0: no experts
  std::int64_t top_k = 0;         // of them that a token goes to
  std::int64_t ffn = 0;           // width of one routed expert
  std::int64_t shared_ffn = 0;    // width of what every token passes through beside them
  std::int64_t dense_layers = 0;  // leading layers with a plain MLP instead, of the model's ffn
  std::int64_t every = 1;         // every n-th of the other layers has experts
  std::int64_t node_limit = 0;    // most nodes that a token is sent to; 0: no limit
  double capacity = 0.0;          // most tokens of an expert over the mean; 0: none is dropped
  double imbalance = 1.0;         // tokens of the busiest device over the mean

  bool on() const { return count > 0; }
  friend bool operator==(const Experts&, const Experts&) = default;
};

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
  bool causal = true;              // decoder; an encoder attends both ways
  bool parallel_blocks = false;    // attention and MLP side by side behind one norm (GPT-J, PaLM)
  LatentAttention latent;          // instead of kv_heads and head_dim where on()
  Experts experts;
  std::int64_t prediction_layers = 0;  // multi-token prediction modules (arXiv:2412.19437, 2.2)

  // How many of the layers have experts.
  std::int64_t expert_layers() const;

  // Parameters, exactly as the architecture gives them.
  double parameters() const;
  double layer_parameters() const;      // of a layer with a plain MLP
  double attention_parameters() const;  // of a layer: projections, norms and biases of both blocks
  double routed_expert_parameters() const;    // of one layer with experts: all its routed experts
  double unrouted_expert_parameters() const;  // of one layer with experts: everything else
  double embedding_parameters() const;        // input table and positions
  double head_parameters() const;             // output projection, whether or not it is tied
};

}  // namespace scalesweep::workload
