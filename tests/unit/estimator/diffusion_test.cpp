#include "estimator/diffusion/diffusion.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "estimator/diffusion/memory.hpp"
#include "estimator/parts/kernels.hpp"
#include "estimator/parts/matmul.hpp"
#include "support/examples.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::ContextExchange;
using workload::DiffusionLayer;

DiffusionJob small_job(DiffusionLayer kind = DiffusionLayer::cross) {
  DiffusionJob job;
  workload::DiffusionModel& model = job.model;
  model.layers[static_cast<std::size_t>(kind)] = 30;
  model.hidden = 1536;
  model.heads = 16;
  model.head_dim = 96;
  model.ffn = 6144;
  model.modulation_width = 1536;
  model.text_tokens = 256;
  model.text_width = 4096;
  model.encoder_parameters = 4.8e9;
  model.encoder_width = 4096;
  model.channels = 16;
  model.decoder_flop = 9.4e6;
  model.decoder_elements = 1e4;
  model.decoder_channels = 256;
  model.decoder_parameters = 5e7;
  model.steps = 20;
  job.framework.diffusion.fused_pointwise = true;
  return job;
}

parallel::Strategy layout(std::int32_t tp, std::int32_t cp, std::int32_t dp,
                          ContextExchange exchange = ContextExchange::all_to_all) {
  parallel::Strategy strategy;
  strategy.tensor_parallel = tp;
  strategy.context_parallel = cp;
  strategy.data_parallel = dp;
  strategy.context_exchange = exchange;
  return strategy;
}

DiffusionEstimate estimate_of(const DiffusionJob& job, const parallel::Strategy& strategy) {
  return estimate_diffusion(job, test::example_system(), strategy);
}

double phase(const DiffusionEstimate& estimate, DiffusionPhase which) {
  return estimate.phase_s[static_cast<std::size_t>(which)];
}

TEST(DiffusionEstimates, PhasesAndChargesSumToTheTime) {
  for (const DiffusionLayer kind :
       {DiffusionLayer::separate, DiffusionLayer::joint, DiffusionLayer::cross}) {
    for (const auto& strategy : {layout(1, 1, 1), layout(4, 1, 2), layout(1, 8, 1),
                                 layout(2, 4, 2, ContextExchange::ring)}) {
      DiffusionJob job = small_job(kind);
      job.framework.diffusion.issue_interval_s = 1e-5;
      job.framework.diffusion.step_overhead_s = 1e-3;
      const DiffusionEstimate estimate = estimate_of(job, strategy);
      const double sum = std::accumulate(estimate.phase_s.begin(), estimate.phase_s.end(), 0.0);
      EXPECT_NEAR(sum / estimate.batch_time_s(), 1.0, 1e-12);
      EXPECT_GT(estimate.energy.total_j(), 0.0);
    }
  }
}

// A step by hand: products, attention and streams of each layer, and of what is before and behind.
TEST(DiffusionEstimates, AStepIsTheSumOfItsKernels) {
  const DiffusionJob job = small_job();
  const technology::System system = test::example_system();
  const workload::DiffusionSlice slice = slice_of(job, layout(1, 1, 1));
  EXPECT_EQ(slice.passes, 2.0);
  EXPECT_EQ(slice.latent_tokens, 4096.0);
  const Rates rates = rates_of(system.device, technology::Precision::bf16);
  double step_s = 0.0;
  for (const auto& op : workload::diffusion_layer(job.model, DiffusionLayer::cross, slice)) {
    step_s += 30.0 * operator_cost(op, rates).time.total_s();
  }
  for (const auto& op : workload::diffusion_ends(job.model, slice)) {
    step_s += operator_cost(op, rates).time.total_s();
  }
  technology::System unlimited = system;
  unlimited.device.thermal_design_power = Watts::si(0.0);
  EXPECT_NEAR(estimate_diffusion(job, unlimited, layout(1, 1, 1)).step_s, step_s, 1e-9 * step_s);
}

TEST(DiffusionEstimates, StepsAreAllAlike) {
  DiffusionJob job = small_job();
  technology::System system = test::example_system();
  system.device.thermal_design_power = Watts::si(0.0);
  const auto time_s = [&](std::int64_t steps) {
    job.model.steps = steps;
    return estimate_diffusion(job, system, layout(1, 1, 1)).batch_time_s();
  };
  EXPECT_NEAR(time_s(30) - time_s(20), time_s(20) - time_s(10), 1e-9 * time_s(30));
}

// Two replicas have a pass each, and hand their latents over.
TEST(DiffusionEstimates, GuidedPassesOnTwoReplicasTakeHalfTheTime) {
  const DiffusionJob job = small_job();
  const DiffusionEstimate one = estimate_of(job, layout(1, 1, 1));
  const DiffusionEstimate two = estimate_of(job, layout(1, 1, 2));
  EXPECT_EQ(phase(one, DiffusionPhase::guidance_exchange), 0.0);
  EXPECT_GT(phase(two, DiffusionPhase::guidance_exchange), 0.0);
  EXPECT_LT(phase(two, DiffusionPhase::guidance_exchange), 0.02 * two.batch_time_s());
  EXPECT_NEAR(two.step_s / one.step_s, 0.5, 0.06);
}

TEST(DiffusionEstimates, TokensOnSeveralDevicesAreExchanged) {
  const DiffusionJob job = small_job();
  const DiffusionEstimate one = estimate_of(job, layout(1, 1, 1));
  for (const ContextExchange exchange : {ContextExchange::all_to_all, ContextExchange::ring}) {
    const DiffusionEstimate four = estimate_of(job, layout(1, 4, 1, exchange));
    EXPECT_GT(phase(four, DiffusionPhase::context_exchange), 0.0);
    EXPECT_EQ(phase(four, DiffusionPhase::tensor_reduction), 0.0);
    EXPECT_GT(four.step_s, 0.25 * one.step_s);
    EXPECT_LT(four.step_s, 0.5 * one.step_s);
    EXPECT_EQ(phase(four, DiffusionPhase::decoder), phase(one, DiffusionPhase::decoder));
  }
  const DiffusionEstimate cut = estimate_of(job, layout(4, 1, 1));
  EXPECT_GT(phase(cut, DiffusionPhase::tensor_reduction), 0.0);
  EXPECT_EQ(phase(cut, DiffusionPhase::context_exchange), 0.0);
}

// A host that issues more slowly than the device runs sets the time of a step.
TEST(DiffusionEstimates, SlowHostsSetTheTimeOfAStep) {
  DiffusionJob job = small_job();
  job.framework.diffusion.issue_interval_s = 1e-2;
  const DiffusionExplanation told = explain_diffusion(job, test::example_system(), layout(1, 1, 1));
  EXPECT_NEAR(told.estimate.step_s, 1e-2 * told.terms.kernels.pass.kernels,
              1e-9 * told.estimate.step_s);
}

// Weights by hand: the transformer cut, encoder and decoder whole.
TEST(DiffusionEstimates, MemoryHoldsEncodersAndDecoderBesideTheTransformer) {
  const DiffusionJob job = small_job();
  const technology::Device device = test::example_system().device;
  const DiffusionMemory one = diffusion_memory(job, layout(1, 1, 1), device);
  const DiffusionMemory two = diffusion_memory(job, layout(2, 1, 1), device);
  EXPECT_DOUBLE_EQ(one.denoiser_bytes, 2.0 * job.model.parameters());
  EXPECT_DOUBLE_EQ(two.denoiser_bytes, job.model.parameters());
  EXPECT_DOUBLE_EQ(one.weights_bytes - one.denoiser_bytes, 2.0 * (4.8e9 + 5e7));
  EXPECT_DOUBLE_EQ(one.output_bytes, 2.0 * 3.0 * 1024 * 1024);
  DiffusionJob narrow = job;
  narrow.operands = technology::Precision::fp8;
  EXPECT_DOUBLE_EQ(diffusion_memory(narrow, layout(1, 1, 1), device).denoiser_bytes,
                   job.model.parameters());
}

TEST(DiffusionEstimates, WhatDoesNotFitSaysHowMuchIsShort) {
  DiffusionJob job = small_job();
  job.model.encoder_parameters = 1e12;
  DiffusionEstimator estimator(job, test::example_system());
  const DiffusionEstimate estimate = estimator.if_fits(layout(1, 1, 1));
  EXPECT_EQ(estimate.verdict, Verdict::does_not_fit);
  EXPECT_GT(estimate.memory.short_bytes(), 1e12);
  EXPECT_EQ(estimate.batch_time_s(), 0.0);
  EXPECT_GT(estimator(layout(1, 1, 1)).batch_time_s(), 0.0);
}

}  // namespace
}  // namespace scalesweep::estimator
