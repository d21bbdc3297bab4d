#include "space/axes/workload_axes.hpp"

#include <algorithm>

#include "workload/serving/request_latency.hpp"

namespace scalesweep::space {

bool is_workload_axis(std::string_view name) {
  const auto is_it = [name](const workload::RequestLatency& one) {
    return one.limit_axis.view() == name;
  };
  return std::find(workload_axes.begin(), workload_axes.end(), name) != workload_axes.end() ||
         std::any_of(workload::request_latencies.begin(), workload::request_latencies.end(), is_it);
}

std::vector<std::string> varying_workload_axes(const std::vector<Axis>& axes) {
  std::vector<std::string> names;
  for (const Axis& axis : axes) {
    if (axis.size() > 1 && is_workload_axis(axis.name)) {
      names.push_back(axis.name);
    }
  }
  return names;
}

}  // namespace scalesweep::space
