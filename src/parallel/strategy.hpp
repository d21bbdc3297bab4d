// How one training job is laid out over its devices: sizes of the parallel groups, micro-batches,
// the pipeline schedule and what is traded against memory.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace scalesweep::parallel {

enum class Recompute : std::uint8_t { none, selective, full };
inline constexpr std::array<std::string_view, 3> recompute_names = {"none", "selective", "full"};

constexpr std::string_view name_of(Recompute recompute) {
  return recompute_names[static_cast<std::size_t>(recompute)];
}
std::optional<Recompute> recompute_from(std::string_view name);

// How the stages of a pipeline take turns. one_forward_one_backward is interleaved where a stage
// holds more than one chunk (Narayanan et al., arXiv:2104.04473); zero_bubble is ZB-H1 (Qi et al.,
// arXiv:2401.10241), which puts weight gradients into the bubble at the same memory; dual_pipe runs
// from both ends (DeepSeek-V3, arXiv:2412.19437, section 3.2.1).
enum class Schedule : std::uint8_t { one_forward_one_backward, zero_bubble, dual_pipe };
inline constexpr std::array<std::string_view, 3> schedule_names = {"1f1b", "zero_bubble",
                                                                   "dual_pipe"};
constexpr std::string_view name_of(Schedule schedule) {
  return schedule_names[static_cast<std::size_t>(schedule)];
}
std::optional<Schedule> schedule_from(std::string_view name);

// How the parts of a sequence meet: keys and values go around a ring (Liu et al.,
// arXiv:2310.01889), or heads are exchanged for tokens (Jacobs et al., arXiv:2309.14509).
enum class ContextExchange : std::uint8_t { ring, all_to_all };
inline constexpr std::array<std::string_view, 2> context_exchange_names = {"ring", "all_to_all"};
constexpr std::string_view name_of(ContextExchange exchange) {
  return context_exchange_names[static_cast<std::size_t>(exchange)];
}
std::optional<ContextExchange> context_exchange_from(std::string_view name);

// How ranks are numbered, the innermost dimension first; consecutive ranks share a scale-up domain.
// Experts are spread over the inner ones of the context_parallel * data_parallel ranks. The first
// is the order of Megatron-LM (megatron/core/parallel_state.py), whose names these are.
enum class RankOrder : std::uint8_t {
  tp_cp_ep_dp_pp,
  tp_cp_ep_pp_dp,
  tp_pp_cp_ep_dp,
  tp_ep_dp_cp_pp
};
inline constexpr std::array<std::string_view, 4> rank_order_names = {
    "tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp", "tp-pp-cp-ep-dp", "tp-ep-dp-cp-pp"};
constexpr std::string_view name_of(RankOrder order) {
  return rank_order_names[static_cast<std::size_t>(order)];
}
std::optional<RankOrder> rank_order_from(std::string_view name);

// tensor_parallel * context_parallel * data_parallel * pipeline_parallel devices; data_parallel *
// micro_batch * micro_batches sequences a step. Experts are spread over expert_parallel of the
// context_parallel * data_parallel ranks that share a stage. `chunks` is the number of model chunks
// a pipeline stage holds: 1 is the 1F1B schedule, more is the interleaved one.
struct Strategy {
  std::int32_t tensor_parallel = 1;
  std::int32_t pipeline_parallel = 1;
  std::int32_t data_parallel = 1;
  std::int32_t context_parallel = 1;
  std::int32_t expert_parallel = 1;
  std::int32_t chunks = 1;
  std::int32_t micro_batch = 1;    // sequences
  std::int32_t micro_batches = 1;  // per data-parallel replica and step
  Recompute recompute = Recompute::none;
  std::int32_t recompute_every = 1;  // full recomputation of every n-th layer only
  // ZeRO stage (arXiv:1910.02054): 1 shards optimizer states over data-parallel ranks, 2 gradients
  // as well, 3 weights as well (fully sharded data parallel).
  std::uint8_t zero = 0;
  std::int32_t shard_group = 0;  // ranks that ZeRO-3 shards over (hybrid sharding); 0: all of them
  Schedule schedule = Schedule::one_forward_one_backward;
  ContextExchange context_exchange = ContextExchange::ring;
  RankOrder rank_order = RankOrder::tp_cp_ep_dp_pp;
  bool sequence_parallel = false;
  bool offload_activations = false;  // saved activations wait in host memory
  bool offload_optimizer = false;    // optimizer states live and are updated in host memory

  std::int64_t devices() const {
    return std::int64_t{tensor_parallel} * context_parallel * data_parallel * pipeline_parallel;
  }

  // Ranks that hold the same part of the dense weights: gradients are reduced over them all, and
  // ZeRO shards over them (Megatron-LM and FSDP; context-parallel ranks see other tokens).
  std::int64_t replicas() const { return std::int64_t{context_parallel} * data_parallel; }

  friend auto operator<=>(const Strategy&, const Strategy&) = default;
};

}  // namespace scalesweep::parallel
