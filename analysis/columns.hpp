// The columns of a study that analysis knows by name: the contract with whoever writes the study.
// Everything else (axes, resources, statuses) is found in the file.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace scalesweep::analysis {

inline constexpr std::string_view point_id_column = "point_id";
inline constexpr std::string_view status_column = "status";  // 0 is feasible, labels are reasons
inline constexpr std::string_view step_time_column = "step_time";
// charge_<resource>: seconds of the step charged to the resource; they sum to the step time.
inline constexpr std::string_view charge_prefix = "charge_";

// Axes that say what is asked rather than what is built: results for different values of these do
// not compete with each other.
inline constexpr std::array<std::string_view, 3> workload_axes = {"model", "sequence",
                                                                  "global_batch"};

// Axes along which an architect reads a study, the most telling first; any other axis comes after.
inline constexpr std::array<std::string_view, 8> along_preference = {
    "logic", "device", "memory", "scale_up", "scale_out", "power", "stacks", "accelerators"};

// Axes whose values are candidates of a search rather than conditions: of them, as of strategies,
// the best is taken.
inline constexpr std::array<std::string_view, 1> searched_axes = {"allocation"};

// What such a search is about: shares of a device's budgets.
inline constexpr std::array<std::string_view, 3> searched_columns = {
    "share_core_area", "share_memory_edge", "share_memory_power"};

// What makes a strategy, in the order in which it is written; a study may lack some.
inline constexpr std::array<std::string_view, 18> strategy_columns = {
    "tensor_parallel",     "pipeline_parallel", "data_parallel",    "chunks",
    "micro_batch",         "micro_batches",     "recompute",        "zero",
    "sequence_parallel",   "context_parallel",  "expert_parallel",  "recompute_every",
    "shard_group",         "schedule",          "context_exchange", "rank_order",
    "offload_activations", "offload_optimizer"};

inline constexpr std::array<std::string_view, 3> default_objectives = {"step_time", "accelerators",
                                                                       "energy_per_step"};

// Resources read together as one kind of bottleneck.
struct ResourceGroup {
  std::string_view name;
  std::vector<std::string_view> resources;
};

// compute, memory, network, latency. A resource in none of them is its own group.
const std::vector<ResourceGroup>& resource_groups();
std::string group_of(std::string_view resource);

}  // namespace scalesweep::analysis
