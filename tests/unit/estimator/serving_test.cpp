// The steady state of a service: what bounds it, Little's law, pools, queues, a closed loop.
#include "estimator/inference/service/serving.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "estimator/inference/inference.hpp"
#include "estimator/inference/inference_memory.hpp"
#include "estimator/inference/passes/iteration.hpp"
#include "estimator/inference/queueing/queueing.hpp"
#include "estimator/parts/collective.hpp"
#include "support/examples.hpp"
#include "support/small_service.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Strategy;

ServingJob chat() {
  return test::small_service(2000);
}

Strategy devices(int tp, int dp = 1, int pp = 1, int groups = 1) {
  return test::layout_of(tp, dp, pp, groups);
}

technology::System faster(technology::System system, double factor) {
  system.device.dram.bandwidth *= factor;
  return system;
}

ServingEstimate serve(const ServingJob& job, const Strategy& strategy = devices(1)) {
  return estimate_serving(job, test::example_system(), strategy);
}

ServingEstimate at_concurrency(ServingJob job, double open, const technology::System& system,
                               const Strategy& strategy) {
  job.concurrency = open;
  return estimate_serving(job, system, strategy);
}

TEST(Serving, WithoutLimitsTheCacheOrThePromptsBound) {
  ServingJob job = chat();
  const ServingEstimate full = serve(job);
  EXPECT_EQ(full.verdict, ServingVerdict::meets_limits);
  EXPECT_EQ(full.bound, ServingBound::memory);
  EXPECT_DOUBLE_EQ(full.batch, full.memory.largest_batch);
  const RequestCounts three = serve(job, devices(1, 3)).requests();
  EXPECT_DOUBLE_EQ(three.in_flight_per_replica, full.batch);
  EXPECT_DOUBLE_EQ(three.in_flight, 3.0 * full.batch);
  EXPECT_DOUBLE_EQ(three.largest_batch_per_replica, full.batch);
  EXPECT_LE(full.memory.total_bytes(), full.memory.usable_bytes);

  // Short chunks: a request of 200 iterations brings 2000 tokens of prompt at 8 an iteration.
  job.inference.prefill_chunk = 64;
  job.requests.front() = {2000, 20, 1};
  const ServingEstimate prompts = serve(job);
  EXPECT_EQ(prompts.bound, ServingBound::throughput);
  EXPECT_LT(prompts.batch, prompts.memory.largest_batch);
  EXPECT_TRUE(std::isfinite(prompts.time_to_first_token_s));
}

TEST(Serving, AnEngineMayTakeFewerSequencesThanFit) {
  ServingJob job = chat();
  job.most_sequences = 8;
  const ServingEstimate estimate = serve(job, devices(1, 2));
  EXPECT_EQ(estimate.bound, ServingBound::memory);
  EXPECT_DOUBLE_EQ(estimate.batch, 16.0);
}

TEST(Serving, TheTimeOfATokenBounds) {
  ServingJob job = chat();
  const double most = serve(job).batch;
  job.limits.time_per_output_token_s = 0.016;
  const ServingEstimate limited = serve(job);
  EXPECT_EQ(limited.bound, ServingBound::time_per_output_token);
  EXPECT_LE(limited.time_per_output_token_s, 0.016);
  EXPECT_LT(limited.batch, most);
  // Of few sequences the mean is no whole number: a tenth of one more would be too many.
  EXPECT_NEAR(limited.time_per_output_token_s, 0.016, 1e-3 * 0.016);
  job.limits = {};
  job.most_sequences = limited.batch + 0.1;
  EXPECT_GT(serve(job).time_per_output_token_s, 0.016);
  // Of many it is whole.
  job.most_sequences = 0.0;
  job.limits.time_per_output_token_s = 0.08;
  const double many = serve(job).batch;
  EXPECT_GT(many, 32.0);
  EXPECT_DOUBLE_EQ(many, std::round(many));
}

TEST(Serving, TheTimeToTheFirstTokenBounds) {
  ServingJob job = chat();
  const double most = serve(job).batch;
  job.limits.time_to_first_token_s = 0.3;
  const ServingEstimate limited = serve(job);
  EXPECT_EQ(limited.bound, ServingBound::time_to_first_token);
  EXPECT_LE(limited.time_to_first_token_s, 0.3);
  EXPECT_LT(limited.batch, most);
  job.limits = {};
  job.most_sequences = limited.batch + 1.0;
  EXPECT_GT(serve(job).time_to_first_token_s, 0.3);
}

TEST(Serving, ALimitThatNothingMeetsSaysByHowMuch) {
  ServingJob job = chat();
  job.limits.time_per_output_token_s = 1e-3;
  const ServingEstimate missed = serve(job);
  EXPECT_EQ(missed.verdict, ServingVerdict::misses_limits);
  EXPECT_EQ(missed.bound, ServingBound::time_per_output_token);
  EXPECT_NEAR(missed.miss, missed.time_per_output_token_s / 1e-3 - 1.0, 1e-12);
  EXPECT_GT(missed.miss, 0.0);
  job.limits.time_per_output_token_s *= 1.0 + missed.miss + 1e-6;
  EXPECT_EQ(serve(job).verdict, ServingVerdict::meets_limits);
}

TEST(Serving, AModelThatDoesNotFitSaysSo) {
  ServingJob job = chat();
  job.inference.model = test::gpt3_175b();
  EXPECT_EQ(serve(job).verdict, ServingVerdict::does_not_fit);
  EXPECT_FALSE(has_time(serve(job)));
  EXPECT_GT(serve(job).memory.weights_bytes, 80e9);
  EXPECT_EQ(serve(job, devices(8)).verdict, ServingVerdict::meets_limits);
}

// A sequence is in the batch for two chunks of its prompt and 199 decode iterations.
TEST(Serving, BatchIsRateTimesTimeInTheBatch) {
  for (const int replicas : {1, 3}) {
    ServingJob job = chat();
    job.inference.prefill_chunk = 1024;
    job.limits.time_per_output_token_s = 0.02;
    const ServingEstimate estimate = serve(job, devices(1, replicas));
    const double iterations = 2000.0 / 1024.0 + 199.0;
    EXPECT_NEAR(estimate.batch / (estimate.request_rate * iterations * estimate.iteration_s()), 1.0,
                1e-12);
    EXPECT_NEAR(estimate.iteration_s(), estimate.time_per_output_token_s, 1e-15);
    EXPECT_NEAR(estimate.tokens_per_s, 200.0 * estimate.request_rate, 1e-9);
  }
}

TEST(Serving, ReplicasAddUp) {
  const ServingJob job = chat();
  const ServingEstimate one = serve(job);
  const ServingEstimate four = serve(job, devices(1, 4));
  EXPECT_NEAR(four.request_rate, 4.0 * one.request_rate, 1e-9 * four.request_rate);
  EXPECT_NEAR(four.device_power_w, one.device_power_w, 1e-9 * one.device_power_w);
  EXPECT_NEAR(four.energy.total_j(), 4.0 * one.energy.total_j(), 1e-9 * four.energy.total_j());
  EXPECT_DOUBLE_EQ(four.time_per_output_token_s, one.time_per_output_token_s);
}

TEST(Serving, PhasesSumToTheIteration) {
  for (const Batching batching : {Batching::chunked, Batching::separate, Batching::disaggregated}) {
    for (const int pp : {1, 4}) {
      ServingJob job = chat();
      job.batching = batching;
      const ServingEstimate estimate = serve(job, devices(2, 2, pp, pp));
      const double sum_s = std::accumulate(estimate.phase_s.begin(), estimate.phase_s.end(), 0.0);
      EXPECT_NEAR(sum_s / estimate.iteration_s(), 1.0, 1e-12);
      for (const double s : estimate.phase_s) {
        EXPECT_GE(s, 0.0);
      }
      EXPECT_GT(estimate.phase_s[static_cast<std::size_t>(InferencePhase::decode_linear)], 0.0);
      EXPECT_EQ(estimate.phase_s[static_cast<std::size_t>(InferencePhase::prefill_linear)] > 0.0,
                batching != Batching::disaggregated);
    }
  }
}

// What prefill takes is what it would alone where nothing else is in its iteration.
TEST(Serving, SeparatePromptsStallTheOthers) {
  ServingJob job = chat();
  job.batching = Batching::separate;
  job.inference.prefill_chunk = 0;
  job.most_sequences = 40;
  const technology::System system = test::example_system();
  const ServingEstimate estimate = serve(job);
  const InferenceSetting setting(job.inference, system);
  const Replica model = {setting, devices(1)};
  const double arrivals = 40.0 / 200.0;  // prompts for each decode iteration
  const double decode_s =
      iteration_cost(model, {{}, {40.0 * 199 / 200, 1.0, 2000.0 + 99.0}}).total().time.total_s();
  const double some = 1.0 - std::exp(-arrivals);
  const double prompt_s =
      iteration_cost(model, {{arrivals / some, 2000, 0}, {}}).total().time.total_s();
  EXPECT_NEAR(estimate.time_per_output_token_s / (decode_s + some * prompt_s), 1.0, 1e-9);

  job.batching = Batching::chunked;  // together they take less
  EXPECT_LT(serve(job).time_per_output_token_s, estimate.time_per_output_token_s);
}

TEST(Serving, ClassesAreWeightedByTheTimeThatTheyStay) {
  ServingJob job = chat();
  job.most_sequences = 10;
  job.inference.prefill_chunk = 0;
  job.requests = {{1000, 101, 3}, {3000, 901, 1}};
  const ServingEstimate mixed = serve(job);
  // Per request: mean output (3 * 101 + 901) / 4 = 301.
  EXPECT_NEAR(mixed.batch / (mixed.request_rate * 301.0 * mixed.iteration_s()), 1.0, 1e-12);
  EXPECT_NEAR(mixed.tokens_per_s, 301.0 * mixed.request_rate, 1e-9);
  // Held: (3 * 101 * 1000 + 901 * 3000) / (3 * 101 + 901) prefill tokens, rounded up.
  job.inference.prompt = 2497;
  job.inference.output =
      static_cast<std::int64_t>(std::ceil((3 * 101.0 * 101 + 901.0 * 901) / 1204));
  job.inference.prefill_chunk = 2000;
  job.inference.batch = 10;
  Strategy ten = devices(1);
  ten.micro_batch = 10;
  EXPECT_DOUBLE_EQ(mixed.memory.cache_bytes,
                   inference_memory(job.inference, test::example_system(), ten).cache_bytes);
}

TEST(Serving, TwoPoolsDoNotStallTokens) {
  ServingJob job = chat();
  job.limits = {.time_to_first_token_s = 2.0, .time_per_output_token_s = 0.012};
  const ServingEstimate chunked = serve(job, devices(1, 8));
  job.batching = Batching::disaggregated;
  const ServingEstimate pools = serve(job, devices(1, 8));
  EXPECT_EQ(pools.verdict, ServingVerdict::meets_limits);
  EXPECT_GE(pools.prefill_replicas, 1.0);
  EXPECT_LE(pools.prefill_replicas, 7.0);
  // A tight limit leaves chunks little room beside the tokens.
  EXPECT_GT(pools.request_rate, chunked.request_rate);
  // No other split has more throughput.
  for (int n = 1; n < 8; ++n) {
    job.prefill_share = n / 8.0;
    const ServingEstimate split = serve(job, devices(1, 8));
    EXPECT_DOUBLE_EQ(split.prefill_replicas, n);
    if (split.verdict == ServingVerdict::meets_limits) {
      EXPECT_LE(split.request_rate, pools.request_rate * (1.0 + 1e-6)) << n;
    }
  }
  EXPECT_EQ(serve(job, devices(8)).verdict, ServingVerdict::too_few_replicas);
}

TEST(Serving, ReplicasThatShareExpertsStayInOnePool) {
  ServingJob job = chat();
  job.inference.model.experts.count = 64;
  job.inference.model.experts.top_k = 2;
  job.inference.model.experts.ffn = 3584;
  job.batching = Batching::disaggregated;
  Strategy strategy = devices(1, 32);
  strategy.expert_parallel = 8;
  const ServingEstimate pools = serve(job, strategy);
  // On one replica alone the experts do not fit.
  ASSERT_EQ(serve(job, devices(1, 32)).verdict, ServingVerdict::does_not_fit);
  EXPECT_EQ(pools.verdict, ServingVerdict::meets_limits);
  EXPECT_EQ(std::fmod(pools.prefill_replicas, 8.0), 0.0);
  for (const double share : {0.01, 0.25, 0.4, 0.99}) {
    job.prefill_share = share;
    const ServingEstimate split = serve(job, strategy);
    EXPECT_DOUBLE_EQ(split.prefill_replicas, 8.0 * std::clamp(std::round(4 * share), 1.0, 3.0));
    EXPECT_LE(split.request_rate, pools.request_rate * (1.0 + 1e-6)) << share;
  }
  Strategy over_tensor = devices(4, 8);
  over_tensor.expert_parallel = 8;
  over_tensor.experts_over_tensor = true;  // two replicas share them
  job.prefill_share = 0.25;
  EXPECT_DOUBLE_EQ(serve(job, over_tensor).prefill_replicas, 2.0);
  strategy.expert_parallel = 32;  // all replicas share them
  EXPECT_EQ(serve(job, strategy).verdict, ServingVerdict::too_few_replicas);
}

TEST(Serving, TheCacheTravelsBeforeTheSecondToken) {
  ServingJob job = chat();
  job.batching = Batching::disaggregated;
  job.prefill_share = 0.5;
  job.most_sequences = 4;
  technology::System system = test::example_system();
  const ServingEstimate slow = estimate_serving(job, system, devices(1, 2));
  // Two rows of 8 heads of 128 elements of two bytes, 32 layers, 2000 tokens.
  const double bytes = 2.0 * 8 * 128 * 2 * 32 * 2000;
  const double sent_s = transfer_cost(bytes, {1, 2}, system).time.total_s();
  EXPECT_NEAR(slow.time_per_output_token_s, slow.iteration_s() + sent_s / 199.0, 1e-12);
  system.scale_out().bandwidth *= 10.0;
  const ServingEstimate fast = estimate_serving(job, system, devices(1, 2));
  EXPECT_LT(fast.time_per_output_token_s, slow.time_per_output_token_s);
  EXPECT_DOUBLE_EQ(fast.request_rate, slow.request_rate);
}

TEST(Serving, HitsShortenPromptsAndSpareMemory) {
  ServingJob job = chat();
  const ServingEstimate none = serve(job);
  job.inference.prefix_hits = 0.75;
  const ServingEstimate hits = serve(job);
  EXPECT_GT(hits.batch, 2.0 * none.batch);
  EXPECT_GT(hits.request_rate, 2.0 * none.request_rate);
  job.most_sequences = none.batch;
  const ServingEstimate same = serve(job);
  EXPECT_LT(same.time_per_output_token_s, none.time_per_output_token_s);
  EXPECT_LT(same.time_to_first_token_s, none.time_to_first_token_s);
}

TEST(Speculation, YieldsTheGeometricSum) {
  // Leviathan et al., eq. 1.
  const auto yield = [](std::int64_t draft, double acceptance) {
    return Speculation{draft, acceptance, 0.05}.tokens_per_iteration();
  };
  EXPECT_DOUBLE_EQ(yield(0, 0.8), 1.0);
  EXPECT_DOUBLE_EQ(yield(4, 0.0), 1.0);
  EXPECT_DOUBLE_EQ(yield(4, 1.0), 5.0);
  EXPECT_NEAR(yield(4, 0.8), 1.0 + 0.8 + 0.64 + 0.512 + 0.4096, 1e-12);
}

// Replicas that share experts: an iteration lasts as long as that of the one with a prompt, and
// what its experts get is spread over all.
TEST(Serving, ReplicasThatShareExpertsWaitForEachOther) {
  ServingJob job = chat();
  job.inference.model.experts = {.count = 64, .top_k = 4, .ffn = 2048};
  job.inference.prefill_chunk = 0;
  Strategy alone = devices(1, 8);
  Strategy shared = alone;
  shared.expert_parallel = 8;
  constexpr double open = 64.0;
  const auto at = [&](const Strategy& strategy) {
    return at_concurrency(job, open, test::example_system(), strategy);
  };
  const ServingEstimate together = at(shared);

  const InferenceSetting setting(job.inference, test::example_system());
  const Replica replica = {setting, shared};
  // 8 sequences of a replica, 200 iterations each: so many prompts in one.
  const double prompts = 8.0 / (1.0 + 199.0);
  const double own = -std::expm1(-prompts);
  const double any = 1.0 - std::pow(1.0 - own, 8.0);
  EXPECT_GT(any, 5.0 * own);
  const double cache = 2000.0 + 0.5 * 198.0;
  const workload::TokenGroup decode = {prompts * 199.0, 1.0, cache};
  const workload::TokenGroup prefill = {prompts / own, 2000.0, 0.0};
  const auto seconds = [&](const Iteration& iteration) {
    return iteration_cost(replica, iteration).total().time.total_s();
  };
  const double plain_s = seconds({{}, decode});
  const double with_s = seconds({prefill, decode, own / any});
  EXPECT_GT(seconds({prefill, decode}), with_s);  // experts of the prompts of all at once
  EXPECT_NEAR(together.iteration_s(), (1.0 - any) * plain_s + any * with_s, 1e-9);
  const double others = (open - 1.0) / open;
  EXPECT_NEAR(together.time_per_output_token_s,
              plain_s + others * (together.iteration_s() - plain_s), 1e-9);
  EXPECT_LE(together.device_power_w, test::example_system().device.thermal_design_power.si());
}

TEST(Serving, SpeculationServesFewSequencesFasterAndManyNot) {
  ServingJob job = chat();
  job.inference.prefill_chunk = 0;
  job.most_sequences = 1;
  const ServingEstimate plain = serve(job);
  job.inference.speculation = {4, 0.8, 0.05};
  const ServingEstimate drafted = serve(job);
  EXPECT_LT(drafted.time_per_output_token_s, 0.5 * plain.time_per_output_token_s);
  EXPECT_NEAR(drafted.time_per_output_token_s,
              drafted.iteration_s() / job.inference.speculation.tokens_per_iteration(), 1e-15);
  EXPECT_GT(drafted.phase_s[static_cast<std::size_t>(InferencePhase::draft)], 0.0);

  // Where GEMMs are bound by arithmetic, checking what is thrown away costs.
  ServingJob many = chat();
  many.requests = {{100, 400, 1}};
  many.most_sequences = 600;
  const double plain_s = serve(many).time_per_output_token_s;
  many.inference.speculation = {4, 0.3, 0.05};
  EXPECT_GT(serve(many).time_per_output_token_s, plain_s);
}

TEST(Serving, ArrivalsGiveTheBatch) {
  ServingJob job = chat();
  const double most = serve(job).request_rate;
  double before = 0.0;
  for (const double share : {0.001, 0.1, 0.5, 0.9}) {
    job.arrival_rate = share * most;
    const ServingEstimate estimate = serve(job);
    EXPECT_EQ(estimate.verdict, ServingVerdict::meets_limits);
    EXPECT_EQ(estimate.bound, ServingBound::arrivals);
    EXPECT_NEAR(estimate.request_rate / job.arrival_rate, 1.0, 2e-6);
    EXPECT_GT(estimate.batch, before);
    before = estimate.batch;
  }
  // Next to none: a request is alone, and no prompt of another is between its tokens. They are as
  // far apart as where prompts have devices of their own, but for the way of the cache.
  job.arrival_rate = 1e-6 * most;
  const ServingEstimate alone = serve(job);
  EXPECT_LT(alone.batch, 1.0);
  job.batching = Batching::disaggregated;
  const ServingEstimate apart = serve(job, devices(1, 2));
  EXPECT_NEAR(alone.time_per_output_token_s / apart.median_token_gap_s, 1.0, 1e-4);
}

// The fewer tokens, the more prompts come in a time: of one request that is alone that says
// nothing.
TEST(Serving, FewerTokensOfFewRequestsTakeNoLonger) {
  ServingJob job = chat();
  job.arrival_rate = 1e-6 * serve(job).request_rate;
  const double all_s = serve(job).time_per_output_token_s;
  for (RequestClass& one : job.requests) {
    one.output *= 0.5;
  }
  EXPECT_LE(serve(job).time_per_output_token_s, all_s);
}

TEST(Serving, MoreArrivalsThanItCanServeMiss) {
  ServingJob job = chat();
  const double most = serve(job).request_rate;
  job.arrival_rate = 3.0 * most;
  const ServingEstimate estimate = serve(job);
  EXPECT_EQ(estimate.verdict, ServingVerdict::misses_limits);
  EXPECT_EQ(estimate.bound, ServingBound::memory);
  EXPECT_NEAR(estimate.request_rate, most, 1e-9 * most);
  EXPECT_NEAR(estimate.miss, 2.0, 1e-9);

  job.arrival_rate = 0.5 * most;
  job.limits.time_per_output_token_s = 1e-3;
  const ServingEstimate late = serve(job);
  EXPECT_EQ(late.verdict, ServingVerdict::misses_limits);
  EXPECT_EQ(late.bound, ServingBound::time_per_output_token);
  EXPECT_NEAR(late.miss, late.time_per_output_token_s / 1e-3 - 1.0, 1e-12);
}

TEST(Serving, LooserLimitsAndMoreBandwidthNeverServeLess) {
  for (const Batching batching : {Batching::chunked, Batching::separate, Batching::disaggregated}) {
    ServingJob job = chat();
    job.batching = batching;
    double before = 0.0;
    for (const double scale : {1.0, 1.2, 1.5, 2.0, 3.0, 5.0}) {
      job.limits = {0.2 * scale, 0.01 * scale};
      const ServingEstimate estimate = serve(job, devices(1, 4));
      const double rate =
          estimate.verdict == ServingVerdict::meets_limits ? estimate.request_rate : 0.0;
      EXPECT_GE(rate, before * (1.0 - 1e-3)) << name_of(batching) << scale;
      before = rate;
    }
    EXPECT_GT(before, 0.0);
    job.limits = {1.0, 0.03};
    before = 0.0;
    for (const double factor : {1.0, 1.3, 2.0, 4.0}) {
      const ServingEstimate estimate =
          estimate_serving(job, faster(test::example_system(), factor), devices(1, 4));
      EXPECT_GE(estimate.request_rate, before * (1.0 - 1e-3)) << factor;
      before = estimate.request_rate;
    }
  }
}

TEST(Serving, GroupsOfAPipelineTakeTurns) {
  ServingJob job = chat();
  job.inference.prefill_chunk = 0;
  job.most_sequences = 64;
  const ServingEstimate one = serve(job, devices(1, 1, 4, 1));
  const ServingEstimate four = serve(job, devices(1, 1, 4, 4));
  EXPECT_DOUBLE_EQ(one.batch, four.batch);
  // Stages that wait for each other serve less than stages that take turns.
  EXPECT_GT(four.request_rate, 2.0 * one.request_rate);
}

TEST(Serving, WarnsOfRequestsBeyondTheContext) {
  ServingJob job = chat();
  job.inference.model.max_positions = 2048;
  EXPECT_TRUE(serve(job).beyond_context);
  job.inference.model.max_positions = 2200;
  EXPECT_FALSE(serve(job).beyond_context);
}

TEST(Serving, TakesTheErrorBarsOfItsScale) {
  ServingJob job = chat();
  job.inference.uncertainty = {{0.1, {}}, {0.3, {}}, {}};
  EXPECT_DOUBLE_EQ(serve(job).relative_uncertainty, 0.1);
  EXPECT_DOUBLE_EQ(serve(job, devices(8, 2)).relative_uncertainty, 0.3);
  EXPECT_EQ(serve(job).first_token_uncertainty, 0.0) << "not known";
  job.first_token_uncertainty = {{0.4, {}}, {0.6, {}}, {}};
  EXPECT_DOUBLE_EQ(serve(job).first_token_uncertainty, 0.4);
  EXPECT_DOUBLE_EQ(serve(job, devices(8, 2)).first_token_uncertainty, 0.6);
  EXPECT_DOUBLE_EQ(serve(job).relative_uncertainty, 0.1);
}

TEST(ClosedLoop, OneRequestAtATimeIsAStaticBatchOfOne) {
  ServingJob job = chat();
  job.inference.prefill_chunk = 0;
  const technology::System system = test::example_system();
  const ServingEstimate loop = at_concurrency(job, 1.0, system, devices(1));
  InferenceJob single = job.inference;
  single.prompt = 2000;
  single.output = 200;
  const InferenceEstimate alone = estimate_inference(single, system, devices(1));
  EXPECT_NEAR(loop.time_per_output_token_s / alone.time_per_output_token_s(), 1.0, 0.01);
  EXPECT_NEAR(loop.request_rate * alone.latency_s(), 1.0, 0.03);
  EXPECT_DOUBLE_EQ(loop.batch, 1.0);
  EXPECT_EQ(loop.waiting_s, 0.0);
  EXPECT_EQ(loop.bound, ServingBound::arrivals);
}

TEST(ClosedLoop, SpeculatesAsAStaticBatchDoes) {
  ServingJob job = chat();
  job.inference.prefill_chunk = 0;
  job.inference.speculation = {4, 0.8, 0.05};
  const technology::System system = test::example_system();
  const ServingEstimate loop = at_concurrency(job, 1.0, system, devices(1));
  InferenceJob single = job.inference;
  single.prompt = 2000;
  single.output = 200;
  EXPECT_NEAR(loop.time_per_output_token_s /
                  estimate_inference(single, system, devices(1)).time_per_output_token_s(),
              1.0, 0.02);
}

TEST(ClosedLoop, MoreThanFitWait) {
  ServingJob job = chat();
  const technology::System system = test::example_system();
  const ServingEstimate some = at_concurrency(job, 20.0, system, devices(1));
  const double most = some.memory.largest_batch;
  const ServingEstimate full = at_concurrency(job, most, system, devices(1));
  const ServingEstimate more = at_concurrency(job, 3.0 * most, system, devices(1));
  EXPECT_DOUBLE_EQ(some.batch, 20.0);
  EXPECT_LT(some.time_per_output_token_s, full.time_per_output_token_s);
  EXPECT_DOUBLE_EQ(more.time_per_output_token_s, full.time_per_output_token_s);
  EXPECT_DOUBLE_EQ(more.request_rate, full.request_rate);
  EXPECT_EQ(more.bound, ServingBound::memory);
  EXPECT_NEAR(more.waiting_s - full.waiting_s, 2.0 * most / more.request_rate,
              1e-9 * more.waiting_s);
  job.most_sequences = 20;
  EXPECT_DOUBLE_EQ(at_concurrency(job, 50.0, system, devices(1)).time_per_output_token_s,
                   some.time_per_output_token_s);
}

TEST(ClosedLoop, LimitsOnMeansHoldAndNoPercentilesAreKnown) {
  ServingJob job = chat();
  const technology::System system = test::example_system();
  const ServingEstimate free = at_concurrency(job, 20.0, system, devices(1));
  EXPECT_EQ(free.verdict, ServingVerdict::meets_limits);
  EXPECT_TRUE(std::isnan(free.first_token_s[0]) && std::isnan(free.output_token_s[2]));
  job.arrival_rate = 1e-6;  // is not read
  job.limits.time_per_output_token_s = 1.01 * free.time_per_output_token_s;
  const ServingEstimate kept = at_concurrency(job, 20.0, system, devices(1));
  EXPECT_EQ(kept.verdict, ServingVerdict::meets_limits);
  EXPECT_EQ(kept.bound, ServingBound::arrivals);
  EXPECT_DOUBLE_EQ(kept.request_rate, free.request_rate);
  job.limits.time_to_first_token_s = 0.5 * free.time_to_first_token_s;
  const ServingEstimate missed = at_concurrency(job, 20.0, system, devices(1));
  EXPECT_EQ(missed.verdict, ServingVerdict::misses_limits);
  EXPECT_EQ(missed.bound, ServingBound::time_to_first_token);
  EXPECT_NEAR(missed.miss, 1.0, 1e-9);
  EXPECT_DOUBLE_EQ(missed.request_rate, free.request_rate);
}

TEST(ClosedLoop, ChunksLimitWhatIsDecoded) {
  ServingJob job = chat();
  job.inference.prefill_chunk = 64;
  job.requests.front() = {2000, 20, 1};
  const ServingEstimate loop = at_concurrency(job, 60.0, test::example_system(), devices(1));
  EXPECT_EQ(loop.bound, ServingBound::throughput);
  // Every iteration takes a whole chunk.
  EXPECT_NEAR(loop.request_rate * loop.iteration_s() * 2000.0, 64.0, 1e-6);
}

TEST(ClosedLoop, PoolsShareTheOpenRequests) {
  ServingJob job = chat();
  job.batching = Batching::disaggregated;
  const technology::System system = test::example_system();
  const ServingEstimate loop = at_concurrency(job, 40.0, system, devices(1, 4));
  EXPECT_EQ(loop.verdict, ServingVerdict::meets_limits);
  const double sent_s =
      (job.requests.front().output - 1.0) * (loop.time_per_output_token_s - loop.iteration_s());
  EXPECT_GT(sent_s, 0.0);
  EXPECT_NEAR(loop.batch + loop.request_rate * (loop.time_to_first_token_s + sent_s), 40.0, 1e-3);
  EXPECT_DOUBLE_EQ(loop.requests().in_flight_per_replica,
                   loop.batch / (4.0 - loop.prefill_replicas));
}

TEST(Queueing, IsPollaczekAndKhinchine) {
  // Exponential service (E[S^2] = 2 E[S]^2): rho / (1 - rho) E[S]; constant: half of that.
  EXPECT_NEAR(mean_wait_s(0.5, 1.0, 2.0), 1.0, 1e-12);
  EXPECT_NEAR(mean_wait_s(0.8, 1.0, 1.0), 2.0, 1e-12);
  EXPECT_TRUE(std::isinf(mean_wait_s(1.0, 1.0, 1.0)));
  EXPECT_EQ(mean_wait_s(0.0, 1.0, 1.0), 0.0);
  EXPECT_DOUBLE_EQ(residual_s(0.0, 5.0, 2.0), 1.0);
  EXPECT_DOUBLE_EQ(residual_s(0.5, 3.0, 1.0), 5.0 / 4.0);
  EXPECT_DOUBLE_EQ(residual_s(0.5, 0.0, 0.0), 0.0);
  EXPECT_NEAR(some_arrive(1.0), 1.0 - std::exp(-1.0), 1e-15);
  for (const double mean : {0.1, 0.6, 0.75, 1.5, 1.75, 4.0, 12.3}) {
    double below = 0.0, term = std::exp(-mean), median = 0.0;
    for (double k = 0.0; below + term < 0.5; ++k) {
      below += term;
      term *= mean / (k + 1.0);
      median = k + 1.0;
    }
    EXPECT_EQ(median_arrivals(mean), median) << mean;
  }
}

TEST(Batching, HasNames) {
  for (const Batching batching : {Batching::separate, Batching::chunked, Batching::disaggregated}) {
    EXPECT_EQ(batching_names.find(name_of(batching)), batching);
  }
  EXPECT_EQ(batching_names.find("other"), std::nullopt);
}

}  // namespace
}  // namespace scalesweep::estimator
