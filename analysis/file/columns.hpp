// The columns of a study that analysis knows by name: the contract with whoever writes the study.
// Everything else (axes, resources, statuses) is found in the file.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "space/workload_axes.hpp"

namespace scalesweep::analysis {

inline constexpr std::string_view point_id_column = "point_id";
inline constexpr std::string_view status_column = "status";  // 0 is feasible, labels are reasons

// The time that a study is about, by what is studied: the first of these that is a column.
struct TimeColumn {
  std::string_view name;
  std::string_view words;
  // Of two points, the better has less of this. A service is not better for being fast with few
  // requests: what counts is what it takes to answer them within the limits.
  std::string_view better;
  std::string_view better_words;
  std::array<std::string_view, 3> objectives;  // of a study that does not name its own
};
inline constexpr std::array<TimeColumn, 3> time_columns = {
    {{"step_time",
      "step time",
      "step_time",
      "step time",
      {"step_time", "accelerators", "energy_per_step"}},
     {"latency", "latency", "latency", "latency", {"latency", "accelerators", "energy_per_token"}},
     {"time_per_output_token",
      "time per output token",
      "device_seconds_per_token",
      "device time per output token",
      {"device_seconds_per_token", "time_per_output_token", "accelerators"}}}};
// charge_<resource>: seconds of the time charged to the resource; they sum to it.
inline constexpr std::string_view charge_prefix = "charge_";

// What is asked rather than what is built: each value has a frontier of its own.
using space::is_workload_axis;
using space::workload_axes;

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

bool is_strategy_column(std::string_view name);

// A field of strategies that is not chosen: it follows from the other fields and from the values of
// these axes, and so changes along them while the strategy stays the same.
struct FollowingField {
  std::string_view field;
  std::array<std::string_view, 3> axes;
};
// Replicas are what the other sizes leave of the devices, micro-batches what is left of the batch.
inline constexpr std::array<FollowingField, 2> following_fields = {
    {{"data_parallel", {"accelerators"}},
     {"micro_batches", {"accelerators", "global_batch", "batch"}}}};
// So is the micro-batch of an answered batch, unless the spec names micro-batches: one a stage.
inline constexpr FollowingField one_a_stage = {"micro_batch", {"accelerators", "batch"}};

// <phase>_<operator>_time, _flop, _bytes, _intensity and _bound: of one execution of an operator.
inline constexpr std::array<std::string_view, 5> operator_figures = {"flop", "bytes", "intensity",
                                                                     "time", "bound"};
// Relative error of the time that two of three measured cases lie within; a study may lack it.
inline constexpr std::string_view uncertainty_column = "relative_uncertainty";

// What the names on an axis stand for: a column of the study.
struct AxisQuantity {
  std::string_view axis;
  std::string_view column;
};
// A device stands for all of its rates.
inline constexpr std::array<AxisQuantity, 10> axis_quantities = {
    {{"logic", "tensor_peak"},
     {"device", "tensor_peak"},
     {"device", "dram_bandwidth"},
     {"device", "scale_up_bandwidth"},
     {"device", "scale_out_bandwidth"},
     {"memory", "dram_bandwidth"},
     {"memory_of", "dram_bandwidth"},
     {"scale_up", "scale_up_bandwidth"},
     {"scale_out", "scale_out_bandwidth"},
     {"topology", "scale_out_bandwidth"}}};

// The rate at which a resource works: a column of the study.
struct ResourceRate {
  std::string_view resource;
  std::string_view column;
};
inline constexpr std::array<ResourceRate, 4> resource_rates = {
    {{"tensor_compute", "tensor_peak"},
     {"dram", "dram_bandwidth"},
     {"scale_up", "scale_up_bandwidth"},
     {"scale_out", "scale_out_bandwidth"}}};

// The name of an axis that several others make together, where they advance at the same time.
inline constexpr std::string_view path_axis = "path";

// Of a service: by how much the limits are missed; of a batch: how many requests would fit.
inline constexpr std::string_view miss_column = "miss";
inline constexpr std::string_view missed_status = "misses_limits";
inline constexpr std::string_view unfit_status = "does_not_fit";
inline constexpr std::string_view filtered_status = "filtered";  // by the spec, before any estimate
inline constexpr std::string_view largest_batch_column = "largest_batch";

// Resources read together as one kind of bottleneck.
struct ResourceGroup {
  std::string_view name;
  std::vector<std::string_view> resources;
};

// compute, memory, network, latency. A resource in none of them is its own group.
const std::vector<ResourceGroup>& resource_groups();
std::string group_of(std::string_view resource);

// Whether the column is the rate of a limit: of a resource, or of one in a group.
bool is_rate_of(std::string_view column, std::string_view limit);

// Behind the others, if it is not among them.
void add_once(std::vector<std::string>& names, const std::string& name);

}  // namespace scalesweep::analysis
