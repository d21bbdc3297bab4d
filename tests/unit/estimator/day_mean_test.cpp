// A service over the day, against its parts one by one.
#include "estimator/inference/load/day_mean.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "estimator/inference/service/serving.hpp"
#include "support/examples.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Strategy;

ServingJob service() {
  ServingJob job;
  job.inference.model = test::llama(4096, 32, 32, 8, 14336, 128256);
  job.inference.stack.iteration_overhead_s = 3e-4;
  job.inference.prefill_chunk = 2048;
  job.requests = {{2000, 200, 1}};
  job.limits.time_to_first_token_s = 1.0;
  return job;
}

Strategy replicas(int count) {
  Strategy strategy;
  strategy.data_parallel = count;
  return strategy;
}

ServingEstimate serve(ServingJob job, std::vector<double> curve, IdleReplicas idle, int count = 4) {
  job.load_curve = {std::move(curve), idle};
  return estimate_service(job, test::example_system(), replicas(count));
}

// Of so many replicas at a share of what all of them serve at the peak.
double power_w(const ServingEstimate& peak, int count, double load) {
  ServingJob job = service();
  job.limits = {};
  job.arrival_rate = load * peak.request_rate;
  return estimate_serving(job, test::example_system(), replicas(count)).energy.total_j();
}

TEST(DayMean, OfAFlatCurveIsThePeak) {
  for (const IdleReplicas idle :
       {IdleReplicas::fixed, IdleReplicas::switched_off, IdleReplicas::given_back}) {
    const ServingEstimate e = serve(service(), {1.0, 1.0}, idle);
    EXPECT_DOUBLE_EQ(e.day.tokens_per_s, e.tokens_per_s);
    EXPECT_DOUBLE_EQ(e.day.power_w, e.energy.total_j());
    EXPECT_DOUBLE_EQ(e.day.devices_on, 4.0);
    EXPECT_DOUBLE_EQ(e.day.devices_paid, 4.0);
    EXPECT_DOUBLE_EQ(e.day.utilisation, 1.0);
  }
}

TEST(DayMean, IsTheSumOfItsParts) {
  const std::vector<double> curve = {0.25, 0.3, 1.0, 0.3};
  const ServingEstimate fixed = serve(service(), curve, IdleReplicas::fixed);
  const double all_w = power_w(fixed, 4, 0.25) + 2.0 * power_w(fixed, 4, 0.3);
  EXPECT_NEAR(fixed.day.power_w, (all_w + fixed.energy.total_j()) / 4.0, 1e-4 * all_w);
  EXPECT_DOUBLE_EQ(fixed.day.devices_on, 4.0);
  EXPECT_NEAR(fixed.day.utilisation, 0.4625, 1e-12);
  EXPECT_NEAR(fixed.day.tokens_per_s, 0.4625 * fixed.tokens_per_s, 1e-9 * fixed.tokens_per_s);

  // A quarter is one replica of four at the load of the peak, 0.3 takes two.
  const ServingEstimate off = serve(service(), curve, IdleReplicas::switched_off);
  const double some_w = power_w(off, 1, 0.25) + 2.0 * power_w(off, 2, 0.3);
  EXPECT_NEAR(off.day.power_w, (some_w + off.energy.total_j()) / 4.0, 2e-3 * some_w);
  EXPECT_DOUBLE_EQ(off.day.devices_on, (1.0 + 2.0 + 4.0 + 2.0) / 4.0);
  EXPECT_NEAR(off.day.utilisation, 1.85 / (1.0 + 2.0 + 4.0 + 2.0) * 4.0, 1e-12);
  EXPECT_DOUBLE_EQ(off.day.devices_paid, 4.0);
  EXPECT_LT(off.day.power_w, fixed.day.power_w);

  const ServingEstimate back = serve(service(), curve, IdleReplicas::given_back);
  EXPECT_DOUBLE_EQ(back.day.devices_paid, back.day.devices_on);
  EXPECT_DOUBLE_EQ(back.day.power_w, off.day.power_w);
  // What holds at the peak is not touched.
  ServingJob without = service();
  const ServingEstimate plain = estimate_service(without, test::example_system(), replicas(4));
  EXPECT_EQ(back.request_rate, plain.request_rate);
  EXPECT_EQ(back.time_to_first_token_s, plain.time_to_first_token_s);
  EXPECT_FALSE(plain.day.known());
}

TEST(DayMean, DoesNotDependOnTheOrderOrTheNumberOfParts) {
  const ServingEstimate once = serve(service(), {0.2, 1.0, 0.6}, IdleReplicas::given_back);
  const ServingEstimate twice =
      serve(service(), {1.0, 0.6, 0.2, 0.2, 0.6, 1.0}, IdleReplicas::given_back);
  EXPECT_NEAR(once.day.power_w / twice.day.power_w, 1.0, 1e-12);
  EXPECT_DOUBLE_EQ(once.day.devices_on, twice.day.devices_on);
  EXPECT_NEAR(once.day.tokens_per_s / twice.day.tokens_per_s, 1.0, 1e-12);
}

// At night nobody asks: replicas that run draw their idle power, the others nothing.
TEST(DayMean, AnEmptyPartTakesIdlePowerOrNothing) {
  const technology::System system = test::example_system();
  const ServingEstimate on = serve(service(), {0.0, 1.0}, IdleReplicas::fixed);
  EXPECT_NEAR(on.day.power_w, 0.5 * (on.energy.total_j() + 4.0 * system.device.idle_power.si()),
              1e-9);
  const ServingEstimate off = serve(service(), {0.0, 1.0}, IdleReplicas::given_back);
  EXPECT_NEAR(off.day.power_w, 0.5 * off.energy.total_j(), 1e-9);
  EXPECT_DOUBLE_EQ(off.day.devices_on, 2.0);
}

// The fewer requests, the longer no program runs: no step between a few and none.
TEST(DayMean, PowerFallsToTheIdlePowerWithTheRequests) {
  technology::System system = test::example_system();
  system.device.active_power = system.device.idle_power;
  const double idle_w = 4.0 * system.device.idle_power.si();
  const auto serving = [&](double arrival_rate) {
    ServingJob job = service();
    job.arrival_rate = arrival_rate;
    return estimate_serving(job, system, replicas(4));
  };
  const ServingEstimate peak = serving(0.0);
  EXPECT_NEAR(peak.energy.active_j, idle_w, 1e-9 * idle_w);
  double before_w = peak.energy.total_j();
  for (const double load : {0.1, 0.01, 1e-3, 1e-4}) {
    const double now_w = serving(load * peak.request_rate).energy.total_j();
    EXPECT_LT(now_w, before_w) << load;
    EXPECT_GT(now_w, idle_w) << load;
    before_w = now_w;
  }
  EXPECT_LT(before_w, 1.05 * idle_w);
}

// Devices that process prompts wait for them as well.
TEST(DayMean, PoolsOfPromptsWaitAtIdlePower) {
  technology::System system = test::example_system();
  system.device.active_power = system.device.idle_power;
  ServingJob job = service();
  job.batching = Batching::disaggregated;
  job.prefill_share = 0.75;
  const ServingEstimate estimate = estimate_serving(job, system, replicas(4));
  ASSERT_EQ(estimate.prefill_replicas, 3.0);
  EXPECT_LT(estimate.energy.active_j, 4.0 * system.device.active_power.si());
  EXPECT_GT(estimate.energy.active_j, system.device.active_power.si());
}

// With bursts fewer replicas keep less: as many run as keep the limits.
TEST(DayMean, ReplicasThatRunKeepTheLimits) {
  ServingJob job = service();
  job.burstiness = 16.0;
  job.limits = {};
  job.limits.first_token_s[2] = 2.0;
  for (const double load : {0.125, 0.25, 0.5, 0.75}) {
    const ServingEstimate e = serve(job, {load, 1.0}, IdleReplicas::given_back, 8);
    ASSERT_TRUE(e.day.known());
    const double on = 2.0 * e.day.devices_on - 8.0;
    EXPECT_GE(on, 8.0 * load) << load;
    ServingJob part = job;
    part.arrival_rate = load * e.request_rate;
    const auto verdict = [&](double count) {
      return estimate_serving(part, test::example_system(), replicas(static_cast<int>(count)))
          .verdict;
    };
    EXPECT_EQ(verdict(on), ServingVerdict::meets_limits) << load;
    EXPECT_TRUE(on == 8.0 * load || verdict(on - 1.0) == ServingVerdict::misses_limits) << load;
  }
}

TEST(DayMean, ReplicasThatShareExpertsGoTogether) {
  ServingJob job = service();
  job.inference.model.experts = {.count = 64, .top_k = 4, .ffn = 2048};
  Strategy strategy = replicas(8);
  strategy.expert_parallel = 4;
  job.load_curve = {{0.1, 1.0}, IdleReplicas::given_back};
  job.limits = {};
  const ServingEstimate e = estimate_service(job, test::example_system(), strategy);
  ASSERT_TRUE(e.day.known());
  EXPECT_DOUBLE_EQ(e.day.devices_on, 6.0);  // four of eight, then all
}

TEST(DayMean, OfPoolsKeepsTwo) {
  ServingJob job = service();
  job.batching = Batching::disaggregated;
  for (const IdleReplicas idle : {IdleReplicas::fixed, IdleReplicas::given_back}) {
    const ServingEstimate e = serve(job, {0.1, 1.0}, idle, 4);
    ASSERT_TRUE(e.day.known());
    EXPECT_DOUBLE_EQ(e.day.devices_on, idle == IdleReplicas::fixed ? 4.0 : 3.0);
  }
}

TEST(DayMean, IsNotKnownWhereThePeakIsTooMuch) {
  ServingJob job = service();
  job.arrival_rate = 1e6;
  EXPECT_FALSE(serve(job, {0.1, 1.0}, IdleReplicas::fixed).day.known());
}

}  // namespace
}  // namespace scalesweep::estimator
