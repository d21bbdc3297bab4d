// The estimator of a kind of work: its loops know the kind.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "estimator/parts/power/power_limit.hpp"
#include "study/kinds/point_estimator.hpp"
#include "study/kinds/workload_kind.hpp"
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

// WorkloadKind::estimator of a kind whose `Work` is made of the same.
template <typename Work>
std::unique_ptr<PointEstimator> make_estimator(Job job, const SystemChoice& systems,
                                               std::span<const OperatorName> operators,
                                               const PointEstimator* before) {
  return std::make_unique<EstimatorOf<Work>>(std::move(job), systems, operators,
                                             estimator_cast<Work>(before));
}

// By an estimator of a job on a system (estimator::BatchEstimator). `lack_text` says of an estimate
// that does not fit what is lacking, a sentence.
template <typename Estimator, std::string (*lack_text)(const typename Estimator::Estimate&,
                                                       const typename Estimator::Job&)>
class PlainWork {
 public:
  static constexpr std::span<const KindStatus> statuses = {};

  PlainWork(Job job, const SystemChoice& systems, std::span<const OperatorName> /*operators*/,
            const PlainWork* before)
      : estimator_(work_of<typename Estimator::Job>(std::move(job)), *systems.system,
                   before != nullptr ? &before->estimator_ : nullptr) {}

  Status estimate(const parallel::Strategy& strategy, Rows rows) {
    last_ = rows == Rows::feasible ? estimator_.if_fits(strategy) : estimator_(strategy);
    return status_of_batch(last_);
  }
  double rank() const { return last_.batch_time_s(); }
  std::string reason() const {
    return last_.verdict != estimator::Verdict::fits ? lack_text(last_, estimator_.job())
           : last_.unkept_power_w > 0.0
               ? estimator::unkept_limit_text(estimator_.system().device, last_.unkept_power_w)
               : "";
  }
  void fill(EstimateRow& row, const JobFigures& figures) const { fill_row(row, last_, figures); }
  double nearest(const JobFigures& figures) const { return shortfall_of(last_, figures); }

 private:
  Estimator estimator_;
  typename Estimator::Estimate last_;
};

}  // namespace scalesweep::study
