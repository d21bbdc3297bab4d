// One training step of a transformer: time with its causes, memory, energy.
//
// A device never takes more than its thermal design power on average over the step: where it would,
// the clock of cores, L2 and shared memory drops until it does not, and everything is reported at
// the clock where it settles.
//
// Pure: the same arguments give the same bits. No I/O, no clock, no globals.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "estimator/parts/closeness.hpp"
#include "estimator/training/bounds/survey.hpp"
#include "estimator/training/estimate.hpp"
#include "estimator/training/job.hpp"
#include "technology/derive/envelope.hpp"

namespace scalesweep::estimator {

// The plain path: everything from the beginning. The oracle of the factored one.
TrainingEstimate estimate_training(const Setting& setting);

// The factored path: what layers cost, stages take and replicas send is computed once for all
// strategies that share it, and what no device decides once for all systems. Same bits as the plain
// path. One per thread; holds a bounded memo.
class TrainingEstimator {
 public:
  // `before`: one of another system, whose memo is used as far as it holds here; may be null.
  TrainingEstimator(TrainingJob job, technology::System system,
                    const TrainingEstimator* before = nullptr);
  ~TrainingEstimator();
  TrainingEstimator(TrainingEstimator&&) noexcept;
  TrainingEstimator& operator=(TrainingEstimator&&) noexcept;

  // Of a single strategy.
  TrainingEstimate operator()(const parallel::Strategy& strategy);
  // Of strategies[index], one of many: `strategies` must stay where it is and what it is, here and
  // below.
  TrainingEstimate operator()(std::span<const parallel::Strategy> strategies, std::size_t index);
  // The same where it fits. Of another there is only the verdict and the memory, which takes a
  // fraction of the time.
  TrainingEstimate if_fits(std::span<const parallel::Strategy> strategies, std::size_t index);
  // The memory, which decides whether it fits; nothing else is estimated. This and what the next
  // three give holds until the next call.
  const TrainingEstimate& settle(std::span<const parallel::Strategy> strategies, std::size_t index);
  // Of all that fit, what no network makes less; the fastest first.
  std::span<const LeastStep> least_steps(std::span<const parallel::Strategy> strategies);
  // As at_least(), from one of these: farther from the estimate, and at once.
  const TrainingEstimate& at_least(std::span<const parallel::Strategy> strategies,
                                   const LeastStep& step);
  // What the estimate of strategies[index], if it fits, is never below: in the time of the step,
  // the energy and the memory, which is the same; nor above in the utilization. How time and energy
  // are made up, power and traits are left open. Of a strategy that does not fit as above.
  const TrainingEstimate& at_least(std::span<const parallel::Strategy> strategies,
                                   std::size_t index, Closeness closeness = Closeness::near);
  // Both of every system of the envelope, of whose fastest one this is, with its networks. From far
  // nothing is known of the energy.
  const TrainingEstimate& at_least(std::span<const parallel::Strategy> strategies,
                                   const LeastStep& step, const technology::Envelope& envelope);
  const TrainingEstimate& at_least(std::span<const parallel::Strategy> strategies,
                                   std::size_t index, const technology::Envelope& envelope);

 private:
  struct Memo;
  std::unique_ptr<Memo> memo_;
};

}  // namespace scalesweep::estimator
