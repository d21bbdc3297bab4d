// What holds of iterations of reinforcement learning whatever they are.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "estimator/reinforcement/reinforcement.hpp"
#include "support/shipped_catalog.hpp"
#include "workload/framework.hpp"

namespace scalesweep::estimator {
namespace {

bool coin() {
  return *rc::gen::arbitrary<bool>();
}

technology::System any_system() {
  const catalog::Catalog& catalog = test::shipped_catalog();
  const char* device = *rc::gen::element("h100-sxm", "b200-sxm", "a100-sxm-80gb");
  return catalog.catalogued_system(catalog.usual_system(device));
}

ReinforcementJob any_job() {
  const catalog::Catalog& catalog = test::shipped_catalog();
  ReinforcementJob job;
  job.training.model = catalog.model(*rc::gen::element("llama-3-8b", "qwen2.5-1.5b"));
  const workload::Framework& trainer = catalog.framework(*rc::gen::element("fsdp", "areal"));
  job.training.stack = trainer.training;
  job.stack = trainer.reinforcement;
  job.training.optimizer = catalog.optimizer();
  job.rollouts.stack = catalog.framework(*rc::gen::element("vllm", "fastertransformer")).serving;
  if (coin()) {
    job.critic = job.training.model;
  }
  if (coin()) {
    job.reward = catalog.model("qwen2.5-1.5b");
  }
  job.has_reference = coin();
  job.prompts = *rc::gen::element(64, 256);
  job.samples = *rc::gen::element(1, 8);
  job.prompt = *rc::gen::inRange(64, 1500);
  job.output = *rc::gen::inRange(16, 4000);
  job.output_spread = *rc::gen::element(0.0, 0.3, 0.9);
  job.most_output = coin() ? 4 * job.output : 0;
  job.updates = *rc::gen::element(1, 2, 4);
  job.epochs = *rc::gen::element(1, 2);
  job.keeps_states = coin();
  job.devices = 16;
  return job;
}

parallel::Strategy any_strategy(std::int32_t devices, const ReinforcementJob& job) {
  parallel::Strategy strategy;
  strategy.data_parallel = devices;
  strategy.zero = 3;
  strategy.recompute = parallel::Recompute::full;
  strategy.micro_batches = static_cast<std::int32_t>(
      std::max<std::int64_t>(1, job.prompts * job.samples / job.updates / devices));
  return strategy;
}

ReinforcementEstimate separate(ReinforcementJob job, const technology::System& system,
                               std::int64_t staleness) {
  job.placement = Placement::separate;
  job.staleness = staleness;
  return estimate_reinforcement(job, system, any_strategy(8, job));
}

TEST(ReinforcementProperty, PartsSumAndNothingIsNegative) {
  EXPECT_TRUE(rc::check([] {
    const ReinforcementJob job = any_job();
    const auto estimate = estimate_reinforcement(job, any_system(), any_strategy(16, job));
    RC_ASSERT((estimate.verdict == Verdict::fits) ==
              (estimate.memory.short_bytes() <= 0.0 && estimate.rollouts.most_sequences >= 1.0));
    RC_ASSERT(has_time(estimate) == (estimate.rollouts.most_sequences >= 1.0));
    if (!has_time(estimate)) {
      return;  // no engine has room for a sequence
    }
    const double time_s = estimate.iteration_s();
    const double sum_s = std::accumulate(estimate.phase_s.begin(), estimate.phase_s.end(), 0.0);
    RC_ASSERT(time_s > 0.0 && std::isfinite(time_s));
    RC_ASSERT(std::abs(sum_s - time_s) < 1e-9 * time_s);
    for (const double phase_s : estimate.phase_s) {
      RC_ASSERT(phase_s >= 0.0);
    }
    RC_ASSERT(estimate.energy.total_j() > 0.0);
  }));
}

TEST(ReinforcementProperty, StaleWeightsAreNeverSlower) {
  EXPECT_TRUE(rc::check([] {
    const ReinforcementJob job = any_job();
    const technology::System system = any_system();
    const ReinforcementEstimate fresh = separate(job, system, 0);
    if (!has_time(fresh)) {
      return;
    }
    double before_s = fresh.iteration_s();
    for (const std::int64_t staleness : {1, 2, 3, 8}) {
      const double time_s = separate(job, system, staleness).iteration_s();
      RC_ASSERT(time_s <= before_s * (1.0 + 1e-9));
      before_s = time_s;
    }
  }));
}

// The engine has more devices, each with its room for caches.
TEST(ReinforcementProperty, MoreBandwidthIsNeverSlowerInRollouts) {
  EXPECT_TRUE(rc::check([] {
    const ReinforcementJob job = any_job();
    const technology::System system = any_system();
    technology::System faster = system;
    faster.device.dram.bandwidth = faster.device.dram.bandwidth * 1.5;
    const auto before = separate(job, system, 0);
    const auto after = separate(job, faster, 0);
    // Clocks settle on a grid.
    RC_ASSERT(after.rollout_s <= before.rollout_s * 1.01);
  }));
}

TEST(ReinforcementProperty, FactoredIsPlain) {
  EXPECT_TRUE(rc::check([] {
    const ReinforcementJob job = any_job();
    const technology::System system = any_system();
    const std::vector<parallel::Strategy> strategies = {any_strategy(16, job),
                                                        any_strategy(16, job)};
    ReinforcementEstimator estimator(job, system);
    estimator(strategies, 0);
    const ReinforcementEstimate factored = estimator(strategies, 1);
    const ReinforcementEstimate plain = estimate_reinforcement(job, system, strategies[1]);
    RC_ASSERT(has_time(factored) == has_time(plain));
    RC_ASSERT(!has_time(plain) || factored.iteration_s() == plain.iteration_s());
  }));
}

}  // namespace
}  // namespace scalesweep::estimator
