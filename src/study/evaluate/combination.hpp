// What ids with the same axis indices share.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "study/kinds/point_estimator.hpp"
#include "study/resolve/resolve.hpp"

namespace scalesweep::study {

struct Combination {
  std::vector<std::int32_t> axis_index;
  std::shared_ptr<const SystemChoice> system;
  std::unique_ptr<PointEstimator> estimator;  // null where there is no system
  JobFigures figures;
};

}  // namespace scalesweep::study
