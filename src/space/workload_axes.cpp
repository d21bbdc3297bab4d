#include "space/workload_axes.hpp"

#include <algorithm>

namespace scalesweep::space {

bool is_workload_axis(std::string_view name) {
  return std::find(workload_axes.begin(), workload_axes.end(), name) != workload_axes.end();
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
