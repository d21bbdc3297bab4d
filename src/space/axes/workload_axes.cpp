#include "space/axes/workload_axes.hpp"

#include <algorithm>
#include <array>

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

bool has_order(std::string_view name) {
  constexpr std::array<std::string_view, 4> generations = {"logic", "memories", "scale_up",
                                                           "scale_out"};
  const auto keys = spec_keys();
  return std::any_of(keys.begin(), keys.end(), [&](const Key& key) {
    return key.axis == name && std::find(generations.begin(), generations.end(),
                                         key.names.section) != generations.end();
  });
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
