// One transformer layer as the operators that one device runs: shapes, FLOP and bytes.
//
// Fusion assumed is that of Megatron-style stacks: bias joins the activation function and the
// dropout + residual kernel, scale + mask + softmax is one kernel; without it (eager PyTorch) each
// step is a kernel (workload/layer_parts.hpp). What a kernel costs is the estimator's business.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "workload/mixers/mixer.hpp"
#include "workload/recipe.hpp"
#include "workload/serving/linear_formats.hpp"
#include "workload/training/recompute.hpp"
#include "workload/training/tuning.hpp"

namespace scalesweep::workload {

struct TransformerModel;

// What one device holds of the work: a micro-batch of whole sequences, the model cut into
// `tensor_shards`, and the regions between the matrix blocks cut along the sequence as well if
// `sequence_shards`.
struct Slice {
  std::int64_t sequence = 1;  // tokens
  std::int64_t micro_batch = 1;
  std::int64_t tensor_shards = 1;
  bool sequence_shards = false;
  std::int64_t context_shards = 1;        // each device has this part of every sequence's tokens
  std::int64_t expert_shards = 1;         // routed experts are spread over so many devices ...
  std::int64_t expert_tensor_shards = 1;  // ... and each is cut into so many
  bool experts_over_tensor = false;       // the tensor-parallel ranks are among those devices
  double element_bytes = 2.0;             // of activations
  // Of what linear layers multiply, quantised or not; with the scales that either operand has.
  double operand_bytes = 2.0;
  double gradient_bytes = 4.0;  // of accumulated weight gradients
  Tuning tuning;                // which weights have gradients
  bool flash_attention = true;
  bool fused_pointwise = true;  // neighbouring pointwise steps are one kernel, or one each
  // Rotary positions and gated MLPs are written operator by operator; and norms.
  bool composed = false;
  bool composed_norms = false;
  OperandRecipe recipe;  // where operand_bytes are fewer than element_bytes
  OperandFusion operand_fusion = OperandFusion::everything;
  // What a stack does to recompute, and to gather and scatter sequences (training_stack.hpp).
  SelectiveRecompute selective = SelectiveRecompute::attention;
  bool recompute_stops_early = false;
  bool copies_sequence_shards = false;
  bool keeps_gathered_inputs = false;

  // Of an element of an activation, prepared for a linear layer.
  double prepared_bytes() const { return operand_bytes + recipe.activation_scale_bytes; }
  // Tokens of a device inside the tensor-parallel blocks.
  double tokens() const {
    return static_cast<double>(sequence * micro_batch) / static_cast<double>(context_shards);
  }
  // Tokens of a device in the regions outside the tensor-parallel blocks.
  double outer_tokens() const {
    return sequence_shards ? tokens() / static_cast<double>(tensor_shards) : tokens();
  }
  // Tokens whose copies a device brings to their experts: its own, or where tensor-parallel ranks
  // that have the same ones are spread over, as many on average as go to experts of its rank.
  double routed_tokens() const {
    return experts_over_tensor ? tokens() / static_cast<double>(tensor_shards) : outer_tokens();
  }

  friend bool operator==(const Slice&, const Slice&) = default;
};

// Whether rows of so many elements begin at multiples of 16 bytes, as copy engines take them.
inline bool has_aligned_rows(double elements, double element_bytes) {
  return std::fmod(elements * element_bytes, 16.0) == 0.0;
}

// C[m,n] = A[m,k] B[k,n], `batch` times. `accumulates`: C is read, added to and written.
struct MatMul {
  std::string_view name;
  double m = 0, n = 0, k = 0;
  double batch = 1;
  double input_bytes = 2.0;   // of one element of A and B
  double output_bytes = 2.0;  // of one element of C
  bool accumulates = false;
  // Rows of operands and result, as they lie in memory, are multiples of 16 bytes. Libraries pad
  // vocabularies, so that those of output projections are.
  bool aligned = true;
  // Its forward GEMM reads what all tensor-parallel ranks have (a column-parallel layer).
  bool column_parallel = false;
  // Its forward GEMM leaves partial sums, which the ranks add up (a row-parallel layer).
  bool row_parallel = false;
  // In the precision of the linear layers, or in that of the activations (attention, router).
  bool low_precision = false;
  // Of those, which one; of routed experts `batch` are reached.
  LinearPart part = LinearPart::mlp;
  // Rows of the smallest tile it is multiplied in: what they are more than `m` takes energy. 0:
  // none.
  double tile_rows = 0.0;
  // Of one element of B in memory where that is stored in fewer bytes than it is multiplied in
  // (weight-only quantised) and converted by the cores that read it; 0: as input_bytes.
  double weight_bytes = 0.0;
  // Products along K after which sums are scaled, by the vector units where the matrix units do not
  // scale blocks; 0: none.
  double scaled_depth = 0.0;

  double flop() const { return 2.0 * m * n * k * batch; }
  // With the rows that fill up tiles: of rows that vary, half a tile more than their mean.
  double multiplied_flop() const {
    return 2.0 * std::max({m, tile_rows, m + 0.5 * tile_rows}) * n * k * batch;
  }

  friend bool operator==(const MatMul&, const MatMul&) = default;
};

// A kernel that streams through DRAM.
struct Pointwise {
  std::string_view name;
  double traffic_bytes = 0;  // read and written
  double flop = 0;
};

// Fused attention: scores never leave the chip. Only the share of the scores that the mask leaves
// is computed.
struct FlashAttention {
  std::string_view name;
  double sequence = 0;     // queries
  double batch_heads = 0;  // sequences times query heads of this device
  double batch_kv_heads = 0;
  double head_dim = 0;  // of queries and keys
  double element_bytes = 2.0;
  bool backward = false;
  double key_sequence = 0;     // keys and values; 0: as many as queries
  double value_dim = 0;        // of values and output; 0: as head_dim
  double visible_share = 0.5;  // of the score matrix: a half under a causal mask, 1 without one
  double most_keys = 0;        // that a query sees; 0: all

  double keys() const { return key_sequence > 0 ? key_sequence : sequence; }
  double values() const { return value_dim > 0 ? value_dim : head_dim; }
};

// The same of a prompt, whose new keys and values go to the cache.
struct PrefillAttention : FlashAttention {
  double cache_bytes = 0;  // of an element there
};

// One new token of each of `batch` sequences over `context` tokens of its key-value cache.
struct DecodeAttention {
  std::string_view name = "decode attention";
  double batch = 1;
  double context = 0;
  double heads = 1;     // of this device
  double kv_heads = 1;  // of this device
  double head_dim = 0;
  double element_bytes = 2.0;  // of the cache
  double query_bytes = 2.0;    // of one element of queries and output
  double queries = 1.0;        // new tokens of each sequence: a draft and one with speculation
  // Latent attention: keys of this many elements, shared by all heads, of which the first
  // value_dim are the values as well; 0: keys and values of head_dim each.
  double value_dim = 0.0;
};

// The recurrence of a layer with a state (LinearAttention in model.hpp) over the new tokens of all
// sequences: in chunks by products of matrices, or token by token on the vector units. Heads and
// widths of this device.
struct LinearScan {
  std::string_view name;
  double sequences = 0;
  double tokens = 0;  // of each
  double heads = 0, key_heads = 0, key_dim = 0, value_dim = 0;
  double chunk = 1;
  bool delta_rule = false;
  double element_bytes = 2.0;  // of queries, keys, values and outputs
  bool carries_state = false;  // reads what the tokens before have left, and leaves it to the next
  bool backward = false;

  // Products of matrices; 0 where tokens come one by one. What else is computed: of decays, and the
  // recurrence itself there.
  double tensor_flop() const;
  double vector_flop() const;
  double traffic_bytes() const;
  double launches() const;  // kernels
};

// Of a layer, what recomputation tells apart, and what hides exchanges of experts. A reduction is
// what a sum over ranks passes through.
enum class Block { attention_core, reduction, shared_experts, other };

struct Operator {
  using Kernel = std::variant<Pointwise, MatMul, FlashAttention, PrefillAttention, DecodeAttention,
                              LinearScan>;

  Block block = Block::other;
  Kernel kernel;
  // Shares of it that run again in the backward pass, where recomputation is selective and full.
  double selective_repeats = 0.0;
  double full_repeats = 1.0;
  // Of the layers alike, those that run it: layers of one model may differ in attention.
  double share = 1.0;

  template <class K>
  bool is() const {
    return std::holds_alternative<K>(kernel);
  }
  template <class K>
  const K* as() const {
    return std::get_if<K>(&kernel);
  }
  std::string_view name() const {
    return std::visit([](const auto& k) { return k.name; }, kernel);
  }
};

// A linear layer has one GEMM in `forward` and one in each gradient list, all in forward order:
// of a dense layer query key value, attention projection, mlp up, mlp down; routed experts are one
// GEMM of as many batches as a device has of them. Weights that stay as they are have no gradient;
// an adapter has two GEMMs more in each list. What tensor and expert parallelism send is
// not here (parallel/placement.hpp): tensor parallelism gathers the m x k elements that a
// column-parallel GEMM reads, experts exchange around "dispatch" and "combine".
struct LayerOperators {
  std::vector<Operator> forward;
  std::vector<Operator> backward;        // pointwise and attention
  std::vector<MatMul> data_gradients;    // dX = dY W^T
  std::vector<MatMul> weight_gradients;  // dW += X^T dY
};

// A layer with a plain MLP, with routed experts instead of it, or with neither.
enum class LayerKind { dense, experts, bare };

LayerOperators layer_operators(const TransformerModel& model, const Slice& slice,
                               LayerKind kind = LayerKind::dense, Mixer mixer = Mixer::attention);

// Layers of a model that are alike. Those of one kind, dense or with experts, differ in their
// mixer, and of the dense ones some are bare; which of them stand where is not kept.
struct LayerVariant {
  LayerKind kind = LayerKind::dense;
  Mixer mixer = Mixer::attention;
  double share = 1.0;  // of the layers of the kind

  // "layer", "linear expert layer", "layer without MLP".
  std::string_view name() const;
};
class LayerVariants {
 public:
  static constexpr std::size_t most = 4;

  LayerVariants(const TransformerModel& model, LayerKind kind);
  const LayerVariant* begin() const { return variants_.data(); }
  const LayerVariant* end() const { return variants_.data() + size_; }

 private:
  std::array<LayerVariant, most> variants_;
  std::size_t size_ = 0;
};

// Before the first and after the last layer: embedding lookup; final norm, output projection, loss.
LayerOperators embedding_operators(const TransformerModel& model, const Slice& slice);
LayerOperators head_operators(const TransformerModel& model, const Slice& slice);

// The same with linear layers in the format of activations: stacks quantise what is behind an
// encoder, not its own.
std::vector<Operator> in_activations(std::vector<Operator> operators);
LayerOperators in_activations(LayerOperators operators);

// Of the images or audio of a device's sequences: the tokens that they become, what makes those of
// the encoder's outputs (one GEMM, or two with a GELU between them), and the bytes that it keeps
// for the backward pass. The projector is trained, whatever else is.
double encoded_tokens(const TransformerModel& model, const Slice& slice);
LayerOperators projector_operators(const TransformerModel& model, const Slice& slice);
double saved_by_projector(const TransformerModel& model, const Slice& slice);

// What a multi-token prediction module has beside one layer, of the kind of the last one, and the
// shared head: norms of the hidden state and of the next token's embedding, and their joint GEMM
// (DeepSeek-AI, arXiv:2412.19437, eqs. 21 to 23).
LayerOperators prediction_operators(const TransformerModel& model, const Slice& slice);

// FLOP of one sequence, forward and backward, recomputation not counted and the whole score matrix
// counted (Korthikanti et al. 2022, eq. 7, generalised to gated MLPs, grouped queries, latent
// attention, the experts that a token goes to and windows: of a layer with one, twice what its
// causal mask leaves, as of the whole matrix; of a layer with a state the recurrence, which no
// chunks change; of an indexer its scores beside those of the tokens it chooses).
// Of weights that stay as they are, none for their gradients, but those of adapters beside them.
double model_flop_per_sequence(const TransformerModel& model, std::int64_t sequence,
                               const Tuning& tuning = {});

// A tensor that a layer keeps for its backward pass; one that two operators read is kept once.
struct SavedTensor {
  std::string_view name;
  double bytes = 0;
  double dropped = 0;  // share that selective recomputation does not keep
};
std::vector<SavedTensor> saved_tensors(const TransformerModel& model, const Slice& slice,
                                       LayerKind kind = LayerKind::dense,
                                       Mixer mixer = Mixer::attention);

// Their sums (reduces to Korthikanti et al. 2022, eqs. 1, 2, 4 for a 4h GELU MLP with dropout).
struct SavedActivations {
  double dropped_bytes = 0;  // what selective recomputation does not keep
  double kept_bytes = 0;     // what it keeps
  double input_bytes = 0;    // the layer input: all that full recomputation keeps
  // The same of the layers that keep most, where those of a kind differ: what one of them works on.
  double most_dropped_bytes = 0;
  double most_bytes = 0;  // dropped or kept
};
// Of the layers of a kind, the mean.
SavedActivations saved_activations(const TransformerModel& model, const Slice& slice,
                                   LayerKind kind = LayerKind::dense);

// Tokens of the busiest device over the mean of those that share a layer's experts.
double busiest_expert_load(const TransformerModel& model, const Slice& slice);

// Of the copies of a device's tokens, the share that experts drop because they are at their
// capacity; 0 where there is none.
double dropped_copies(const TransformerModel& model, const Slice& slice);

// Bytes that a device sends into the exchange that brings tokens to their experts, and gets back
// from it; its own share counted as well. 0 without experts.
double expert_exchange_bytes(const TransformerModel& model, const Slice& slice);

}  // namespace scalesweep::workload
