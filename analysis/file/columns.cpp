#include "analysis/file/columns.hpp"

#include <algorithm>

namespace scalesweep::analysis {

const std::vector<ResourceGroup>& resource_groups() {
  static const std::vector<ResourceGroup> groups = {
      {"compute", {"tensor_compute", "vector_compute"}},
      {"memory", {"dram", "l2", "shared_memory"}},
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

bool is_strategy_column(std::string_view name) {
  return std::find(strategy_columns.begin(), strategy_columns.end(), name) !=
         strategy_columns.end();
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(name);
  }
}

bool is_rate_of(std::string_view column, std::string_view limit) {
  return std::any_of(resource_rates.begin(), resource_rates.end(), [&](const ResourceRate& rate) {
    return rate.column == column && (rate.resource == limit || group_of(rate.resource) == limit);
  });
}

}  // namespace scalesweep::analysis
