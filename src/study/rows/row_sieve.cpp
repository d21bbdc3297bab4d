#include "study/rows/row_sieve.hpp"

#include "study/kinds/point_estimator.hpp"

namespace scalesweep::study {

RowSieve::RowSieve(const RunSearch& search, const Distributions& distributions,
                   std::size_t statuses, store::Counts& counts)
    : search_(search),
      distributions_(distributions),
      statuses_(statuses),
      counts_(counts),
      values_(search.objectives.size()) {}

bool RowSieve::take(const EstimateRow& row) {
  distributions_.add(row, statuses_, counts_);
  search_.values_of(row, values_);
  if (!search_.incumbents.may_stay(values_)) {
    return false;
  }
  search_.incumbents.add(values_);
  return true;
}

bool may_stay(const RunRows& to) {
  return to.sieve == nullptr || to.sieve->take(to.row);
}

}  // namespace scalesweep::study
