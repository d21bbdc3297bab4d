// How a software stack runs a model: properties of neither the device nor the model. The catalog
// has one set of numbers for each stack.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.hpp"
#include "workload/diffusion/diffusion_stack.hpp"
#include "workload/feed_forward/expert_dispatch.hpp"
#include "workload/recipe.hpp"
#include "workload/recommendation/recommendation_stack.hpp"
#include "workload/serving/serving_stack.hpp"
#include "workload/training/recompute.hpp"

namespace scalesweep::workload {

// How a stack cuts the model into pipeline stages.
enum class StageBalance : std::uint8_t {
  layers,  // equal numbers of layers, the embedding and the head come on top (Megatron-LM)
  blocks,  // embedding, layers, final norm and head are blocks, balanced by their cost (nanotron)
};
inline constexpr auto stage_balance_names = enum_names<StageBalance>("layers", "blocks");

// Norms and dropout split along the sequence over the ranks that share matrices.
enum class SequenceSplit : std::uint8_t {
  never,
  optional,
  always,  // wherever matrices are shared
};
inline constexpr auto sequence_split_names =
    enum_names<SequenceSplit>("never", "optional", "always");

// Which layouts a stack can run, and in which version: what is proposed for it, and what it can be
// launched with. No estimate reads it.
struct Runs {
  std::string version;
  bool tensor_parallel = false;
  bool pipeline_parallel = false;
  bool interleaved = false;
  bool zero_bubble = false;
  bool dual_pipe = false;
  bool uneven_stages = false;
  bool encoder_stages = false;
  bool context_ring = false;
  bool context_all_to_all = false;
  bool expert_parallel = false;
  bool experts_beside_tensor = false;
  bool experts_over_tensor = false;
  bool experts_of_cut_replicas = false;
  bool experts_without_sequence_parallel = false;
  bool redundant_experts = false;
  bool hybrid_sharding = false;
  bool selective_recompute = false;
  bool full_recompute = false;
  bool recompute_every = false;
  bool offload_activations = false;
  bool offload_in_pipeline = false;
  bool offload_optimizer = false;
  SequenceSplit sequence_parallel = SequenceSplit::never;
  std::vector<std::int64_t> zero = {0};  // stages
  std::int64_t zero_with_pipeline = 3;   // the largest stage with several pipeline stages
  // Of linear layers, by their names; empty: any.
  std::vector<std::string> precisions;

  bool has_stage(std::int64_t stage) const {
    return std::find(zero.begin(), zero.end(), stage) != zero.end();
  }
  friend bool operator==(const Runs&, const Runs&) = default;
};

// What a stack either can do or not: its key below [framework.NAME.runs], and its name in a
// sentence.
struct Ability {
  std::string_view path;
  bool Runs::*can;
  std::string_view text;

  constexpr std::string_view key() const { return path.substr(path.find('.') + 1); }
};
inline constexpr auto abilities = std::to_array<Ability>({
    {"runs.tensor_parallel", &Runs::tensor_parallel, "tensor parallelism"},
    {"runs.pipeline_parallel", &Runs::pipeline_parallel, "pipeline parallelism"},
    {"runs.interleaved", &Runs::interleaved, "several chunks of layers in a pipeline stage"},
    {"runs.zero_bubble", &Runs::zero_bubble, "the pipeline schedule zero_bubble"},
    {"runs.dual_pipe", &Runs::dual_pipe, "the pipeline schedule dual_pipe"},
    {"runs.uneven_stages", &Runs::uneven_stages,
     "a number of layers of its own for the first or the last pipeline stage"},
    {"runs.encoder_stages", &Runs::encoder_stages,
     "pipeline stages that hold the encoder of a model alone"},
    {"runs.context_ring", &Runs::context_ring, "context parallelism with a ring"},
    {"runs.context_all_to_all", &Runs::context_all_to_all,
     "context parallelism that exchanges heads for tokens"},
    {"runs.expert_parallel", &Runs::expert_parallel, "expert parallelism"},
    {"runs.experts_beside_tensor", &Runs::experts_beside_tensor,
     "expert parallelism together with tensor parallelism that cuts the experts too"},
    {"runs.experts_over_tensor", &Runs::experts_over_tensor,
     "experts spread over tensor-parallel ranks"},
    {"runs.experts_of_cut_replicas", &Runs::experts_of_cut_replicas,
     "replicas that share experts while tensor parallelism cuts their attention"},
    {"runs.experts_without_sequence_parallel", &Runs::experts_without_sequence_parallel,
     "expert and tensor parallelism without sequence parallelism"},
    {"runs.redundant_experts", &Runs::redundant_experts, "redundant experts"},
    {"runs.hybrid_sharding", &Runs::hybrid_sharding, "weights sharded over some of the replicas"},
    {"runs.selective_recompute", &Runs::selective_recompute, "selective recomputation"},
    {"runs.full_recompute", &Runs::full_recompute, "full recomputation"},
    {"runs.recompute_every", &Runs::recompute_every, "full recomputation of some layers alone"},
    {"runs.offload_activations", &Runs::offload_activations, "activations in host memory"},
    {"runs.offload_in_pipeline", &Runs::offload_in_pipeline,
     "activations in host memory with several pipeline stages"},
    {"runs.offload_optimizer", &Runs::offload_optimizer, "optimizer states in host memory"},
});

struct Framework {
  std::string name;
  bool trains = true;       // how it trains is known
  bool serves = false;      // how it serves requests is known
  bool recommends = false;  // how it runs models with embedding tables is known
  bool diffuses = false;    // how it runs diffusion models is known
  // Reductions of the backward pass run beside the weight-gradient GEMMs.
  bool hides_tensor_communication = true;
  // GEMMs are cut into parts that run while those of others travel, so that gathers hide behind
  // the GEMM that reads them and reductions behind the one that leaves the sums, forward too
  // (Wang et al., ASPLOS 2023; asynchronous tensor parallelism).
  bool hides_forward_tensor_communication = false;
  // Gradients are reduced bucket by bucket behind the last backward pass.
  bool hides_data_communication = true;
  // The same for the reductions of ZeRO, which scatter.
  bool hides_sharded_reduction = true;
  // Host time that ZeRO-1 takes for the tensors of a layer once a step, to scatter, update and
  // gather them one by one.
  double sharded_layer_issue_s = 0.0;
  // Weights that ZeRO-1 updates are gathered behind the next forward pass.
  bool hides_weight_gather = false;
  // Tokens travel to experts and back beside another micro-batch's kernels.
  bool hides_expert_communication = false;
  ExpertDispatch expert_dispatch = ExpertDispatch::by_routing;  // of training
  // Activations go to the next stage beside the kernels that follow.
  bool hides_pipeline_communication = false;
  // Time the host needs to issue one operator of workload/layer.hpp, forward and backward, and one
  // collective. A pass over a layer cannot be shorter than what it issues; all 0 where launches are
  // captured in graphs.
  double issue_interval_s = 0.0;
  double backward_issue_interval_s = 0.0;
  // The same of an operator in either pass of a layer with routed experts, where the host reads how
  // many tokens each has and launches for one after the other; 0: as elsewhere.
  double expert_issue_interval_s = 0.0;
  double collective_issue_interval_s = 0.0;
  // Beside collective_issue_interval_s, for each rank of the group: of every collective, and of
  // those whose group crosses scale-up domains. The host of every rank waits for the others.
  double rank_issue_interval_s = 0.0;
  double crossing_issue_interval_s = 0.0;
  // Gradients go in collectives of this size at most; 0: in one.
  double gradient_bucket_bytes = 0.0;
  // Rates of kernels in a training step over those of the same kernels alone: other operand
  // layouts, fp32 accumulation, cores that communication takes, devices that wait for the slowest.
  double kernel_share = 1.0;
  // Rates of its fused attention on the matrix units over those of the device's own library, and
  // the most FLOP that it does in a clock of a core where it is written for an older generation; 0:
  // no such limit.
  double attention_share = 1.0;
  double attention_core_flop = 0.0;
  // A pass that takes the device D and the host H lasts (D^k + H^k)^(1/k) with this k: the host
  // cannot run ahead everywhere, and the device is idle where it waits for a short kernel. 0: the
  // longer.
  double issue_blend = 0.0;
  // Neighbouring pointwise steps of a layer are one kernel.
  bool fused_pointwise = true;
  // Root mean square norms, rotary positions and gated MLPs are written operator by operator, of
  // which an eager library makes kernels of their own. Of training and serving alike.
  bool composed = false;
  // How operands of fp8 are scaled where nobody says otherwise, and which kernels prepare them.
  Recipe fp8_recipe = Recipe::delayed;
  OperandFusion operand_fusion = OperandFusion::everything;
  StageBalance stage_balance = StageBalance::layers;
  // What selective recomputation repeats, and whether recomputation ends with the last tensor that
  // the backward pass needs.
  SelectiveRecompute selective_recompute = SelectiveRecompute::attention;
  bool recompute_stops_early = false;
  // Sequence parallelism: a copy after each gather and before each scatter, since tensors have the
  // batch before the sequence; inputs stay as gathered, or are gathered again for the gradient.
  bool copies_sequence_shards = false;
  bool keeps_gathered_inputs = false;
  // How often the optimizer streams its states: 1 where one kernel updates everything.
  double optimizer_passes = 1.0;
  // Bytes per parameter of gradients kept beside the accumulated ones where replicas reduce them.
  double extra_gradient_bytes = 0.0;
  // ZeRO-1 gathers updated weights through a copy of them.
  bool gathers_through_copy = false;
  // The gradient of the embedding table stays beside the accumulated one, in the weights' format.
  bool keeps_embedding_gradient = false;
  // Hidden states of one whole micro-batch that stay alive to the end of a step.
  double held_hidden_states = 0.0;
  // Device memory of tensors that no layer accounts for: workspaces, tables, buffers.
  double fixed_memory_bytes = 0.0;
  // What the caching allocator holds over what tensors take at the peak, as a share of the
  // activations.
  double allocator_slack = 0.0;
  // Fixed time of a step that no layer accounts for: data loading, logging, synchronisation.
  double step_overhead_s = 0.0;
  // Standard deviation of the time of a step between devices, over its mean: what makes the slowest
  // of many slower than the usual one.
  double step_jitter = 0.0;
  // Of an iteration of reinforcement learning: rates of its rollouts and its updates over those of
  // the same engines alone. Replicas and micro-batches are uneven, hosts score and hand over.
  double iteration_share = 1.0;
  // How it serves requests.
  ServingStack serving = {};
  // How it runs models with embedding tables.
  RecommendationStack recommendation = {};
  // How it makes images and videos.
  DiffusionStack diffusion = {};
  // Which layouts it can run; nothing: nobody says, and no estimate asks.
  std::optional<Runs> runs = std::nullopt;

  friend bool operator==(const Framework&, const Framework&) = default;
};

}  // namespace scalesweep::workload
