// Estimates of a diffusion model, one strategy after the other.
#pragma once

#include <memory>
#include <optional>

#include "estimator/diffusion/estimate.hpp"
#include "estimator/diffusion/job.hpp"
#include "estimator/diffusion/pass.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// Plainly, from the beginning.
DiffusionEstimate estimate_diffusion(const DiffusionJob& job, const technology::System& system,
                                     const parallel::Strategy& strategy);

// What the batch is made of, at the clock that it settles at.
struct DiffusionExplanation {
  DiffusionEstimate estimate;
  DiffusionTerms terms;
};
DiffusionExplanation explain_diffusion(const DiffusionJob& job, const technology::System& system,
                                       const parallel::Strategy& strategy);

// The same, with what strategies and systems share computed once: kernels, for all networks of a
// device.
class DiffusionEstimator {
 public:
  // `before`: one of the same study, of which what holds here is taken over; may be null.
  DiffusionEstimator(DiffusionJob job, const technology::System& system,
                     const DiffusionEstimator* before = nullptr);
  DiffusionEstimator(const DiffusionEstimator&) = delete;  // parts refer to the system
  DiffusionEstimator& operator=(const DiffusionEstimator&) = delete;
  ~DiffusionEstimator();

  const DiffusionJob& job() const { return job_; }
  const technology::System& system() const { return system_; }

  DiffusionEstimate operator()(const parallel::Strategy& strategy);
  // Where it does not fit, no more than the memory.
  DiffusionEstimate if_fits(const parallel::Strategy& strategy);

 private:
  class Memo;

  DiffusionEstimate compose(const parallel::Strategy& strategy, const DiffusionMemory& memory);
  DiffusionEstimate at_clock(const parallel::Strategy& strategy, int clock_step);
  void set_exchange(const parallel::Strategy& strategy);

  DiffusionJob job_;
  technology::System system_;
  std::shared_ptr<Memo> memo_;
  // Of the last strategy: no clock changes it.
  std::optional<parallel::Strategy> exchanges_;
  DiffusionExchange exchange_;
  DiffusionUpdate update_;
};

}  // namespace scalesweep::estimator
