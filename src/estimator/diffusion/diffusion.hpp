// Estimates of a diffusion model, one strategy after the other.
#pragma once

#include <optional>

#include "estimator/batches/batch_estimator.hpp"
#include "estimator/batches/keyed_memo.hpp"
#include "estimator/diffusion/estimate.hpp"
#include "estimator/diffusion/job.hpp"
#include "estimator/diffusion/pass.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// Images that are made, or trained on.
struct DiffusionBatch {
  using Job = DiffusionJob;
  using Estimate = DiffusionEstimate;
  using Terms = DiffusionTerms;

  struct OnDevice {
    OnDevice(const DiffusionJob& of, const technology::Device& on, const OnDevice* /*before*/)
        : job(of), device(on) {}

    const DiffusionMemory& memory(const parallel::Strategy& strategy);

    const DiffusionJob& job;
    const technology::Device& device;
    KeyedMemo<parallel::Strategy, DiffusionMemory> memories;
  };

  struct Kernels {
    Kernels(const OnDevice& on_device, const technology::Device& clocked)
        : job(on_device.job), device(clocked) {}

    const DiffusionKernels& of(const parallel::Strategy& strategy);

    const DiffusionJob& job;
    const technology::Device& device;
    MatMulMemo matmuls;
    KeyedMemo<parallel::Strategy, DiffusionKernels> known;
  };

  struct Networks {
    Networks(const DiffusionJob& of, const technology::System& on) : job(of), system(on) {}

    void settle(const parallel::Strategy& strategy);

    const DiffusionJob& job;
    const technology::System& system;
    std::optional<parallel::Strategy> last;  // of which the rest is
    DiffusionExchange exchange;
    DiffusionUpdate update;
  };

  static Terms terms(OnDevice& on_device, Kernels& kernels, Networks& networks,
                     const parallel::Strategy& strategy);
  static DiffusionCosts costs(const DiffusionJob& job, const technology::System& system,
                              const parallel::Strategy& strategy, const Terms& terms);
  static void set_figures(Estimate& estimate, const DiffusionJob& job,
                          const parallel::Strategy& strategy, const Terms& terms,
                          const DiffusionCosts& costs);
  static double model_flop(const DiffusionJob& job);
};

using DiffusionEstimator = BatchEstimator<DiffusionBatch>;

// Plainly, from the beginning.
DiffusionEstimate estimate_diffusion(const DiffusionJob& job, const technology::System& system,
                                     const parallel::Strategy& strategy);

// With what the batch is made of, at the clock that it settles at.
struct DiffusionExplanation {
  DiffusionEstimate estimate;
  DiffusionTerms terms;
};
DiffusionExplanation explain_diffusion(const DiffusionJob& job, const technology::System& system,
                                       const parallel::Strategy& strategy);

}  // namespace scalesweep::estimator
