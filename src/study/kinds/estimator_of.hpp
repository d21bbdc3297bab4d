// The estimator of a kind of work: its loops know the kind.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "study/kinds/point_estimator.hpp"
#include "study/search/least_within.hpp"
#include "study/search/search_rates.hpp"
#include "study/search/search_rows.hpp"

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
    } else if constexpr (HasRates<Work>) {
      if (to.search != nullptr) {
        return RateSearcher<Work>(work_, to).append_rows();
      }
    }
    return study::append_rows(work_, to);
  }
  void least_within(const EnvelopeRun& of, std::span<double> least) override {
    if constexpr (HasBounds<Work>) {
      study::least_within(work_, of, least);
    } else {
      std::fill(least.begin(), least.end(), -std::numeric_limits<double>::infinity());
    }
  }
  Outcome estimate(const parallel::Strategy& strategy) override {
    const Status status = work_.estimate(strategy, Rows::all);
    return {status, has_estimate(status, Work::statuses)};
  }
  double rank() const override { return work_.rank(); }
  std::string reason() const override { return work_.reason(); }

  const Work& work() const { return work_; }

 private:
  Work work_;
};

// That of an estimator of this kind; null where there is none.
template <typename Work>
const Work* estimator_cast(const PointEstimator* estimator) {
  const auto* same = dynamic_cast<const EstimatorOf<Work>*>(estimator);
  return same != nullptr ? &same->work() : nullptr;
}

}  // namespace scalesweep::study
