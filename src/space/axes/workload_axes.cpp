#include "space/axes/workload_axes.hpp"

#include <algorithm>

#include "space/keys/spec_keys.hpp"

namespace scalesweep::space {

const std::vector<std::string_view>& workload_axes() {
  static const std::vector<std::string_view> asked = [] {
    std::vector<std::string_view> axes;
    for (const Key& key : spec_keys()) {
      if (key.asked && std::find(axes.begin(), axes.end(), key.axis) == axes.end()) {
        axes.push_back(key.axis);
      }
    }
    return axes;
  }();
  return asked;
}

bool is_workload_axis(std::string_view name) {
  const std::vector<std::string_view>& asked = workload_axes();
  return std::find(asked.begin(), asked.end(), name) != asked.end();
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
