#include "study/rows/keep_filter.hpp"

#include "study/kinds/point_estimator.hpp"

namespace scalesweep::study {

KeepFilter::KeepFilter(const RunSearch& search, const Distributions& distributions,
                       std::size_t statuses, store::Counts& counts)
    : search_(search),
      distributions_(distributions),
      statuses_(statuses),
      counts_(counts),
      values_(search.objectives.size()) {}

bool KeepFilter::take(const EstimateRow& row) {
  distributions_.add(row, statuses_, counts_);
  search_.values_of(row, values_);
  if (!search_.incumbents.can_be_kept(values_)) {
    return false;
  }
  search_.incumbents.add(values_);
  return true;
}

bool can_be_kept(const RunRows& to) {
  return to.sieve == nullptr || to.sieve->take(to.row);
}

}  // namespace scalesweep::study
