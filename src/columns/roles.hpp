// What columns of a study are for, as they say it themselves, and the few names that analysis
// knows: of identity and status, of axes, of strategies. Everything else is found in the file.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "space/axes/workload_axes.hpp"
#include "store/read/table.hpp"

namespace scalesweep::columns {

inline constexpr std::string_view point_id_column = "point_id";
inline constexpr std::string_view status_column = "status";  // 0 is feasible, labels are reasons

// What a column is for, whatever its name: words that it holds as `role` (FORMAT.md, table of
// roles). Those with "of" are followed by a colon and what they are of: "charge:dram".
namespace role {
inline constexpr std::string_view time = "time";
inline constexpr std::string_view rank = "rank";
inline constexpr std::string_view main = "main";
inline constexpr std::string_view strategy = "strategy";
inline constexpr std::string_view allocated = "allocated";
inline constexpr std::string_view uncertainty = "uncertainty";
inline constexpr std::string_view uncertainty_of = "uncertainty";  // figures with one of their own
inline constexpr std::string_view bar_of = "bar";  // those: of which uncertainty theirs is
inline constexpr std::string_view least_known = "least_known";  // a trait, or "none"
inline constexpr std::string_view as_time = "as_time";
inline constexpr std::string_view as_rate = "as_rate";
inline constexpr std::string_view charge_of = "charge";  // a resource
inline constexpr std::string_view rate_of = "rate";      // a resource
inline constexpr std::string_view axis_of = "axis";      // an axis whose values are names
inline constexpr std::string_view devices = "devices";
inline constexpr std::string_view throughput = "throughput";
inline constexpr std::string_view device_throughput = "device_throughput";
inline constexpr std::string_view utilization = "utilization";
inline constexpr std::string_view unit_cost = "unit_cost";
inline constexpr std::string_view nearest_of = "nearest";  // a status
inline constexpr std::string_view whole_run = "whole_run";
inline constexpr std::string_view run_cost = "run_cost";
inline constexpr std::string_view adds_up = "adds_up";    // over the phases of a run
inline constexpr std::string_view cost_of = "cost";       // what the part of unit_cost is for
inline constexpr std::string_view capacity = "capacity";  // bytes of a device
// What a row needs to be priced again.
inline constexpr std::string_view wafer_price = "wafer_price";
inline constexpr std::string_view die_yield = "die_yield";
inline constexpr std::string_view defect_density = "defect_density";
inline constexpr std::string_view defect_clustering = "defect_clustering";
inline constexpr std::string_view by_other_margin = "cost_by_other_margin";
inline constexpr std::string_view of_wafers = "cost_of_wafers";
inline constexpr std::string_view of_lost_memory = "cost_of_lost_memory";
}  // namespace role

// Of a file of a version that wrote no roles, by what columns were called then.
bool has_role(const store::Column& column, std::string_view role, std::string_view of = "");
// What the role is of, the first if there are several; "" if the column does not have it.
std::string of_role(const store::Column& column, std::string_view role);
bool larger_is_better(const store::Column& column);
// Of two values of a column the better one, by what it says is better; the other where one is NaN.
double better_of(const store::Column& column, double a, double b);
// The first that has it; null if none does.
const store::Column* column_with(const store::Schema& schema, std::string_view role,
                                 std::string_view of = "");
// What a reader asks for first: the time, and what else says so.
std::vector<std::string> main_columns(const store::Schema& schema);

// What is asked rather than what is built: each value has a frontier of its own.
using space::is_workload_axis;
using space::workload_axes;

// Axes along which an architect reads a study, the most telling first; any other axis comes after.
inline constexpr std::array<std::string_view, 8> along_preference = {
    "logic", "device", "memory", "scale_up", "scale_out", "power", "stacks", "accelerators"};

inline constexpr std::array<std::string_view, 1> searched_axes = {space::searched_axis};

// The name of an axis that several others make together, where they advance at the same time.
inline constexpr std::string_view path_axis = "path";

inline constexpr std::string_view missed_status = "misses_limits";
// Begins it and what a point is in that misses a requirement of its spec.
inline constexpr std::string_view missed_prefix = "misses_";
inline constexpr std::string_view unfit_status = "does_not_fit";
inline constexpr std::string_view filtered_status = "filtered";  // by the spec, before any estimate
inline constexpr std::string_view not_searched_status = "not_searched";  // by [search]: as little
// It fits and cannot be better than those that are kept: it was left before it was known whether
// its limits or the requirements hold.
inline constexpr std::string_view pruned_status = "pruned";

// Resources read together as one kind of bottleneck.
struct ResourceGroup {
  std::string_view name;
  std::vector<std::string_view> resources;
};

// compute, memory, network, latency. A resource in none of them is its own group: who reads
// "memory-bound" buys DRAM, which does nothing for L2.
const std::vector<ResourceGroup>& resource_groups();
std::string group_of(std::string_view resource);

// Of this resource less is more.
inline constexpr std::string_view latency_resource = "latency";

// Whether a limit, a resource or a group of them, is or has the resource.
bool is_limit(std::string_view limit, std::string_view resource);

// Behind the others, if it is not among them.
void add_once(std::vector<std::string>& names, const std::string& name);

}  // namespace scalesweep::columns
