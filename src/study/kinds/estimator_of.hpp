// The estimator of a kind of work: its loops know the kind.
#pragma once

#include <string>
#include <utility>

#include "study/kinds/point_estimator.hpp"
#include "study/kinds/search_rows.hpp"

namespace scalesweep::study {

// Also rank() and reason() of the last estimate.
template <typename Work>
class EstimatorOf final : public PointEstimator {
 public:
  template <typename... Arguments>
  explicit EstimatorOf(Arguments&&... arguments) : work_(std::forward<Arguments>(arguments)...) {}

  std::size_t append_rows(const RunRows& to) override {
    if constexpr (HasBounds<Work>) {
      if (to.search != nullptr) {
        return search_rows(work_, to);
      }
    }
    return study::append_rows(work_, to);
  }
  Outcome estimate(const parallel::Strategy& strategy) override {
    const Status status = work_.estimate(strategy, Rows::all);
    return {status, has_estimate(status, Work::statuses)};
  }
  double rank() const override { return work_.rank(); }
  std::string reason() const override { return work_.reason(); }

 private:
  Work work_;
};

}  // namespace scalesweep::study
