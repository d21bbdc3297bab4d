#include "columns/roles.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.hpp"

namespace scalesweep::columns {
namespace {

// Of files without roles, written before there were any. New columns need no line here: they say
// what they are for.
struct FormerColumn {
  std::string_view name;
  std::string_view role;
};
constexpr std::array<FormerColumn, 25> former_columns = {{
    {"step_time", "time rank"},
    {"latency", "time rank"},
    {"time_per_output_token", "time"},
    {"device_seconds_per_token", "rank"},
    {"tensor_peak", "rate:tensor_compute axis:logic axis:device"},
    {"dram_bandwidth", "rate:dram axis:device axis:memory axis:memory_of"},
    {"scale_up_bandwidth", "rate:scale_up axis:device axis:scale_up"},
    {"scale_out_bandwidth", "rate:scale_out axis:device axis:scale_out axis:topology"},
    {"share_core_area", "allocated"},
    {"share_memory_edge", "allocated"},
    {"share_memory_power", "allocated"},
    {"cost_per_step", "as_time"},
    {"cost_per_million_tokens", "as_time unit_cost"},
    {"accelerators", "devices"},
    {"tokens_per_second", "throughput"},
    {"tokens_per_second_per_device", "device_throughput"},
    {"embodied_carbon_per_step", "as_time"},
    {"operational_carbon_per_step", "as_time"},
    {"carbon_per_million_tokens", "as_time"},
    {"request_rate", "as_rate"},
    {"model_flop_utilization", "as_rate utilization"},
    {"relative_uncertainty", "uncertainty"},
    {"miss", "nearest:misses_limits"},
    {"largest_batch", "nearest:does_not_fit"},
    {"charge_", "charge:"},  // and the resource
}};

std::string roles_of(const store::Column& column) {
  if (!column.role.empty()) {
    return column.role;
  }
  for (const FormerColumn& former : former_columns) {
    if (former.name.ends_with('_') && column.name.starts_with(former.name)) {
      return std::string(former.role) + column.name.substr(former.name.size());
    }
    if (former.name == column.name) {
      return std::string(former.role);
    }
  }
  return "";
}

}  // namespace

bool has_role(const store::Column& column, std::string_view role, std::string_view of) {
  std::string wanted(role);
  if (!of.empty()) {
    wanted += ":" + std::string(of);
  }
  const std::vector<std::string> roles = split(roles_of(column), ' ');
  return std::find(roles.begin(), roles.end(), wanted) != roles.end();
}

std::string of_role(const store::Column& column, std::string_view role) {
  const std::string start = std::string(role) + ":";
  for (const std::string& one : split(roles_of(column), ' ')) {
    if (one.starts_with(start)) {
      return one.substr(start.size());
    }
  }
  return "";
}

bool larger_is_better(const store::Column& column) {
  return column.better == "larger" || (column.role.empty() && column.name == "largest_batch");
}

double better_of(const store::Column& column, double a, double b) {
  return larger_is_better(column) ? std::fmax(a, b) : std::fmin(a, b);
}

const store::Column* column_with(const store::Schema& schema, std::string_view role,
                                 std::string_view of) {
  const auto found = std::find_if(schema.begin(), schema.end(), [&](const store::Column& column) {
    return has_role(column, role, of);
  });
  return found == schema.end() ? nullptr : &*found;
}

std::vector<std::string> main_columns(const store::Schema& schema) {
  std::vector<std::string> names;
  for (const store::Column& column : schema) {
    if (has_role(column, role::time) || has_role(column, role::main)) {
      names.push_back(column.name);
    }
  }
  return names;
}

const std::vector<ResourceGroup>& resource_groups() {
  static const std::vector<ResourceGroup> groups = {
      {"compute", {"tensor_compute", "vector_compute"}},
      {"memory", {"dram"}},
      {"network", {"scale_up", "scale_out"}},
      {"latency", {"latency"}},
  };
  return groups;
}

std::string group_of(std::string_view resource) {
  for (const ResourceGroup& group : resource_groups()) {
    if (std::find(group.resources.begin(), group.resources.end(), resource) !=
        group.resources.end()) {
      return std::string(group.name);
    }
  }
  return std::string(resource);
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(name);
  }
}

bool is_limit(std::string_view limit, std::string_view resource) {
  return !resource.empty() && (resource == limit || group_of(resource) == limit);
}

}  // namespace scalesweep::columns
