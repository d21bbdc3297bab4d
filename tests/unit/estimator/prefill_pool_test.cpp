// Devices of their own for prompts: which layout, how many, and what limits both pools.
#include "estimator/inference/service/prefill_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "estimator/inference/queueing/queueing.hpp"
#include "estimator/inference/service/serving.hpp"
#include "estimator/parts/collective.hpp"
#include "support/small_service.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Strategy;

using test::layout_of;

ServingJob long_prompts() {
  ServingJob job = test::small_service(6000);
  job.limits = {.time_to_first_token_s = 2.0, .time_per_output_token_s = 0.02};
  job.batching = Batching::disaggregated;
  return job;
}

technology::System without_power_limit() {
  technology::System system = test::example_system();
  system.device.thermal_design_power = Watts::si(0.0);
  return system;
}

double per_device(const ServingEstimate& e, double decoding) {
  return e.request_rate / (decoding + e.prefill_devices());
}

TEST(PrefillPool, OfTheSameDevicesIsASplitOfThem) {
  ServingJob job = long_prompts();
  const technology::System system = without_power_limit();
  for (const int prefill : {1, 2, 3}) {
    const PrefillPool pool(job, system, {layout_of(2)}, std::int64_t{2} * prefill);
    const ServingEstimate beside = estimate_serving(job, system, layout_of(2, 4 - prefill), &pool);
    job.prefill_share = prefill / 4.0;
    const ServingEstimate split = estimate_serving(job, system, layout_of(2, 4));
    EXPECT_EQ(beside.prefill_replicas, prefill);
    EXPECT_EQ(split.prefill_replicas, prefill);
    EXPECT_DOUBLE_EQ(beside.request_rate, split.request_rate);
    EXPECT_DOUBLE_EQ(beside.time_to_first_token_s, split.time_to_first_token_s);
    EXPECT_DOUBLE_EQ(beside.time_per_output_token_s, split.time_per_output_token_s);
    EXPECT_NEAR(beside.energy.total_j() / split.energy.total_j(), 1.0, 1e-12);
  }
}

// The plain version of the choice: every layout in every number.
TEST(PrefillPool, IsAsLargeAsAnswersMostForEachDevice) {
  for (const double limit_s : {0.6, 1.0, 2.0, 0.0}) {
    for (const double burstiness : {1.0, 4.0}) {
      ServingJob job = long_prompts();
      job.limits.time_to_first_token_s = limit_s;
      job.burstiness = burstiness;
      const technology::System system = without_power_limit();
      const std::vector<Strategy> layouts = {layout_of(1), layout_of(2), layout_of(4),
                                             layout_of(1, 1, 2)};
      const Strategy decoding = layout_of(2, 3);
      const PrefillPool open(job, system, layouts, 0);
      const ServingEstimate found = estimate_serving(job, system, decoding, &open);
      ASSERT_EQ(found.verdict, ServingVerdict::meets_limits);
      double best = 0.0;
      for (const Strategy& layout : layouts) {
        for (int groups = 1; groups <= 24; ++groups) {
          const PrefillPool pool(job, system, {layout}, groups * layout.devices());
          const ServingEstimate one = estimate_serving(job, system, decoding, &pool);
          if (one.verdict == ServingVerdict::meets_limits) {
            best = std::max(best, per_device(one, 6.0));
          }
        }
      }
      // Capacity leaves out that whole sequences are in flight.
      EXPECT_GE(per_device(found, 6.0) / best, 0.97) << limit_s << " " << burstiness;
      EXPECT_LE(per_device(found, 6.0) / best, 1.0 + 1e-9);
    }
  }
}

// Caches have to be sent as well: faster devices, of which fewer would take all prompts, are as
// many as send them.
TEST(PrefillPool, IsLargeEnoughToSendWhatItTakes) {
  const ServingJob job = long_prompts();
  technology::System system = without_power_limit();
  system.set_scale_out_rate(BytesPerSecond::si(2e9));
  technology::System faster = system;
  for (FlopPerSecond& peak : faster.device.tensor_peak) {
    peak *= 4.0;
  }
  const auto served = [&](const technology::System& prompts) {
    const PrefillPool pool(job, prompts, {layout_of(1), layout_of(2)}, 0);
    return estimate_serving(job, system, layout_of(2, 8), &pool);
  };
  const ServingEstimate slow = served(system);
  const ServingEstimate fast = served(faster);
  ASSERT_EQ(slow.verdict, ServingVerdict::meets_limits);
  EXPECT_GE(per_device(fast, 16.0), (1.0 - 1e-6) * per_device(slow, 16.0));
}

TEST(PrefillPool, MoreDevicesNeverAnswerFewer) {
  const ServingJob job = long_prompts();
  const technology::System system = without_power_limit();
  double before = 0.0;
  for (const int count : {1, 2, 4, 8, 16}) {
    const PrefillPool pool(job, system, {layout_of(1)}, count);
    const ServingEstimate e = estimate_serving(job, system, layout_of(2, 4), &pool);
    EXPECT_GE(e.request_rate, before * (1.0 - 1e-6)) << count;
    before = e.request_rate;
  }
}

TEST(PrefillPool, HasACapacityWithinTheLimits) {
  ServingJob job = long_prompts();
  const technology::System system = without_power_limit();
  job.limits = {.time_to_first_token_s = 1.0};
  const PrefillPool pool(job, system, {layout_of(2)}, 4);
  const PoolSize size = pool.of_all_devices();
  EXPECT_EQ(size.groups, 2);
  job.arrival_rate = 0.99 * pool.capacity(size);
  EXPECT_EQ(estimate_serving(job, system, layout_of(2, 16), &pool).verdict,
            ServingVerdict::meets_limits);
  job.arrival_rate = 1.01 * pool.capacity(size);
  EXPECT_EQ(estimate_serving(job, system, layout_of(2, 16), &pool).verdict,
            ServingVerdict::misses_limits);
  // A limit that nine of ten keep leaves less room than one on the mean.
  ServingJob strict = long_prompts();
  strict.limits = {};
  strict.limits.first_token_s = {0.0, 1.0, 0.0};
  const PrefillPool tight(strict, system, {layout_of(2)}, 4);
  EXPECT_LT(tight.capacity(tight.of_all_devices()), pool.capacity(size));
  EXPECT_GT(tight.capacity(tight.of_all_devices()), 0.0);
  // None that waits for nothing is soon enough.
  strict.limits.first_token_s = {1e-3, 0.0, 0.0};
  const PrefillPool none(strict, system, {layout_of(2)}, 4);
  EXPECT_EQ(none.capacity(none.of_all_devices()), 0.0);
  EXPECT_EQ(estimate_serving(strict, system, layout_of(2, 4), &none).verdict,
            ServingVerdict::misses_limits);
}

// Short prompts go together as they come: one alone does not wait until a chunk is full.
TEST(PrefillPool, OfShortPromptsTakesWhatComesTogether) {
  ServingJob job = long_prompts();
  job.requests = {{.prompt = 100, .output = 200, .share = 1}};
  const technology::System system = without_power_limit();
  const PrefillPool pool(job, system, {layout_of(1)}, 1);
  const double full_chunk_s = pool.layouts().front().prompts.first_s;
  job.limits = {.time_to_first_token_s = 0.5 * full_chunk_s};
  const PrefillPool strict(job, system, {layout_of(1)}, 1);
  const double capacity = strict.capacity(strict.of_all_devices());
  EXPECT_GT(capacity, 0.0);
  EXPECT_LT(capacity, pool.capacity(pool.of_all_devices()));
  job.arrival_rate = 0.95 * capacity;
  EXPECT_EQ(estimate_serving(job, system, layout_of(1, 8), &strict).verdict,
            ServingVerdict::meets_limits);
  job.arrival_rate = 1.05 * capacity;
  EXPECT_EQ(estimate_serving(job, system, layout_of(1, 8), &strict).verdict,
            ServingVerdict::misses_limits);
}

TEST(PrefillPool, SendsCachesAsFastAsTheSlowerEnd) {
  const ServingJob job = long_prompts();
  const technology::System fast = without_power_limit();
  technology::System slow = fast;
  slow.levels.back().link.bandwidth *= 0.01;
  const auto token_s = [&](const technology::System& prompts, const technology::System& tokens) {
    ServingJob one = job;
    one.limits = {};
    one.arrival_rate = 0.01;
    const PrefillPool pool(one, prompts, {layout_of(2)}, 2);
    return estimate_serving(one, tokens, layout_of(2, 2), &pool).time_per_output_token_s;
  };
  EXPECT_GT(token_s(slow, fast), 1.1 * token_s(fast, fast));
  EXPECT_DOUBLE_EQ(token_s(slow, fast), token_s(slow, slow));
  EXPECT_DOUBLE_EQ(token_s(fast, slow), token_s(slow, slow));
}

// Of few long requests, room for a cache that is on its way is missed.
TEST(PrefillPool, CachesOnTheirWayTakeMemory) {
  ServingJob job = test::small_service(200'000);
  job.batching = Batching::disaggregated;
  const auto served = [&](double bandwidth) {
    technology::System system = without_power_limit();
    system.levels.back().link.bandwidth *= bandwidth;
    const PrefillPool pool(job, system, {layout_of(2)}, 2000);
    return estimate_serving(job, system, layout_of(2, 2), &pool);
  };
  // Little's law of those on their way, of which the time per token has its part.
  const auto arriving = [&](const ServingEstimate& e) {
    return e.request_rate * (job.requests.front().output - 1.0) *
           (e.time_per_output_token_s - e.iteration_s());
  };
  const ServingEstimate soon = served(100.0);
  double before = soon.batch;
  for (const double bandwidth : {1.0, 0.5, 0.3}) {
    const ServingEstimate late = served(bandwidth);
    EXPECT_EQ(late.bound, ServingBound::memory);
    EXPECT_LT(late.batch, before) << bandwidth;
    // As many as arrive with all places taken, which is a little more.
    EXPECT_LE(late.batch + arriving(late), late.memory.largest_batch) << bandwidth;
    EXPECT_NEAR(late.batch + arriving(late), late.memory.largest_batch, 0.15) << bandwidth;
    EXPECT_NEAR(late.memory.cache_bytes / (late.batch + arriving(late)),
                soon.memory.cache_bytes / (soon.batch + arriving(soon)), 1e3);
    before = late.batch;
  }
}

// A pool keeps a cache until it is sent: with room for one it takes no prompt while it sends.
TEST(PrefillPool, OfLittleMemoryTakesFewerPrompts) {
  ServingJob job = test::small_service(200'000);
  job.batching = Batching::disaggregated;
  technology::System system = without_power_limit();
  system.levels.back().link.bandwidth *= 0.1;
  const auto pool_of = [&](double memory) {
    technology::System prompts = system;
    prompts.device.dram.capacity *= memory;
    return PrefillPool(job, prompts, {layout_of(2)}, 2);
  };
  const auto rate = [&](double memory) {
    const PrefillPool pool = pool_of(memory);
    return estimate_serving(job, system, layout_of(2, 8), &pool).request_rate;
  };
  const PromptPool one = pool_of(0.3).layouts().front().prompts;
  ASSERT_EQ(one.places, 1.0);
  const double bytes = 2.0 * 8 / 2 * 128 * 2 * 32 * 200'000;
  const double sent_s = transfer_cost(bytes, {1, 2}, system).time.total_s();
  EXPECT_NEAR(rate(0.3) / (highest_utilisation / (one.first_s + sent_s)), 1.0, 1e-3);
  EXPECT_NEAR(rate(1.0) / (highest_utilisation / one.next_s), 1.0, 1e-3);
  EXPECT_GT(one.first_s + sent_s, 1.05 * one.next_s);
  double before = 0.0;
  for (const double memory : {0.3, 0.5, 0.7, 1.0, 2.0}) {
    EXPECT_GE(rate(memory), before * (1.0 - 1e-6)) << memory;
    before = rate(memory);
  }
}

TEST(PrefillPool, HasTheClockThatItsPowerLeaves) {
  const ServingJob job = long_prompts();
  technology::System hungry = without_power_limit();
  hungry.device.dram.energy = JoulesPerByte::si(1e-10);
  for (auto& energy : hungry.device.tensor_energy) {
    energy = JoulesPerFlop::si(2e-12);
  }
  hungry.device.thermal_design_power = Watts::si(250.0);
  const PrefillPool pool(job, hungry, {layout_of(2)}, 4);
  const PrefillPool free(job, without_power_limit(), {layout_of(2)}, 4);
  const ServingEstimate e = estimate_serving(job, without_power_limit(), layout_of(2, 4), &pool);
  EXPECT_LT(e.prefill_clock_fraction, 1.0);
  EXPECT_DOUBLE_EQ(e.clock_fraction, 1.0);
  EXPECT_LT(pool.capacity(pool.of_all_devices()), free.capacity(free.of_all_devices()));
}

TEST(PrefillPool, WithoutALayoutThatHoldsAPrompt) {
  const ServingJob job = long_prompts();
  technology::System small = without_power_limit();
  small.device.dram.capacity = Bytes::si(4e9);
  const PrefillPool none(job, small, {layout_of(1)}, 0);
  EXPECT_TRUE(none.layouts().empty());
  EXPECT_EQ(estimate_serving(job, without_power_limit(), layout_of(2), &none).verdict,
            ServingVerdict::does_not_fit);
  const PrefillPool untried(job, small, {}, 7);
  EXPECT_EQ(estimate_serving(job, without_power_limit(), layout_of(2), &untried).verdict,
            ServingVerdict::too_few_replicas);
}

TEST(PrefillPool, GroupsKeepReplicasTogetherThatShareExperts) {
  Strategy strategy = layout_of(1, 64);
  strategy.expert_parallel = 16;
  EXPECT_EQ(group_of_replicas(strategy).data_parallel, 16);
  strategy.context_parallel = 4;
  EXPECT_EQ(group_of_replicas(strategy).data_parallel, 4);
}

}  // namespace
}  // namespace scalesweep::estimator
