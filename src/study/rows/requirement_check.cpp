#include "study/rows/requirement_check.hpp"

#include "study/columns/outcome_counts.hpp"

namespace scalesweep::study {

RequirementCheck::RequirementCheck(const Requirements& requirements, const store::Schema& schema,
                                   std::size_t axes, std::optional<std::size_t> unasked)
    : requirements_(requirements), one_(schema), writer_(one_, schema, axes), unasked_(unasked) {}

bool RequirementCheck::meets(const std::vector<std::int32_t>& axis_index, PointId id,
                             const parallel::Strategy& strategy, const EstimateRow& row,
                             StatusTally& tally) {
  one_.clear();
  writer_.append_estimate(id, strategy, row);
  writer_.append_coordinates(axis_index, 1);
  requirements_.judge(one_, tally);
  return !requirements_.met(one_).empty();
}

void RequirementCheck::leave(std::int64_t points, StatusTally& tally) const {
  if (unasked_) {
    tally.counts[index_of(Status::ok)] -= points;
    tally.counts[*unasked_] += points;
  }
}

}  // namespace scalesweep::study
