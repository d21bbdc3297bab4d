// The architecture of a transformer: dense or with experts, decoder or encoder. Sizes in elements,
// as published.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "workload/encoder/encoder.hpp"
#include "workload/mixers/mixer.hpp"

namespace scalesweep::workload {

// Multi-head latent attention (DeepSeek-AI, DeepSeek-V2, arXiv:2405.04434, section 2.1): queries,
// keys and values come out of low-rank projections; a part of each head carries the positions.
struct LatentAttention {
  std::int64_t query_rank = 0;  // 0: queries are one full projection
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
  std::int64_t groups = 0;        // of experts, that routing is limited to some of; 0: as one
  std::int64_t node_limit = 0;    // most groups that a token goes to; 0: no limit
  double capacity = 0.0;          // most tokens of an expert over the mean; 0: none is dropped
  bool padded = false;            // experts work on as many rows as their capacity
  double imbalance = 1.0;         // tokens of the busiest device over the mean, as measured
  // Instead of it, of a Zipf law of how popular experts are; 0: all alike, and chance is left
  // (expert_load.hpp).
  std::optional<double> skew = std::nullopt;
  // The same of the tokens of requests, which no loss balances as it does those of training; where
  // `skew` is not given.
  std::optional<double> request_skew = std::nullopt;
  double alike = 1.0;  // tokens that go the same way: copies of one request in a measured batch

  bool on() const { return count > 0; }
  friend bool operator==(const Experts&, const Experts&) = default;
};

// Layers that keep a state of constant size instead of keys and values. Every head has a matrix of
// key_dim x value_dim, which decays, takes the product of a key and a value from each token and is
// read by its query: Mamba-2 (Dao and Gu, arXiv:2405.21060), gated DeltaNet (Yang et al.,
// arXiv:2412.06464), Lightning attention (Qin et al., arXiv:2401.04658) and, with heads of one
// value, Mamba (Gu and Dao, arXiv:2312.00752). Its output is gated by a projection as wide as the
// values and goes through a norm.
struct LinearAttention {
  std::int64_t layers = 0;       // of the model that are such
  std::int64_t heads = 0;        // of values, a state each
  std::int64_t key_heads = 0;    // of queries and keys (Mamba-2: groups of B and C)
  std::int64_t key_dim = 0;      // of a query or key: rows of a state (Mamba-2: N)
  std::int64_t value_dim = 0;    // of a value: columns of a state (Mamba-2: P)
  std::int64_t convolution = 0;  // tokens that one over queries, keys and values reaches; 0: none
  std::int64_t gates = 0;        // numbers that a token has for a head: decay, strength of writing
  // 0: all come out of the layer's input. Else queries, keys and gates come out of the values, the
  // gates by way of so many numbers (Mamba).
  std::int64_t gate_rank = 0;
  std::int64_t chunk = 1;   // tokens that are worked on together; 1: one after the other (Mamba)
  bool delta_rule = false;  // a token writes what its key does not read already (DeltaNet)

  bool on() const { return layers > 0; }
  friend bool operator==(const LinearAttention&, const LinearAttention&) = default;
};

// Attention to the tokens that an indexer scores highest (DeepSeek Sparse Attention: DeepSeek-AI,
// DeepSeek-V3.2, arXiv:2512.02556, section 2.1). All its heads share one key a token.
struct SparseAttention {
  std::int64_t index_heads = 0;
  std::int64_t index_dim = 0;  // of a query of such a head, and of the key
  std::int64_t top_k = 0;      // tokens that a query attends to; 0: it attends to all

  bool on() const { return top_k > 0; }
  friend bool operator==(const SparseAttention&, const SparseAttention&) = default;
};

// Layers that attend to a part of the tokens before: the latest ones (Beltagy et al., Longformer,
// arXiv:2004.05150), or those of the chunk that a token stands in (Llama 4). How they alternate
// with the others is not kept: estimates need their number.
struct LocalAttention {
  std::int64_t window = 0;  // tokens: the latest ones, or of a chunk; 0: no layer is local
  std::int64_t layers = 0;  // of the model that are; the others attend to all
  bool chunked = false;     // chunks one behind the other, not the latest tokens

  bool on() const { return window > 0 && layers > 0; }
  friend bool operator==(const LocalAttention&, const LocalAttention&) = default;
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
  bool qkv_biases = false;        // queries, keys and values have them where nothing else has
  bool learned_positions = true;  // position embedding table (GPT), or rotary (Llama)
  double rotary_share = 1.0;      // of a head that rotates; 0: linear biases on scores (ALiBi)
  std::int64_t max_positions = 0;  // context length; rows of the position table
  bool causal = true;              // decoder; an encoder attends both ways
  bool parallel_blocks = false;    // attention and MLP side by side behind one norm (GPT-J, PaLM)
  std::int64_t patch_inputs =
      0;                         // values of an image patch that a projection embeds (ViT); 0: text
  bool gated_attention = false;  // outputs of attention times a projection as wide (Qwen3-Next)
  // Tokens of a document where sequences are put together of several: of these each attends to its
  // own alone. 0: a sequence is one.
  std::int64_t document = 0;
  std::int64_t bare_layers = 0;  // of those without experts, that have no MLP either (Nemotron-H)
  LocalAttention local;
  LinearAttention linear;
  SparseAttention sparse;  // of all layers that attend; none of them has a window then
  LatentAttention latent;  // instead of kv_heads and head_dim where on()
  Experts experts;
  Encoder encoder;                     // of images, whose tokens are among those of a sequence
  std::int64_t prediction_layers = 0;  // multi-token prediction modules (arXiv:2412.19437, 2.2)

  // How many of the layers have experts.
  std::int64_t expert_layers() const;

  // Of all heads, in elements a token: latent attention has its own widths.
  double query_width() const;   // queries
  double key_width() const;     // keys, as attention multiplies them
  double value_width() const;   // values, as attention multiplies them
  double output_width() const;  // what the attention projection takes

  // Of a layer with a state, in elements: of the queries or the keys of a token, of its values, of
  // what the first projection gives and of what the convolution runs over; and the state.
  double linear_key_width() const;
  double linear_value_width() const;
  double linear_input_width() const;
  double convolved_width() const;
  double state_elements() const;

  // Parameters, exactly as the architecture gives them.
  double parameters() const;                // of an encoder as well; prediction modules not counted
  double layer_parameters() const;          // of a layer without experts: the mean of them
  double attention_parameters() const;      // of a layer: projections, biases; norms of the layer
  double linear_parameters() const;         // of a layer with a state: the same
  double mixer_parameters() const;          // the mean of both kinds of layers
  double mixer_output_parameters() const;   // of these the last projection
  double routed_expert_parameters() const;  // of one layer with experts: all its routed experts
  double unrouted_expert_parameters() const;  // of one layer with experts: everything else
  double shared_expert_parameters() const;    // of one layer with experts
  double embedding_parameters() const;        // input table and positions
  double head_parameters() const;             // output projection, whether or not it is tied
  double prediction_parameters() const;       // of one module, without its shared table and head
  double active_parameters() const;           // of those, what one token passes through

  friend bool operator==(const TransformerModel&, const TransformerModel&) = default;
};

// Parameters; of the encoder those of its head are not counted.
double encoder_parameters(const Encoder& encoder);
double projector_parameters(const Encoder& encoder, std::int64_t hidden);

// The model with so many layers. A shorter one keeps its share of leading dense layers, rounded,
// and one at least if it had any; any keeps its shares of layers with local attention, with a state
// and without an MLP, rounded.
TransformerModel with_layers(TransformerModel model, std::int64_t layers);

// Layers of the model with this mixer.
double layers_with(const TransformerModel& model, Mixer mixer);

// The part of the layers without experts that have no MLP.
double bare_share(const TransformerModel& model);

// FLOP of the recurrence of a layer with a state for one token: a state decays, takes a product and
// is read, and is read once more where a token writes what it does not hold. Chunks do more.
double recurrence_flop(const TransformerModel& model);

// Layers of the model with attention of this span.
double layers_with(const TransformerModel& model, AttentionSpan span);

// Tokens that a layer of this span keeps of a context of so many.
double kept_tokens(const TransformerModel& model, AttentionSpan span, double context);

// Tokens that the last one of a context of so many attends to, itself counted. In chunks behind the
// first one it is half of one: requests are anywhere in theirs.
double seen_tokens(const TransformerModel& model, AttentionSpan span, double context);

// Pairs of a query and a key that it sees, of `tokens` queries behind `cached` tokens. Every query
// of an encoder sees a window's width, or all.
double visible_scores(const TransformerModel& model, AttentionSpan span, double cached,
                      double tokens);

// The same of those that an indexer chooses: of each query the top_k, or all before it.
double chosen_scores(const TransformerModel& model, double cached, double tokens);

}  // namespace scalesweep::workload
