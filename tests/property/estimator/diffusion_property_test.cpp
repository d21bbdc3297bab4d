// What holds of diffusion models whatever they are.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <string>

#include "estimator/diffusion/diffusion.hpp"
#include "support/shipped_catalog.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::ContextExchange;
using workload::DiffusionLayer;

bool coin() {
  return *rc::gen::arbitrary<bool>();
}

DiffusionJob any_job() {
  DiffusionJob job;
  workload::DiffusionModel& model = job.model;
  const auto kind = static_cast<std::size_t>(*rc::gen::inRange(0, 3));
  model.layers[kind] = *rc::gen::inRange(1, 40);
  model.layers[(kind + 1) % 3] = kind == 0 ? *rc::gen::inRange(0, 40) : 0;
  model.heads = *rc::gen::element(8, 16, 24, 48);
  model.head_dim = *rc::gen::element(64, 72, 128);
  model.hidden = model.heads * model.head_dim;
  model.ffn = 4 * model.hidden;
  model.gated_ffn = coin();
  model.parallel_mlp = coin();
  model.modulation_width = *rc::gen::element<std::int64_t>(0, 512, model.hidden);
  model.text_tokens = *rc::gen::element(77, 256, 512);
  model.text_width = 4096;
  model.encoder_parameters = 4.8e9;
  model.encoder_width = 4096;
  model.frames = *rc::gen::element(1, 4);
  model.channels = 16;
  model.decoder_flop = 1e7;
  model.decoder_elements = 1e4;
  model.decoder_channels = 256;
  model.steps = *rc::gen::inRange(1, 60);
  model.passes = *rc::gen::element(1, 2);
  job.image = {64 * *rc::gen::inRange(4, 21), 64 * *rc::gen::inRange(4, 21),
               model.makes_video() ? *rc::gen::inRange(1, 130) : 1};
  job.operands = *rc::gen::element(technology::Precision::bf16, technology::Precision::fp8);
  job.stack.fused_pointwise = coin();
  job.stack.issue_interval_s = coin() ? 8e-6 : 0.0;
  if (coin()) {
    job.work = workload::BatchWork::training;
    job.operands = technology::Precision::bf16;
    job.training.averages_weights = coin();
    job.training.states_as_weights = coin();
    job.training.encodes = coin();
  }
  return job;
}

// Replicas that have images of their own, or a guided pass each.
parallel::Strategy any_strategy(DiffusionJob& job) {
  parallel::Strategy strategy;
  strategy.tensor_parallel = *rc::gen::element(1, 2, 4);
  strategy.context_parallel = *rc::gen::element(1, 2);
  strategy.context_exchange = coin() ? ContextExchange::ring : ContextExchange::all_to_all;
  job.batch = *rc::gen::element(1, 2, 6);
  strategy.data_parallel =
      static_cast<std::int32_t>(coin() ? job.passes() : std::int64_t{*rc::gen::element(1)});
  if (job.trains()) {
    const auto own = static_cast<std::int32_t>(job.batch / strategy.data_parallel);
    strategy.micro_batch = coin() ? own : 1;
    strategy.micro_batches = own / strategy.micro_batch;
    strategy.recompute = coin() ? parallel::Recompute::full : parallel::Recompute::none;
    strategy.zero =
        static_cast<std::uint8_t>(strategy.replicas() > 1 ? *rc::gen::inRange(0, 4) : 0);
  }
  return strategy;
}

technology::System any_system() {
  const std::string device = *rc::gen::element<std::string>("h100-sxm", "b200-sxm", "h20");
  const catalog::Catalog& catalog = scalesweep::test::shipped_catalog();
  return catalog.catalogued_system(catalog.usual_system(device));
}

TEST(DiffusionProperty, PhasesAndChargesSumToTheTime) {
  EXPECT_TRUE(rc::check([] {
    DiffusionJob job = any_job();
    const parallel::Strategy strategy = any_strategy(job);
    const DiffusionEstimate estimate = estimate_diffusion(job, any_system(), strategy);
    double sum = 0.0;
    for (const double phase : estimate.phase_s) {
      RC_ASSERT(phase >= -1e-12);
      sum += phase;
    }
    RC_ASSERT(std::abs(sum - estimate.batch_time_s()) <= 1e-9 * sum);
    RC_ASSERT(estimate.energy.total_j() > 0.0);
    RC_ASSERT(estimate.model_flop_utilization > 0.0);
    RC_ASSERT(estimate.model_flop_utilization < 1.0);
  }));
}

// At the full clock: a faster memory draws more, and may then be given a slower clock.
TEST(DiffusionProperty, MoreBandwidthIsNeverSlower) {
  EXPECT_TRUE(rc::check([] {
    DiffusionJob job = any_job();
    const parallel::Strategy strategy = any_strategy(job);
    technology::System system = any_system();
    system.device.thermal_design_power = Watts::si(0.0);  // no limit
    const double before_s = estimate_diffusion(job, system, strategy).batch_time_s();
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        system.device.dram.bandwidth *= 1.5;
        break;
      case 1:
        system.scale_up().bandwidth *= 1.5;
        break;
      default:
        system.set_scale_out_rate(1.5 * system.scale_out().bandwidth);
        break;
    }
    RC_ASSERT(estimate_diffusion(job, system, strategy).batch_time_s() <= before_s * (1.0 + 1e-9));
  }));
}

TEST(DiffusionProperty, ReuseIsEqualToTheBit) {
  EXPECT_TRUE(rc::check([] {
    DiffusionJob job = any_job();
    const parallel::Strategy strategy = any_strategy(job);
    parallel::Strategy other = strategy;
    (coin() ? other.tensor_parallel : other.micro_batches) *= 2;
    other.zero = other.replicas() > 1 && job.trains() ? 1 : 0;
    const technology::System first = any_system();
    const technology::System second = any_system();
    DiffusionEstimator before(job, first);
    (void)before(strategy);
    (void)before(other);
    DiffusionEstimator after(job, second, &before);
    const DiffusionEstimate plain = estimate_diffusion(job, second, strategy);
    RC_ASSERT(after(strategy).batch.values == plain.batch.values);
    RC_ASSERT(after(strategy).phase_s == plain.phase_s);
    RC_ASSERT(after(strategy).energy.total_j() == plain.energy.total_j());
    RC_ASSERT(after(strategy).memory.total_bytes() == plain.memory.total_bytes());
  }));
}

TEST(DiffusionProperty, MorePixelsStepsAndPassesAreNeverFaster) {
  EXPECT_TRUE(rc::check([] {
    DiffusionJob job = any_job();
    const parallel::Strategy strategy = any_strategy(job);
    technology::System system = any_system();
    system.device.thermal_design_power = Watts::si(0.0);
    const double before_s = estimate_diffusion(job, system, strategy).batch_time_s();
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        job.image.width *= 2;
        break;
      case 1:
        job.model.steps += 1;
        break;
      default:
        job.model.passes *= 2;  // nothing to training, as the steps
        break;
    }
    // A gradient of weights sums over tokens, and libraries cut a longer sum otherwise.
    const double least = job.trains() ? 0.98 : 1.0 - 1e-9;
    RC_ASSERT(estimate_diffusion(job, system, strategy).batch_time_s() >= before_s * least);
  }));
}

TEST(DiffusionProperty, CutLayersNeverTakeMoreMemory) {
  EXPECT_TRUE(rc::check([] {
    DiffusionJob job = any_job();
    const parallel::Strategy strategy = any_strategy(job);
    const technology::System system = any_system();
    parallel::Strategy cut = strategy;
    (coin() ? cut.tensor_parallel : cut.context_parallel) *= 2;
    DiffusionEstimator estimator(job, system);
    RC_ASSERT(estimator(cut).memory.total_bytes() <=
              estimator(strategy).memory.total_bytes() * (1.0 + 1e-12));
  }));
}

}  // namespace
}  // namespace scalesweep::estimator
