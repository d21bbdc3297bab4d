#include <algorithm>
#include <vector>

#include "keys/rows.hpp"

namespace scalesweep::keys {

std::span<const Row> axis_rows() {
  static const std::vector<Row> all = [] {
    const std::vector<Row> pools = pool_rows();
    std::vector<Row> rows;
    for (const std::span<const Row> part :
         {workload_rows(), request_rows(), image_rows(), recommendation_rows(), diffusion_rows(),
          reinforcement_rows(), system_rows(), std::span<const Row>(pools), economics_rows(),
          run_rows()}) {
      rows.insert(rows.end(), part.begin(), part.end());
    }
    return rows;
  }();
  return all;
}

std::vector<AxisSetter> setters_of(Target target, std::span<const Row> rows) {
  std::vector<AxisSetter> found;
  for (const bool is_later : {false, true}) {
    for (const Row& row : rows) {
      const auto setter = std::find_if(row.set.begin(), row.set.end(),
                                       [&](const Setter& one) { return one.target == target; });
      const bool is_known = std::any_of(found.begin(), found.end(), [&](const AxisSetter& one) {
        return one.axis == row.key.axis;
      });
      if (setter != row.set.end() && !row.after.empty() == is_later && !is_known) {
        found.push_back({row.key.axis, setter->set});
      }
    }
  }
  return found;
}

}  // namespace scalesweep::keys
