// What a service may never do: serve less with more of something, with a looser limit or with less
// work for each request; and what it says then.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "estimator/inference/passes/iteration.hpp"
#include "estimator/inference/queueing/queueing.hpp"
#include "estimator/inference/service/serving.hpp"
#include "estimator/inference/service/steady_state.hpp"
#include "support/examples.hpp"
#include "support/small_service.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Strategy;

technology::System with_memory(double factor) {
  technology::System system = test::example_system();
  system.device.dram.capacity *= factor;
  return system;
}

// 0 where the limits are missed.
double rate_of(const ServingEstimate& estimate) {
  return estimate.verdict == ServingVerdict::meets_limits ? estimate.request_rate : 0.0;
}

double rate(const ServingJob& job, const Strategy& strategy,
            const technology::System& system = test::example_system()) {
  return rate_of(estimate_serving(job, system, strategy));
}

// Steps of tiles and whole sequences, where the search may end on either side.
constexpr double steps = 0.02;
// Of batches of few prompts, each of which is one more tile and wave.
constexpr double few_steps = 0.07;

void expect_finite(const ServingEstimate& e) {
  for (const double value :
       {e.request_rate, e.time_to_first_token_s, e.waiting_s, e.time_per_output_token_s, e.batch,
        e.iteration_s(), e.energy.total_j(), e.device_power_w, e.memory.total_bytes()}) {
    EXPECT_TRUE(std::isfinite(value));
    EXPECT_GE(value, 0.0);
    EXPECT_LT(value, 1e15);
  }
}

ServingJob limited_at_p99(double token_s) {
  ServingJob job = test::small_service(500);
  job.requests.front().output = 1000;
  job.limits.output_token_s[2] = token_s;
  return job;
}

// An engine that takes fewer sequences than fit sees fewer of them come and go.
TEST(ServiceLaws, MoreMemoryServesNoLessWithinPercentiles) {
  int capped = 0;
  for (const double token_s : {0.012, 0.016, 0.025, 0.05}) {
    for (const double first_s : {0.0, 1.0, 4.0}) {
      ServingJob job = limited_at_p99(token_s);
      job.limits.first_token_s[1] = first_s;
      double before = 0.0;
      for (const double factor : {0.4, 0.6, 1.0, 1.7, 2.5}) {
        const ServingEstimate e = estimate_serving(job, with_memory(factor), test::layout_of(1, 2));
        EXPECT_GE(rate_of(e), before * (1.0 - steps)) << token_s << ' ' << first_s << ' ' << factor;
        before = rate_of(e);
        capped += e.cap > 0.0 ? 1 : 0;
      }
      EXPECT_GT(before, 0.0);
    }
  }
  EXPECT_GE(capped, 6);
}

TEST(ServiceLaws, ACapServesWhatAnEngineWithItServes) {
  ServingJob job = limited_at_p99(0.016);
  for (const double first_s : {0.0, 2.0}) {
    job.limits.first_token_s[1] = first_s;
    const ServingEstimate chosen = estimate_serving(job, with_memory(2.0), test::layout_of(1));
    ASSERT_GT(chosen.cap, 0.0) << first_s;
    EXPECT_LT(chosen.cap, chosen.requests().largest_batch_per_replica);
    EXPECT_LE(chosen.batch, chosen.cap);
    EXPECT_EQ(chosen.bound, ServingBound::time_per_output_token);
    ServingJob given = job;
    given.most_sequences = chosen.cap;
    EXPECT_NEAR(rate(given, test::layout_of(1), with_memory(2.0)) / chosen.request_rate, 1.0,
                steps);
  }
  job.limits = {.time_per_output_token_s = 0.016};  // a mean does not vary
  EXPECT_EQ(estimate_serving(job, with_memory(2.0), test::layout_of(1)).cap, 0.0);
}

TEST(ServiceLaws, AClosedLoopLetsThoseWaitThatAreTooMany) {
  ServingJob job = test::small_service(500);
  job.concurrency = 200;
  const ServingEstimate free = estimate_serving(job, test::example_system(), test::layout_of(1));
  job.limits.time_per_output_token_s = 0.7 * free.time_per_output_token_s;
  const ServingEstimate kept = estimate_serving(job, test::example_system(), test::layout_of(1));
  EXPECT_EQ(kept.verdict, ServingVerdict::meets_limits);
  EXPECT_EQ(kept.bound, ServingBound::time_per_output_token);
  EXPECT_DOUBLE_EQ(kept.cap, kept.batch);
  EXPECT_LT(kept.batch, free.batch);
  EXPECT_NEAR(kept.request_rate * (kept.waiting_s - free.waiting_s), 200.0 - kept.batch,
              0.1 * 200.0);
  EXPECT_LE(kept.time_per_output_token_s, job.limits.time_per_output_token_s);
}

// Scoring, reranking: prompts alone.
TEST(ServiceLaws, OneTokenIsLessWorkThanTwo) {
  for (const Batching batching : {Batching::chunked, Batching::separate}) {
    for (const std::int64_t chunk : {2048, 0}) {
      for (const double prompt : {32.0, 128.0, 500.0, 2000.0, 8000.0}) {
        ServingJob job = test::small_service(prompt);
        job.batching = batching;
        job.inference.prefill_chunk = chunk;
        double more = 0.0;
        for (const double output : {16.0, 4.0, 2.0, 1.0}) {
          job.requests.front().output = output;
          const ServingEstimate e =
              estimate_serving(job, test::example_system(), test::layout_of(1, 2));
          EXPECT_GE(rate_of(e), more * (1.0 - (output > 1.0 ? few_steps : steps)))
              << prompt << ' ' << output << ' ' << chunk;
          expect_finite(e);
          more = rate_of(e);
          EXPECT_TRUE(output > 1.0 || e.time_to_first_token_s < 60.0) << e.time_to_first_token_s;
        }
      }
    }
  }
}

TEST(ServiceLaws, PromptsAloneGoTogetherInAChunk) {
  ServingJob job = test::small_service(64);
  job.requests.front().output = 1;
  const ServingEstimate e = estimate_serving(job, test::example_system(), test::layout_of(1));
  // 2048 tokens of a chunk are 32 prompts, of which a twentieth is left free.
  const technology::System system = test::example_system();
  const InferenceSetting setting(job.inference, system);
  const double chunk_s =
      iteration_cost({setting, test::layout_of(1)}, {{32.0, 64.0, 0.0}, {}}).total().time.total_s();
  EXPECT_GE(e.request_rate, highest_utilisation * 32.0 / chunk_s);
  EXPECT_GT(e.batch, 8.0);
  EXPECT_NEAR(e.request_rate * e.iteration_s(), e.batch, 1e-9 * e.batch);
  EXPECT_EQ(e.bound, ServingBound::throughput);
  EXPECT_EQ(e.output_token_s, Percentiles{});
  job.limits.time_per_output_token_s = 1e-9;  // of tokens that there are none of
  EXPECT_EQ(rate(job, test::layout_of(1)), e.request_rate);

  // One after the other, where a chunk has room for one: nobody waits behind nobody.
  job.requests.front() = {2048, 1, 1};
  job.limits = {};
  const double most = rate(job, test::layout_of(1));
  job.arrival_rate = 0.01 * most;
  const ServingEstimate idle = estimate_serving(job, test::example_system(), test::layout_of(1));
  EXPECT_NEAR(idle.time_to_first_token_s * most / highest_utilisation, 1.0, 0.02);
}

TEST(ServiceLaws, AClosedLoopOfPromptsIsItsLatency) {
  ServingJob job = test::small_service(64);
  job.requests.front().output = 1;
  for (const double open : {1.0, 8.0, 20.0}) {
    job.concurrency = open;
    const ServingEstimate e = estimate_serving(job, test::example_system(), test::layout_of(1));
    EXPECT_NEAR(e.request_rate * e.time_to_first_token_s, open, 1e-6 * open);
    EXPECT_GT(e.time_per_output_token_s, 0.0);  // an iteration
  }
}

TEST(ServiceLaws, EvenArrivalsOfAlikePromptsWaitForNothing) {
  for (const double rounded : {1.0 - 1e-15, 1.0, 1.0 + 1e-15}) {
    EXPECT_EQ(mean_wait_s(0.3, 1.0, rounded, 0.0), 0.0);
    EXPECT_GE(wait_at_one(0.3, 1.0, rounded, 0.0).share, 0.0);
  }
  ServingJob job = test::small_service(200);
  job.batching = Batching::disaggregated;
  for (const double scv : {0.0, 0.5}) {
    job.burstiness = scv;
    for (const double arrivals : {0.5, 1.0, 3.0, 7.0, 11.0}) {
      job.arrival_rate = arrivals;
      const ServingEstimate e =
          estimate_serving(job, test::example_system(), test::layout_of(1, 4));
      expect_finite(e);
      job.limits.time_to_first_token_s = 1e-4;  // no prompt is that short
      EXPECT_EQ(rate(job, test::layout_of(1, 4)), 0.0);
      job.limits = {};
    }
  }
}

// A share of pools that is not given is the best of those that could be.
TEST(ServiceLaws, NoGivenShareOfPoolsServesMore) {
  for (const double open : {0.0, 64.0}) {
    for (const double token_s : {0.0, 0.009, 0.02, 0.1}) {
      ServingJob job = test::small_service(2000);
      job.batching = Batching::disaggregated;
      job.concurrency = open;
      job.limits = {.time_to_first_token_s = 5.0, .time_per_output_token_s = token_s};
      const double best = rate(job, test::layout_of(1, 12));
      for (int prompts = 1; prompts < 12; ++prompts) {
        job.prefill_share = prompts / 12.0;
        EXPECT_LE(rate(job, test::layout_of(1, 12)), best * (1.0 + 1e-6)) << token_s << prompts;
      }
    }
  }
}

// Of many replicas as of few: each split of them is tried here.
TEST(ServiceLaws, ASplitOfManyReplicasIsTheBest) {
  for (const double prompt : {200.0, 2000.0, 12000.0}) {
    for (const double token_s : {0.0, 0.02}) {
      ServingJob job = test::small_service(prompt);
      job.batching = Batching::disaggregated;
      job.limits = {.time_per_output_token_s = token_s};
      const double found = rate(job, test::layout_of(1, 96));
      double best = 0.0;
      for (int prompts = 1; prompts < 96; ++prompts) {
        job.prefill_share = prompts / 96.0;
        best = std::max(best, rate(job, test::layout_of(1, 96)));
      }
      EXPECT_GE(found, 0.995 * best) << prompt << " " << token_s;
    }
  }
}

// With all places taken requests wait without end for one, whatever the limit on the first token.
TEST(ServiceLaws, TheBoundIsWhatBinds) {
  ServingJob job = test::small_service(2000);
  job.batching = Batching::disaggregated;
  job.limits = {.time_to_first_token_s = 5.0, .time_per_output_token_s = 0.5};
  const ServingEstimate pools =
      estimate_serving(job, test::example_system(), test::layout_of(1, 8));
  EXPECT_LT(pools.time_to_first_token_s, 0.5 * 5.0);
  EXPECT_NE(pools.bound, ServingBound::time_to_first_token);
}

// Of a replica that has a request in a part of the time, and of those that share its experts: the
// tokens of a stay take as long as it lasts (Little), and others are met as they come, each with a
// prompt for each request.
TEST(ServiceLaws, FewRequestsMeetFewPrompts) {
  const technology::System system = test::example_system();
  ServingJob job = test::small_service(500);
  job.inference.model.experts = {.count = 16, .top_k = 2, .ffn = 4096};
  const RequestMix mix = mix_of(job);
  const InferenceSetting setting(job.inference, system);
  for (const int sharing : {1, 8}) {
    Strategy strategy = test::layout_of(1, 8);
    strategy.expert_parallel = sharing;
    ASSERT_EQ(replicas_in_step(strategy), sharing);
    const Replica replica = {setting, strategy};
    const SteadyState one = mixed_state(job, mix, replica, Loop::open, 8.0);
    const double plain_s = one.traffic.plain_s;
    const double prompts_s = one.time_per_output_token_s - plain_s;
    EXPECT_GT(prompts_s, 0.01 * plain_s);
    for (const double busy : {0.01, 0.4, 0.999999}) {
      const SteadyState few = mixed_state(job, mix, replica, Loop::open, 8.0 * busy);
      const double stay_s = 200.0 * few.time_per_output_token_s;  // one of them with its prompt
      EXPECT_NEAR(few.request_rate * stay_s, 8.0 * busy, 1e-9 * busy) << sharing;
      EXPECT_NEAR(few.time_per_output_token_s, plain_s + busy * prompts_s, 1e-9 * plain_s);
      const auto request_flop = [](const SteadyState& state) {
        return state.work_per_s[Amount::tensor_flop] / state.request_rate;
      };
      EXPECT_NEAR(request_flop(few), request_flop(one), 1e-9 * request_flop(one));
    }
    // In a closed loop of one request nobody else's prompt is met.
    const SteadyState alone = mixed_state(job, mix, replica, Loop::closed, 1.0);
    EXPECT_NEAR(alone.time_per_output_token_s, plain_s, 1e-9 * plain_s) << sharing;
  }
}

// Where prompts of replicas that share experts fill a limit on the time per token, requests of
// fewer tokens are served as often: as many prompts fit beside them.
TEST(ServiceLaws, FewerTokensAreServedAsOftenByReplicasThatShareExperts) {
  ServingJob job = test::small_service(2000);
  job.inference.model.experts = {.count = 16, .top_k = 2, .ffn = 14336};
  Strategy strategy = test::layout_of(1, 16);
  strategy.expert_parallel = 16;
  const double plain_s =
      estimate_serving(job, test::example_system(), strategy).time_per_output_token_s;
  job.limits.time_per_output_token_s = 0.5 * plain_s;
  double before = 0.0;
  for (const double output : {1600.0, 800.0, 400.0, 200.0, 100.0, 50.0}) {
    job.requests.front().output = output;
    const double served = rate(job, strategy);
    EXPECT_GE(served, before * (1.0 - steps)) << output;
    before = served;
  }
  EXPECT_GT(before, 0.0);
}

}  // namespace
}  // namespace scalesweep::estimator
