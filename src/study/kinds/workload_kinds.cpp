#include <algorithm>

#include "study/kinds/workload_kind.hpp"
#include "study/rows/requirements.hpp"
#include "study/search/search.hpp"

namespace scalesweep::study {

WorkloadKinds workload_kinds() {
  static const std::array kinds = {&training_kind(),  &inference_kind(),
                                   &serving_kind(),   &recommendation_kind(),
                                   &diffusion_kind(), &reinforcement_kind()};
  return kinds;
}

EstimateColumns columns_of(const WorkloadKind& kind, const space::Spec& spec) {
  EstimateColumns columns = kind.columns();
  if (kind.optional_columns != nullptr) {
    for (store::Column& column : kind.optional_columns(spec)) {
      columns.figures.push_back(std::move(column));
    }
    if (kind.optional_bounded != nullptr) {
      const std::vector<Bounded> bounded = kind.optional_bounded();
      columns.bounded.insert(columns.bounded.end(), bounded.begin(), bounded.end());
    }
  }
  columns.requirement_statuses = requirement_statuses(spec);
  columns.searched = spec.search.has_value();
  columns.leaves_some = columns.bounds == Bounds::of_time && !spec.requirements.empty() &&
                        is_bounded(spec.keep, spec);
  return columns;
}

const WorkloadKind& kind_of(const space::Spec& spec, WorkloadKinds kinds) {
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const WorkloadKind* kind) {
    return &kind->form == spec.kind;
  });
  SCALESWEEP_EXPECT(found != kinds.end());
  return **found;
}

}  // namespace scalesweep::study
