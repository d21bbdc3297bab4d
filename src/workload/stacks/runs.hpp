// Which layouts a software stack can run, and in which version.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.hpp"

namespace scalesweep::workload {

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
  bool decode_context_parallel = false;
  bool expert_parallel = false;
  bool experts_beside_tensor = false;
  bool experts_over_tensor = false;
  bool experts_of_cut_replicas = false;
  bool experts_without_sequence_parallel = false;
  bool expert_devices = false;
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
    {"runs.decode_context_parallel", &Runs::decode_context_parallel, "decode context parallelism"},
    {"runs.expert_parallel", &Runs::expert_parallel, "expert parallelism"},
    {"runs.experts_beside_tensor", &Runs::experts_beside_tensor,
     "expert parallelism together with tensor parallelism that cuts the experts too"},
    {"runs.experts_over_tensor", &Runs::experts_over_tensor,
     "experts spread over tensor-parallel ranks"},
    {"runs.experts_of_cut_replicas", &Runs::experts_of_cut_replicas,
     "replicas that share experts while tensor parallelism cuts their attention"},
    {"runs.experts_without_sequence_parallel", &Runs::experts_without_sequence_parallel,
     "expert and tensor parallelism without sequence parallelism"},
    {"runs.expert_devices", &Runs::expert_devices, "experts on devices of their own"},
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

}  // namespace scalesweep::workload
