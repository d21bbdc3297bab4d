#include "estimator/diffusion/diffusion.hpp"

#include "core/contracts.hpp"
#include "estimator/diffusion/memory.hpp"
#include "estimator/diffusion/training_step.hpp"

namespace scalesweep::estimator {
namespace {

// All that kernels ask of a strategy.
parallel::Strategy kernels_key(const DiffusionJob& job, const parallel::Strategy& strategy) {
  if (!job.trains()) {
    return strategy;
  }
  parallel::Strategy key;  // of a micro-batch
  key.tensor_parallel = strategy.tensor_parallel;
  key.context_parallel = strategy.context_parallel;
  key.context_exchange = strategy.context_exchange;
  key.micro_batch = strategy.micro_batch;
  key.zero = strategy.zero > 0 ? 1 : 0;
  return key;
}

}  // namespace

const DiffusionMemory& DiffusionBatch::OnDevice::memory(const parallel::Strategy& strategy) {
  return memories.at(strategy, [&] { return diffusion_memory(job, strategy, device); });
}

const DiffusionKernels& DiffusionBatch::Kernels::of(const parallel::Strategy& strategy) {
  const parallel::Strategy key = kernels_key(job, strategy);
  return known.at(key, [&] { return diffusion_kernels(job, key, device, matmuls); });
}

void DiffusionBatch::Networks::settle(const parallel::Strategy& strategy) {
  if (last != strategy) {
    exchange = diffusion_exchange(job, strategy, system);
    update = job.trains() ? diffusion_update(job, strategy, system) : DiffusionUpdate{};
    last = strategy;
  }
}

DiffusionTerms DiffusionBatch::terms(OnDevice& on_device, Kernels& kernels, Networks& networks,
                                     const parallel::Strategy& strategy) {
  SCALESWEEP_EXPECT(on_device.job.passes() % strategy.data_parallel == 0);
  networks.settle(strategy);
  return {slice_of(on_device.job, strategy), kernels.of(strategy), networks.exchange,
          networks.update};
}

DiffusionCosts DiffusionBatch::costs(const DiffusionJob& job, const technology::System& system,
                                     const parallel::Strategy& strategy, const Terms& terms) {
  return job.trains() ? training_costs(job, strategy, system, terms)
                      : diffusion_costs(job, strategy, system, terms);
}

void DiffusionBatch::set_figures(Estimate& estimate, const DiffusionJob& job,
                                 const parallel::Strategy& /*strategy*/, const Terms& terms,
                                 const DiffusionCosts& costs) {
  const bool joins_text = job.model.layers_of(workload::DiffusionLayer::cross) == 0;
  estimate.step_s = costs.step_s;
  estimate.tokens =
      terms.slice.latent_tokens + (joins_text ? static_cast<double>(job.model.text_tokens) : 0.0);
}

double DiffusionBatch::model_flop(const DiffusionJob& job) {
  return (job.trains() ? 3.0 : 1.0) * static_cast<double>(job.passes() * job.steps()) *
         workload::denoiser_flop(job.model, job.image);
}

DiffusionEstimate estimate_diffusion(const DiffusionJob& job, const technology::System& system,
                                     const parallel::Strategy& strategy) {
  return DiffusionEstimator(job, system)(strategy);
}

DiffusionExplanation explain_diffusion(const DiffusionJob& job, const technology::System& system,
                                       const parallel::Strategy& strategy) {
  DiffusionEstimator estimator(job, system);
  const DiffusionEstimate estimate = estimator(strategy);
  return {estimate, estimator.terms(strategy, estimate.clock_step)};
}

}  // namespace scalesweep::estimator
