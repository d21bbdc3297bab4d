#include "estimator/diffusion/diffusion.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "estimator/diffusion/memory.hpp"
#include "estimator/parts/kernels.hpp"
#include "estimator/parts/matmul.hpp"
#include "support/examples.hpp"
#include "workload/diffusion/diffusion_layers.hpp"

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
  job.stack.fused_pointwise = true;
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
      job.stack.issue_interval_s = 1e-5;
      job.stack.step_overhead_s = 1e-3;
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
  for (const auto& op :
       workload::diffusion_layer(job.model, DiffusionLayer::cross, slice).operators.forward) {
    step_s += 30.0 * operator_cost(op, rates).time.total_s();
  }
  for (const auto& op : workload::diffusion_ends(job.model, slice).operators.forward) {
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
  job.stack.issue_interval_s = 1e-2;
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

DiffusionJob trained_job(DiffusionLayer kind = DiffusionLayer::cross) {
  DiffusionJob job = small_job(kind);
  job.work = workload::BatchWork::training;
  job.batch = 16;
  return job;
}

parallel::Strategy trained_on(std::int32_t dp, std::int32_t micro_batch,
                              std::int32_t micro_batches) {
  parallel::Strategy strategy;
  strategy.data_parallel = dp;
  strategy.micro_batch = micro_batch;
  strategy.micro_batches = micro_batches;
  return strategy;
}

TEST(DiffusionTraining, PhasesAndChargesSumToTheStep) {
  for (const DiffusionLayer kind :
       {DiffusionLayer::separate, DiffusionLayer::joint, DiffusionLayer::cross}) {
    for (const int zero : {0, 1, 2, 3}) {
      parallel::Strategy strategy = trained_on(4, 2, 2);
      strategy.tensor_parallel = 2;
      strategy.context_parallel = 2;
      strategy.zero = static_cast<std::uint8_t>(zero);
      strategy.recompute = parallel::Recompute::full;
      DiffusionJob job = trained_job(kind);
      job.stack.issue_interval_s = 1e-5;
      const DiffusionEstimate estimate = estimate_of(job, strategy);
      const double sum = std::accumulate(estimate.phase_s.begin(), estimate.phase_s.end(), 0.0);
      EXPECT_NEAR(sum / estimate.batch_time_s(), 1.0, 1e-12);
      EXPECT_DOUBLE_EQ(estimate.step_s, estimate.batch_time_s());
      EXPECT_GT(phase(estimate, DiffusionPhase::backward), 0.0);
      EXPECT_GT(phase(estimate, DiffusionPhase::recompute), 0.0);
      EXPECT_GT(phase(estimate, DiffusionPhase::replica_exchange), 0.0);
      EXPECT_GT(phase(estimate, DiffusionPhase::optimizer), 0.0);
      EXPECT_GT(phase(estimate, DiffusionPhase::latent_encoder), 0.0);
      EXPECT_GT(phase(estimate, DiffusionPhase::text_encoder), 0.0);
      EXPECT_EQ(phase(estimate, DiffusionPhase::decoder), 0.0);
      EXPECT_EQ(phase(estimate, DiffusionPhase::guidance_exchange), 0.0);
    }
  }
}

// Forward and backward kernels by hand; frozen encoders, and the optimizer behind all.
TEST(DiffusionTraining, AStepIsTheSumOfItsKernels) {
  DiffusionJob job = trained_job();
  job.training.encodes = false;
  technology::System system = test::example_system();
  system.device.thermal_design_power = Watts::si(0.0);
  const parallel::Strategy strategy = trained_on(1, 8, 2);
  const workload::DiffusionSlice slice = slice_of(job, strategy);
  EXPECT_EQ(slice.passes, 8.0);
  EXPECT_TRUE(slice.casts_weights());
  const Rates rates = rates_of(system.device, technology::Precision::bf16);
  const auto time_of = [&](const workload::LayerOperators& operators) {
    double time_s = 0.0;
    for (const auto* list : {&operators.forward, &operators.backward}) {
      for (const workload::Operator& op : *list) {
        time_s += operator_cost(op, rates).time.total_s();
      }
    }
    for (const auto* list : {&operators.data_gradients, &operators.weight_gradients}) {
      for (const workload::MatMul& op : *list) {
        time_s += matmul_cost(op, rates).cost.time.total_s();
      }
    }
    return time_s;
  };
  const double passes_s =
      30.0 * time_of(workload::diffusion_layer(job.model, DiffusionLayer::cross, slice).operators) +
      time_of(workload::diffusion_ends(job.model, slice).operators);
  const DiffusionEstimate estimate = estimate_diffusion(job, system, strategy);
  EXPECT_NEAR(estimate.batch_time_s(), 2.0 * passes_s + phase(estimate, DiffusionPhase::optimizer),
              1e-9 * estimate.batch_time_s());
  EXPECT_DOUBLE_EQ(estimate.model_flop, 3.0 * 16.0 * workload::denoiser_flop(job.model, job.image));
}

// A moving average is read and written beside the weight that goes into it: 12 bytes a parameter.
TEST(DiffusionTraining, AveragedWeightsAreStreamedAndKept) {
  DiffusionJob job = trained_job();
  const technology::System system = test::example_system();
  const parallel::Strategy strategy = trained_on(1, 16, 1);
  const double averaged_s =
      phase(estimate_diffusion(job, system, strategy), DiffusionPhase::optimizer);
  const DiffusionMemory averaged = diffusion_memory(job, strategy, system.device);
  job.training.averages_weights = false;
  const double plain_s =
      phase(estimate_diffusion(job, system, strategy), DiffusionPhase::optimizer);
  const DiffusionMemory plain = diffusion_memory(job, strategy, system.device);
  const double parameters = job.model.parameters();
  const double rate = system.device.dram.bandwidth.si() * system.device.dram.sustained;
  EXPECT_NEAR(averaged_s - plain_s, 12.0 * parameters / rate, 1e-9 * averaged_s);
  EXPECT_DOUBLE_EQ(averaged.average_bytes, 4.0 * parameters);
  EXPECT_EQ(plain.average_bytes, 0.0);
  EXPECT_NEAR(averaged.total_bytes() - plain.total_bytes(), 4.0 * parameters, 1.0);
}

// Weights, gradients and moments by hand: fp32, as the weights, and sharded by ZeRO.
TEST(DiffusionTraining, MemoryHoldsStatesAsReplicasShareThem) {
  DiffusionJob job = trained_job();
  const technology::Device device = test::example_system().device;
  const double p = job.model.parameters();
  const auto memory_of = [&](int zero) {
    parallel::Strategy strategy = trained_on(4, 4, 1);
    strategy.zero = static_cast<std::uint8_t>(zero);
    return diffusion_memory(job, strategy, device);
  };
  EXPECT_DOUBLE_EQ(memory_of(0).denoiser_bytes, 4.0 * p);
  EXPECT_DOUBLE_EQ(memory_of(0).gradients_bytes, 4.0 * p);
  EXPECT_DOUBLE_EQ(memory_of(0).optimizer_bytes, 8.0 * p);
  EXPECT_DOUBLE_EQ(memory_of(1).denoiser_bytes, 2.0 * p);
  EXPECT_DOUBLE_EQ(memory_of(1).optimizer_bytes, 12.0 * p / 4.0);
  EXPECT_DOUBLE_EQ(memory_of(1).average_bytes, p);
  EXPECT_DOUBLE_EQ(memory_of(2).gradients_bytes, p);
  // A quarter, and of 31 parts of the rest the one in work and the next.
  EXPECT_DOUBLE_EQ(memory_of(3).denoiser_bytes, 2.0 * (0.25 * p + 2.0 * 0.75 * p / 31.0));
  EXPECT_DOUBLE_EQ(memory_of(0).weights_bytes - memory_of(0).denoiser_bytes,
                   2.0 * (4.8e9 + workload::LatentEncoder::parameters * 5e7));
  job.training.states_as_weights = true;
  EXPECT_DOUBLE_EQ(memory_of(0).denoiser_bytes, 2.0 * p);
  EXPECT_DOUBLE_EQ(memory_of(0).gradients_bytes, 2.0 * p);
  EXPECT_DOUBLE_EQ(memory_of(0).optimizer_bytes, 4.0 * p);
  job.training.encodes = false;
  EXPECT_DOUBLE_EQ(memory_of(0).weights_bytes, memory_of(0).denoiser_bytes);
}

TEST(DiffusionTraining, RecomputedLayersKeepTheirInputs) {
  DiffusionJob job = trained_job();
  const technology::Device device = test::example_system().device;
  parallel::Strategy strategy = trained_on(1, 16, 1);
  const double kept = diffusion_memory(job, strategy, device).activations_bytes;
  strategy.recompute = parallel::Recompute::full;
  const double recomputed = diffusion_memory(job, strategy, device).activations_bytes;
  strategy.recompute_every = 2;
  const double half = diffusion_memory(job, strategy, device).activations_bytes;
  const workload::SavedActivations layer =
      workload::diffusion_layer(job.model, DiffusionLayer::cross, slice_of(job, strategy)).kept;
  EXPECT_NEAR(kept - recomputed, 30.0 * (layer.kept_bytes - layer.input_bytes) - layer.most_bytes,
              1e-9 * kept);
  EXPECT_NEAR(kept - half, 15.0 * (layer.kept_bytes - layer.input_bytes) - layer.most_bytes,
              1e-9 * kept);
}

// What was computed before costs nothing of a step, nor of its memory.
TEST(DiffusionTraining, StoredLatentsNeedNoEncoders) {
  DiffusionJob job = trained_job();
  job.training.encodes = false;
  const DiffusionEstimate estimate = estimate_of(job, trained_on(1, 16, 1));
  EXPECT_EQ(phase(estimate, DiffusionPhase::text_encoder), 0.0);
  EXPECT_EQ(phase(estimate, DiffusionPhase::latent_encoder), 0.0);
}

TEST(DiffusionTraining, ReplicasHideGradientsBehindTheBackwardPass) {
  DiffusionJob job = trained_job();
  job.batch = 64;
  const DiffusionEstimate hidden = estimate_of(job, trained_on(8, 8, 1));
  job.stack.replicas.hides_data_communication = false;
  const DiffusionEstimate open = estimate_of(job, trained_on(8, 8, 1));
  EXPECT_LT(phase(hidden, DiffusionPhase::replica_exchange),
            0.5 * phase(open, DiffusionPhase::replica_exchange));
  EXPECT_EQ(phase(estimate_of(job, trained_on(1, 64, 1)), DiffusionPhase::replica_exchange), 0.0);
}

// Each micro-batch issues its kernels anew.
TEST(DiffusionTraining, SlowHostsSetTheTimeOfAStep) {
  DiffusionJob job = trained_job();
  job.training.encodes = false;
  job.stack.issue_interval_s = 1e-2;
  const DiffusionExplanation told =
      explain_diffusion(job, test::example_system(), trained_on(1, 4, 4));
  const double kernels = told.terms.kernels.pass.kernels + told.terms.kernels.backward.kernels;
  EXPECT_NEAR(told.estimate.step_s - phase(told.estimate, DiffusionPhase::optimizer),
              4.0 * 1e-2 * kernels, 1e-9 * told.estimate.step_s);
}

// The host, which issues all that a step runs and sends, runs ahead of what waits for replicas: a
// faster device, whichever pass it shortens, never makes a longer step.
TEST(DiffusionTraining, FasterPassesAreNoSlowerWhereTheHostSetsTheTime) {
  DiffusionJob job = trained_job();
  job.training.encodes = false;
  parallel::Strategy strategy = trained_on(16, 1, 1);
  strategy.zero = 3;
  technology::System system = test::example_system();
  for (double issue_s = 1e-5; issue_s < 1e-3; issue_s *= 1.5) {
    job.stack.issue_interval_s = issue_s;
    for (double bytes_per_s = 1e9; bytes_per_s < 1e12; bytes_per_s *= 1.2) {
      system.scale_out().bandwidth = BytesPerSecond::si(bytes_per_s);
      technology::System faster = system;
      double step_s = std::numeric_limits<double>::infinity();
      for (double l2_bytes = 1e6; l2_bytes < 1e9; l2_bytes *= 2.0) {
        faster.device.l2.capacity = Bytes::si(l2_bytes);
        const double faster_s = estimate_diffusion(job, faster, strategy).step_s;
        EXPECT_LE(faster_s, step_s * (1.0 + 1e-12)) << issue_s << ", " << bytes_per_s;
        step_s = faster_s;
      }
    }
  }
}

}  // namespace
}  // namespace scalesweep::estimator
