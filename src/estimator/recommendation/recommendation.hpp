// Estimates of a recommendation model, one strategy after the other.
#pragma once

#include <memory>
#include <optional>

#include "estimator/recommendation/estimate.hpp"
#include "estimator/recommendation/job.hpp"
#include "estimator/recommendation/step.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// Plainly, from the beginning.
RecommendationEstimate estimate_recommendation(const RecommendationJob& job,
                                               const technology::System& system,
                                               const parallel::Strategy& strategy);

// What the batch is made of, each by itself at the clock that it settles at; what runs beside
// others adds less.
struct RecommendationTerms {
  PlacedTables tables;
  DenseCosts dense;
  TableCosts rows;
  RowExchange exchange;
};
struct RecommendationExplanation {
  RecommendationEstimate estimate;
  RecommendationTerms terms;
};
RecommendationExplanation explain_recommendation(const RecommendationJob& job,
                                                 const technology::System& system,
                                                 const parallel::Strategy& strategy);

// The same, with what strategies and systems share computed once: where tables are, for all
// devices; kernels, for all networks of a device.
class RecommendationEstimator {
 public:
  // `before`: one of the same study, of which what holds here is taken over; may be null.
  RecommendationEstimator(RecommendationJob job, const technology::System& system,
                          const RecommendationEstimator* before = nullptr);
  RecommendationEstimator(const RecommendationEstimator&) = delete;  // parts refer to the system
  RecommendationEstimator& operator=(const RecommendationEstimator&) = delete;
  ~RecommendationEstimator();

  const RecommendationJob& job() const { return job_; }
  const technology::System& system() const { return system_; }

  RecommendationEstimate operator()(const parallel::Strategy& strategy);
  // Where it does not fit, no more than the memory.
  RecommendationEstimate if_fits(const parallel::Strategy& strategy);

 private:
  class Memo;

  RecommendationEstimate compose(const parallel::Strategy& strategy,
                                 const RecommendationMemory& memory);
  const RowExchange& exchange(const parallel::Strategy& strategy);
  RecommendationEstimate at_clock(const parallel::Strategy& strategy, int clock_step);

  RecommendationJob job_;
  technology::System system_;
  std::shared_ptr<Memo> memo_;
  std::optional<DeviceCollectives> collectives_;  // of the last number of devices
  // Of the last strategy: no clock changes it.
  parallel::Strategy exchanges_;
  RowExchange exchange_;
};

}  // namespace scalesweep::estimator
