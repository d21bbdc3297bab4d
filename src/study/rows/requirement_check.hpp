// The [[require]] conditions of a study whose counts are bounded: each estimate that can be kept is
// asked for them before others are compared with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "study/columns/schema.hpp"
#include "study/rows/requirements.hpp"

namespace scalesweep::study {

// Of one evaluator.
class RequirementCheck {
 public:
  // `axes`: how many the study has. `unasked`: the status of points that are left out before they
  // are estimated, where they would count as ok. The first two outlive it.
  RequirementCheck(const Requirements& requirements, const store::Schema& schema, std::size_t axes,
                   std::optional<std::size_t> unasked);

  // Whether the estimate, which is ok, meets all; one that does not is counted with the first that
  // it misses in place of ok.
  bool meets(const std::vector<std::int32_t>& axis_index, PointId id,
             const parallel::Strategy& strategy, const EstimateRow& row, StatusTally& tally);
  // So many that are counted as ok were not asked.
  void leave(std::int64_t points, StatusTally& tally) const;

 private:
  const Requirements& requirements_;
  store::Table one_;
  RowWriter writer_;
  std::optional<std::size_t> unasked_;
};

}  // namespace scalesweep::study
