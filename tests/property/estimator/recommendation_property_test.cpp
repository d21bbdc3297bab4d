// What holds of recommendation models whatever they are.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <string>

#include "estimator/recommendation/recommendation.hpp"
#include "support/shipped_catalog.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::TableSharding;

RecommendationJob any_job() {
  RecommendationJob job;
  job.model.interaction = static_cast<workload::Interaction>(*rc::gen::inRange(0, 3));
  const std::int64_t dim = 32 * *rc::gen::inRange(1, 5);
  for (int i = *rc::gen::inRange(1, 5); i > 0; --i) {
    job.model.tables.push_back({*rc::gen::inRange(1, 30), *rc::gen::inRange(1, 5'000'000), dim,
                                static_cast<double>(*rc::gen::inRange(1, 120))});
  }
  job.model.access_skew = 0.1 * *rc::gen::inRange(0, 13);
  job.model.dense_features = *rc::gen::inRange(1, 600);
  job.model.bottom_widths = {*rc::gen::inRange(8, 1024), dim};
  job.model.top_widths = {*rc::gen::inRange(8, 2048), *rc::gen::inRange(8, 512), 1};
  job.model.cross_layers = *rc::gen::inRange(1, 5);
  job.model.cross_rank = 64 * *rc::gen::inRange(1, 9);
  job.model.sequence_layers = *rc::gen::inRange(1, 5);
  job.model.sequence_heads = *rc::gen::inRange(1, 9);
  job.model.sequence_head_dim = 32 * *rc::gen::inRange(1, 5);
  job.work =
      *rc::gen::arbitrary<bool>() ? workload::BatchWork::training : workload::BatchWork::inference;
  job.table_optimizer = static_cast<TableOptimizer>(*rc::gen::inRange(0, 4));
  job.resident = 0.1 * *rc::gen::inRange(1, 11);
  job.stack.hides_exchange = *rc::gen::arbitrary<bool>();
  job.stack.exchanges_indices = *rc::gen::arbitrary<bool>();
  job.stack.fused_pointwise = *rc::gen::arbitrary<bool>();
  job.stack.fused_lookup = *rc::gen::arbitrary<bool>();
  job.stack.issue_interval_s = 1e-6 * *rc::gen::inRange(0, 40);
  job.stack.batch_overhead_s = 1e-6 * *rc::gen::inRange(0, 200);
  return job;
}

parallel::Strategy any_strategy(RecommendationJob& job) {
  parallel::Strategy strategy;
  strategy.data_parallel = *rc::gen::element(1, 2, 8, 24, 128);
  strategy.table_sharding = strategy.data_parallel == 1
                                ? TableSharding::table
                                : static_cast<TableSharding>(*rc::gen::inRange(0, 5));
  job.batch = strategy.data_parallel * *rc::gen::inRange(1, 5000);
  return strategy;
}

technology::System any_system() {
  const std::string device =
      *rc::gen::element<std::string>("a100-sxm-80gb", "h100-sxm", "b200-sxm", "mi300x");
  const catalog::Catalog& catalog = scalesweep::test::shipped_catalog();
  return catalog.catalogued_system(catalog.usual_system(device));
}

TEST(RecommendationProperty, PhasesAndChargesSumToTheTime) {
  EXPECT_TRUE(rc::check([] {
    RecommendationJob job = any_job();
    const parallel::Strategy strategy = any_strategy(job);
    const RecommendationEstimate estimate = estimate_recommendation(job, any_system(), strategy);
    double sum = 0.0;
    for (const double phase : estimate.phase_s) {
      RC_ASSERT(phase >= -1e-12);
      sum += phase;
    }
    RC_ASSERT(std::abs(sum - estimate.batch_time_s()) <= 1e-9 * sum);
    RC_ASSERT(estimate.energy.total_j() > 0.0);
  }));
}

// At the full clock: a faster memory draws more, and may then be given a slower clock.
TEST(RecommendationProperty, MoreBandwidthIsNeverSlower) {
  EXPECT_TRUE(rc::check([] {
    RecommendationJob job = any_job();
    const parallel::Strategy strategy = any_strategy(job);
    technology::System system = any_system();
    system.device.thermal_design_power = Watts::si(0.0);  // no limit
    const double before_s = estimate_recommendation(job, system, strategy).batch_time_s();
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        system.device.dram.bandwidth *= 1.5;
        break;
      case 1:
        system.scale_up().bandwidth *= 1.5;
        break;
      case 2:
        system.set_scale_out_rate(1.5 * system.scale_out().bandwidth);
        break;
      default:
        system.device.host_bandwidth *= 1.5;
        break;
    }
    RC_ASSERT(estimate_recommendation(job, system, strategy).batch_time_s() <=
              before_s * (1.0 + 1e-9));
  }));
}

TEST(RecommendationProperty, ReuseIsEqualToTheBit) {
  EXPECT_TRUE(rc::check([] {
    RecommendationJob job = any_job();
    const parallel::Strategy strategy = any_strategy(job);
    const technology::System first = any_system();
    const technology::System second = any_system();
    RecommendationEstimator before(job, first);
    (void)before(strategy);
    RecommendationEstimator after(job, second, &before);
    RC_ASSERT(after(strategy).batch.values ==
              estimate_recommendation(job, second, strategy).batch.values);
    RC_ASSERT(after(strategy).energy.total_j() ==
              estimate_recommendation(job, second, strategy).energy.total_j());
  }));
}

TEST(RecommendationProperty, SkewNeverLooksUpMore) {
  EXPECT_TRUE(rc::check([] {
    RecommendationJob job = any_job();
    const parallel::Strategy strategy = any_strategy(job);
    const technology::System system = any_system();
    job.model.access_skew = 0.0;
    const RecommendationEstimate even = estimate_recommendation(job, system, strategy);
    job.model.access_skew = 1.1;
    const RecommendationEstimate skewed = estimate_recommendation(job, system, strategy);
    RC_ASSERT(skewed.found_in_l2 >= even.found_in_l2 - 1e-9);
  }));
}

}  // namespace
}  // namespace scalesweep::estimator
