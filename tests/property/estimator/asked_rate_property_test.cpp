#include <cstdio>
// What is left out of services that serve less than is asked for, whatever the service.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "estimator/inference/bounds/asked_rate.hpp"
#include "estimator/inference/service/prefill_pool.hpp"
#include "estimator/inference/service/service.hpp"
#include "estimator/inference/service/serving.hpp"
#include "random_inference.hpp"
#include "random_training.hpp"
#include "support/seen_share.hpp"

namespace scalesweep::estimator {
namespace {

using test::any_inference;
using test::any_service;
using test::InferenceExample;
using test::log_uniform;

bool coin() {
  return *rc::gen::arbitrary<bool>();
}

// Limits around what the service does without any.
void set_limits(ServingJob& job, const ServingEstimate& free) {
  if (coin()) {
    job.limits.time_per_output_token_s = free.time_per_output_token_s * log_uniform(0.1, 1.5);
  }
  if (coin()) {
    job.limits.time_to_first_token_s = free.time_to_first_token_s * log_uniform(0.05, 1.5);
  }
  const double p90_s = free.first_token_s[1];
  if (coin() && std::isfinite(p90_s)) {
    job.limits.first_token_s[1] = p90_s * log_uniform(0.1, 1.5);
  }
}

// Requests that arrive, or so many that are open, around what the service does without.
void set_load(ServingJob& job, const ServingEstimate& free) {
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      job.arrival_rate = free.request_rate * log_uniform(0.1, 1.5);
      break;
    case 1:
      job.concurrency = std::ceil(free.batch * log_uniform(0.1, 2.0));
      job.limits.first_token_s = {};
      break;
    default:
      break;
  }
}

std::optional<PrefillPool> any_pool(ServingJob& job, const InferenceExample& e) {
  if (job.batching != Batching::disaggregated || coin()) {
    return std::nullopt;
  }
  parallel::Strategy one = e.strategy;
  one.data_parallel = 1;
  one.expert_parallel = 1;
  one.micro_batches = 1;
  const std::int64_t devices = coin() ? 0 : 4 * one.devices();
  return PrefillPool(job, e.system, {group_of_replicas(one)}, devices);
}

// Whether twice as many sequences are served at least two thirds as fast, however many there are.
// Of random devices a few multiply some rows so fast without their matrix units, and so slowly with
// them, that they are not: catalogued ones do not (serving_rates_test.cpp).
bool more_are_not_far_slower(const InferenceExample& e, ServingJob job) {
  job.batching = job.batching == Batching::disaggregated ? Batching::separate : job.batching;
  const Demand demand(job, e.system);
  const Service service = mixed_service(demand, e.strategy);
  double most = 0.0;
  for (double batch = service.replicas(); batch <= service.most_batch; batch *= 1.4) {
    const double rate = service.at(Loop::open, batch).request_rate;
    most = std::max(most, rate);
    if (1.5 * rate < most) {
      return false;
    }
  }
  return true;
}

// A service around its limits, at the clock that its power leaves.
struct Limited {
  InferenceExample example;
  ServingJob job;
  ServingEstimate free;  // without limits and load
};

Limited any_limited() {
  Limited of;
  of.example = any_inference();
  of.job = any_service(of.example);
  of.free = estimate_serving(of.job, of.example.system, of.example.strategy);
  RC_PRE(of.free.verdict == ServingVerdict::meets_limits);
  RC_PRE(more_are_not_far_slower(of.example, of.job));
  set_limits(of.job, of.free);
  set_load(of.job, of.free);
  if (coin()) {
    of.example.system.device.thermal_design_power =
        Watts::si(of.free.device_power_w * log_uniform(0.5, 1.2));
  }
  return of;
}

TEST(AskedRateProperty, WhatIsLeftServesLess) {
  scalesweep::test::SeenShare left;
  EXPECT_TRUE(rc::check([&] {
    Limited of = any_limited();
    const auto& [example, job, free] = of;
    const std::optional<PrefillPool> pool = any_pool(of.job, example);
    const PrefillPool* beside = pool ? &*pool : nullptr;
    const ServingEstimate estimate =
        estimate_serving(job, example.system, example.strategy, beside);
    const bool holds = estimate.verdict == ServingVerdict::meets_limits;
    const double rate = (holds ? estimate : free).request_rate * log_uniform(0.7, 1.5);
    const auto asked = estimate_if_asked_for(job, example.system, example.strategy, beside, nullptr,
                                             [&](const LeastEnergy&) { return rate; });
    left.count(!asked);
    if (asked) {
      RC_ASSERT(asked->verdict == estimate.verdict);
      RC_ASSERT(asked->request_rate == estimate.request_rate);
      return;
    }
    RC_LOG() << estimate.request_rate / rate << " of what is asked for\n";
    RC_ASSERT(!holds || estimate.request_rate < rate);
  }));
  EXPECT_TRUE(left.is_at_least(0.3)) << left.seen() << " of " << left.examples();
}

TEST(AskedRateProperty, NoServiceTakesLessEnergy) {
  EXPECT_TRUE(rc::check([] {
    const Limited of = any_limited();
    const auto& [example, job, free] = of;
    const ServingEstimate estimate = estimate_serving(job, example.system, example.strategy);
    RC_PRE(estimate.verdict == ServingVerdict::meets_limits);
    LeastEnergy most;
    estimate_if_asked_for(job, example.system, example.strategy, nullptr, nullptr,
                          [&](const LeastEnergy& energy) {
                            most.idle_w = std::max(most.idle_w, energy.idle_w);
                            most.request_j = std::max(most.request_j, energy.request_j);
                            return 0.0;
                          });
    const ServingEstimate least = serving_at_most(estimate.request_rate, 1.0, most);
    RC_LOG() << least.energy.total_j() / estimate.energy.total_j() << " of its energy\n";
    RC_ASSERT(least.energy.total_j() <= estimate.energy.total_j());
  }));
}

}  // namespace
}  // namespace scalesweep::estimator
