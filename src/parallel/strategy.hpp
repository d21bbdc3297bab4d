// How one training job is laid out over its devices: sizes of the parallel groups, micro-batches,
// the pipeline schedule and what is traded against memory; and what is tried of each of these.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/enum_names.hpp"

namespace scalesweep::parallel {

enum class Recompute : std::uint8_t { none, selective, full };
inline constexpr auto recompute_names = enum_names<Recompute>("none", "selective", "full");
constexpr std::string_view name_of(Recompute recompute) {
  return recompute_names[recompute];
}

// How the stages of a pipeline take turns. one_forward_one_backward is interleaved where a stage
// holds more than one chunk (Narayanan et al., arXiv:2104.04473); zero_bubble is ZB-H1 (Qi et al.,
// arXiv:2401.10241), which puts weight gradients into the bubble at the same memory; dual_pipe runs
// from both ends (DeepSeek-V3, arXiv:2412.19437, section 3.2.1).
enum class Schedule : std::uint8_t { one_forward_one_backward, zero_bubble, dual_pipe };
inline constexpr auto schedule_names = enum_names<Schedule>("1f1b", "zero_bubble", "dual_pipe");
constexpr std::string_view name_of(Schedule schedule) {
  return schedule_names[schedule];
}

// How the parts of a sequence meet: keys and values go around a ring (Liu et al.,
// arXiv:2310.01889), or heads are exchanged for tokens (Jacobs et al., arXiv:2309.14509).
enum class ContextExchange : std::uint8_t { ring, all_to_all };
inline constexpr auto context_exchange_names = enum_names<ContextExchange>("ring", "all_to_all");
constexpr std::string_view name_of(ContextExchange exchange) {
  return context_exchange_names[exchange];
}

// How ranks are numbered, the innermost dimension first; consecutive ranks share a scale-up domain.
// Experts are spread over the inner ones of the context_parallel * data_parallel ranks. The first
// is the order of Megatron-LM (megatron/core/parallel_state.py), whose names these are.
enum class RankOrder : std::uint8_t {
  tp_cp_ep_dp_pp,
  tp_cp_ep_pp_dp,
  tp_pp_cp_ep_dp,
  tp_ep_dp_cp_pp
};
inline constexpr auto rank_order_names =
    enum_names<RankOrder>("tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp", "tp-pp-cp-ep-dp", "tp-ep-dp-cp-pp");
constexpr std::string_view name_of(RankOrder order) {
  return rank_order_names[order];
}

// Where the embedding tables of a recommendation model are (Mudigere et al., arXiv:2104.05158,
// section 4.2): whole ones dealt out, their columns in parts, the rows of each spread over all
// devices, a copy of all on every device, or each as its size asks for.
enum class TableSharding : std::uint8_t { table, column, row, data, mixed };
inline constexpr auto table_sharding_names =
    enum_names<TableSharding>("table", "column", "row", "data", "mixed");
constexpr std::string_view name_of(TableSharding sharding) {
  return table_sharding_names[sharding];
}

// tensor_parallel * context_parallel * data_parallel * pipeline_parallel devices; data_parallel *
// micro_batch * micro_batches sequences a step. Experts are spread over expert_parallel of the
// context_parallel * data_parallel ranks that share a stage and a tensor-parallel rank; with
// experts_over_tensor over all tensor-parallel ranks and expert_parallel / tensor_parallel of the
// replicas (vLLM's expert parallelism; expert_tensor_parallel_size 1 of Megatron-Core). Either way
// they are whole where they are spread. redundant_experts are copies of some, which the ranks hold
// beside the experts of the model (EPLB of DeepSeek-V3, arXiv:2412.19437, section 3.4.1).
// decode_context_parallel neighbours among the tensor-parallel ranks, which would hold copies of
// the same keys and values, have a part of the tokens of each sequence instead (decode context
// parallelism of vLLM and SGLang; Helix, Bhatia et al., arXiv:2507.07120). expert_devices stand
// beside all those and hold the experts of all replicas, with copies, and nothing else: attention
// and experts disaggregated (MegaScale-Infer, arXiv:2504.02263; Step-3, arXiv:2507.19427); the
// other devices then have no experts, and expert_parallel is 1. `chunks` is the number of model
// chunks a pipeline stage holds: 1 is the 1F1B schedule, more is the interleaved one. Layers that
// stages or their chunks do not divide are dealt out as estimator/parts/stages.hpp says, unless the
// first or the last stage has a number of its own (Megatron-LM's decoder_first_pipeline_num_layers,
// decoder_last_pipeline_num_layers): the other stages then share the rest evenly. The first
// encoder_stages hold a model's encoder of images or audio and nothing else, in equal parts;
// without them the first stage has it beside its layers.
//
// What the cost of a layer depends on comes first, because strategies are listed in this order.
struct Strategy {
  std::int32_t tensor_parallel = 1;
  std::int32_t context_parallel = 1;
  std::int32_t decode_context_parallel = 1;  // of the tensor_parallel ranks
  std::int32_t expert_parallel = 1;
  bool experts_over_tensor = false;
  std::int32_t expert_devices = 0;     // that hold experts alone, beside the others; 0: none
  std::int32_t redundant_experts = 0;  // copies of the hottest experts of a layer, in all
  ContextExchange context_exchange = ContextExchange::ring;
  RankOrder rank_order = RankOrder::tp_cp_ep_dp_pp;
  Schedule schedule = Schedule::one_forward_one_backward;
  bool sequence_parallel = false;
  std::int32_t micro_batch = 1;  // sequences
  std::int32_t pipeline_parallel = 1;
  std::int32_t encoder_stages = 0;      // of them
  std::int32_t first_stage_layers = 0;  // 0: no number of its own
  std::int32_t last_stage_layers = 0;
  std::int32_t data_parallel = 1;
  std::int32_t chunks = 1;
  std::int32_t micro_batches = 1;  // per data-parallel replica and step
  Recompute recompute = Recompute::none;
  // ZeRO stage (arXiv:1910.02054): 1 shards optimizer states over data-parallel ranks, 2 gradients
  // as well, 3 weights as well (fully sharded data parallel).
  std::uint8_t zero = 0;
  bool offload_activations = false;  // saved activations wait in host memory
  bool offload_optimizer = false;    // optimizer states live and are updated in host memory
  std::int32_t recompute_every = 1;  // full recomputation of every n-th layer only
  std::int32_t shard_group = 0;  // ranks that ZeRO-3 shards over (hybrid sharding); 0: all of them
  TableSharding table_sharding = TableSharding::table;  // of recommendation models

  // That have layers, or all of them but their experts.
  std::int64_t layer_devices() const {
    return std::int64_t{tensor_parallel} * context_parallel * data_parallel * pipeline_parallel;
  }
  std::int64_t devices() const { return layer_devices() + expert_devices; }

  // Stages that layers of the model itself are dealt out to.
  std::int32_t layer_stages() const { return pipeline_parallel - encoder_stages; }

  // Ranks that hold the same part of the dense weights: gradients are reduced over them all, and
  // ZeRO shards over them (Megatron-LM and FSDP; context-parallel ranks see other tokens).
  std::int64_t replicas() const { return std::int64_t{context_parallel} * data_parallel; }

  // Of them, those that share the experts of a layer.
  std::int32_t replicas_of_experts() const {
    if (expert_devices > 0) {
      return data_parallel * context_parallel;
    }
    return experts_over_tensor ? expert_parallel / tensor_parallel : expert_parallel;
  }

  friend auto operator<=>(const Strategy&, const Strategy&) = default;
};

// What the cost of a layer of a training step depends on: strategies with the same key have the
// same layers. The key of all fields but those that are reset here, so that a field that was
// forgotten costs time, and no wrong reuse. Where the groups of a layer stand does not depend, with
// the usual order of ranks, on what lies further out; all replicas meet at expert_devices.
inline Strategy layer_key(Strategy strategy) {
  const Strategy plain;
  if (strategy.expert_devices == 0 &&
      (strategy.rank_order == RankOrder::tp_cp_ep_dp_pp ||
       (strategy.context_parallel == 1 && strategy.expert_parallel == 1))) {
    strategy.pipeline_parallel = plain.pipeline_parallel;
    strategy.data_parallel = plain.data_parallel;
  }
  strategy.encoder_stages = plain.encoder_stages;
  strategy.first_stage_layers = plain.first_stage_layers;
  strategy.last_stage_layers = plain.last_stage_layers;
  strategy.chunks = plain.chunks;
  strategy.micro_batches = plain.micro_batches;
  strategy.recompute = plain.recompute;
  strategy.recompute_every = plain.recompute_every;
  strategy.zero = plain.zero;
  strategy.shard_group = plain.shard_group;
  strategy.offload_activations = plain.offload_activations;
  strategy.offload_optimizer = plain.offload_optimizer;
  return strategy;
}

// What a study is of. A model is trained, runs inference of a batch of requests that start
// together, or serves requests as they arrive; or one with embedding tables is trained or scores;
// or one makes images of noise, or is trained to; or one is trained on what it says itself.
enum class WorkloadKind : std::uint8_t {
  training,
  inference,
  serving,
  recommendation,
  diffusion,
  reinforcement_learning
};
inline constexpr auto workload_kind_names = enum_names<WorkloadKind>(
    "training", "inference", "serving", "recommendation", "diffusion", "reinforcement_learning");
constexpr std::string_view name_of(WorkloadKind kind) {
  return workload_kind_names[kind];
}

// Candidate values of one strategy dimension: all divisors of what it must divide, or a list.
struct Choices {
  bool divisors = true;                   // every divisor of the bound ...
  std::int64_t at_most = 0;               // ... up to this (0: no limit)
  bool powers_of_two = false;             // ... keeping powers of two only
  std::vector<std::int64_t> values = {};  // used if `divisors` is false
  // Of micro_batch, instead of all this: the batch of a replica is one micro-batch for each stage
  // where pipeline_parallel divides it, else one.
  bool by_stages = false;

  friend bool operator==(const Choices&, const Choices&) = default;
};

inline Choices only(std::int64_t value) {
  return {.divisors = false, .values = {value}};
}

// What the replicas of a model share.
struct BatchRule {
  std::string_view key = "global_batch";  // of a spec
  bool is_found = false;  // by the estimator: nothing needs to divide it, and micro_batch is 1
};

// What is tried of each field; a combination that breaks a rule is left out. As it is, of training.
struct StrategyRules {
  WorkloadKind kind = WorkloadKind::training;
  BatchRule batch;
  Choices tensor_parallel;
  Choices pipeline_parallel;
  Choices micro_batch;
  Choices chunks;
  Choices context_parallel = only(1);
  Choices decode_context_parallel = only(1);
  Choices expert_parallel = only(1);
  std::vector<bool> experts_over_tensor = {false};
  std::vector<std::int64_t> expert_devices = {0};
  std::vector<std::int64_t> redundant_experts = {0};
  std::vector<std::int64_t> encoder_stages = {0};      // 0: the first stage has the encoder, too
  std::vector<std::int64_t> first_stage_layers = {0};  // 0: as the others
  std::vector<std::int64_t> last_stage_layers = {0};
  Choices recompute_every = only(1);
  std::vector<std::int64_t> shard_group = {0};  // 0: all replicas
  std::vector<Recompute> recompute = {Recompute::none, Recompute::selective, Recompute::full};
  std::vector<int> zero = {0, 1};
  std::vector<bool> sequence_parallel = {false, true};
  std::vector<Schedule> schedule = {Schedule::one_forward_one_backward};
  std::vector<ContextExchange> context_exchange = {ContextExchange::ring};
  std::vector<RankOrder> rank_order = {RankOrder::tp_cp_ep_dp_pp};
  std::vector<bool> offload_activations = {false};
  std::vector<bool> offload_optimizer = {false};
  std::vector<TableSharding> table_sharding = {TableSharding::table};
  // Pipelines that do not divide the layers, nor chunks of theirs: some hold one layer more than
  // others.
  bool uneven_stages = false;
  // Ranks, or expert_devices, that do not divide a layer's experts: some hold one more than others.
  bool uneven_experts = false;
  // Of diffusion: some of the work is training, which tries more than the making of images.
  bool trains_images = false;
};

}  // namespace scalesweep::parallel
