// Prompts whose beginnings are in host memory or in storage: what loading them takes, what of it
// hides, what memory holds. Sessions of several turns as requests, and what is served of them.
#include "estimator/reuse/prefix_loads.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "estimator/inference/inference.hpp"
#include "estimator/inference/inference_memory.hpp"
#include "estimator/inference/service/serving.hpp"
#include "support/examples.hpp"
#include "support/request_simulation.hpp"
#include "support/small_service.hpp"

namespace scalesweep::estimator {
namespace {

constexpr double layers = 32.0;
constexpr double token_bytes = layers * 2.0 * 8.0 * 128.0 * 2.0;  // of Llama 3 8B in bf16

ServingJob chat() {
  ServingJob job;
  job.inference.model = test::llama(4096, 32, 32, 8, 14336, 128256);
  job.inference.prompt = 2000;
  job.inference.output = 200;
  job.inference.prefill_chunk = 2048;
  job.requests = {{.prompt = 2000, .output = 200, .share = 1}};
  job.arrival_rate = 1.0;
  return job;
}

ServingJob loading(double host, double storage = 0.0, double storage_bytes_per_s = 2e9) {
  ServingJob job = chat();
  job.inference.prefixes.host_hits = host;
  job.inference.prefixes.storage_hits = storage;
  job.inference.prefixes.storage_bytes_per_s = storage_bytes_per_s;
  return job;
}

parallel::Strategy devices(int tp = 1, int pp = 1, int dp = 1) {
  parallel::Strategy strategy;
  strategy.tensor_parallel = tp;
  strategy.pipeline_parallel = pp;
  strategy.data_parallel = dp;
  return strategy;
}

technology::System with_link(double bytes_per_s) {
  technology::System system = test::example_system();
  system.device.host_bandwidth = BytesPerSecond::si(bytes_per_s);
  return system;
}

TEST(PrefixLoads, AreTheCacheOfWhatIsFoundOverItsLink) {
  const technology::System system = with_link(50e9);
  const InferenceSetting host(loading(0.5).inference, system);
  const PrefixUse use = prefix_use({host, devices()}, 2000.0);
  EXPECT_DOUBLE_EQ(use.loaded_bytes, 1000.0 * token_bytes);
  EXPECT_DOUBLE_EQ(use.load_s, 1000.0 * token_bytes / 50e9);
  // Each rank, or stage, loads what it keeps.
  EXPECT_DOUBLE_EQ(prefix_use({host, devices(4)}, 2000.0).load_s, use.load_s / 4.0);
  EXPECT_DOUBLE_EQ(prefix_use({host, devices(1, 4)}, 2000.0).load_s, use.load_s / 4.0);

  // Storage is slower than the link that carries both, until the host's part is much more.
  const InferenceSetting both(loading(0.25, 0.25).inference, system);
  EXPECT_DOUBLE_EQ(prefix_use({both, devices()}, 2000.0).load_s, 500.0 * token_bytes / 2e9);
  const InferenceSetting fast(loading(0.25, 0.25, 40e9).inference, system);
  EXPECT_DOUBLE_EQ(prefix_use({fast, devices()}, 2000.0).load_s, 1000.0 * token_bytes / 50e9);

  // Its charge is that of the slower one.
  const Charges read = with_loads({both, devices()}, 2000.0, 1.0, {}).communication.time;
  EXPECT_DOUBLE_EQ(read[Resource::storage], read.total_s());
  const Charges sent = with_loads({fast, devices()}, 2000.0, 1.0, {}).communication.time;
  EXPECT_DOUBLE_EQ(sent[Resource::host], sent.total_s());
  EXPECT_GT(sent.total_s(), 0.0);

  // Instead they would be computed, behind what the device holds.
  ServingJob job = loading(0.5);
  job.inference.prefix_hits = 0.25;
  const InferenceSetting some(job.inference, system);
  const Replica replica = {some, devices()};
  EXPECT_DOUBLE_EQ(prefix_use(replica, 2000.0).recompute_s,
                   prefill_cost(replica, 1.0, 1000.0, 500.0, 2048.0).total().time.total_s());
}

TEST(PrefixLoads, HideBehindLayersOrSetTheirTime) {
  for (const double bandwidth : {1e12, 1e10, 1e8}) {
    const InferenceSetting setting(loading(0.5).inference, with_link(bandwidth));
    const Replica replica = {setting, devices()};
    const IterationCost pass = prefill_cost(replica, 1.0, 1000.0, 1000.0, 0.0);
    const double pass_s = pass.total().time.total_s();
    const double load_s = 3.0 * prefix_use(replica, 2000.0).load_s;
    const IterationCost with = with_loads(replica, 2000.0, 3.0, pass);
    EXPECT_NEAR(with.total().time.total_s(),
                std::max(pass_s + load_s / layers, load_s + pass_s / layers), 1e-9 * pass_s);
    EXPECT_GT(with.total().time[Resource::host], 0.0);
    EXPECT_DOUBLE_EQ(with.total().work[Amount::dram_bytes] - pass.total().work[Amount::dram_bytes],
                     3.0 * 1000.0 * token_bytes);
    EXPECT_NEAR(with.slowest_stage.total_s() - pass.slowest_stage.total_s(),
                with.total().time.total_s() - pass_s, 1e-9 * pass_s);
  }
}

TEST(PrefixLoads, ChangeNothingWhereNothingIsLoaded) {
  const InferenceSetting setting(chat().inference, test::example_system());
  const Replica replica = {setting, devices()};
  const IterationCost pass = prefill_cost(replica, 1.0, 1000.0, 1000.0, 0.0);
  const IterationCost with = with_loads(replica, 2000.0, 3.0, pass);
  EXPECT_EQ(with.communication.time.values, pass.communication.time.values);
  EXPECT_EQ(with.communication.work.values, pass.communication.work.values);
  EXPECT_EQ(load_ahead(replica, 2000.0).total_s(), 0.0);
  EXPECT_EQ(prefix_use(replica, 2000.0).recompute_s, 0.0);
}

// A service is faster for a prefix that it loads exactly where it says so.
TEST(PrefixLoads, PayOffAboveTheBandwidthThatIsSaid) {
  const double computing_s =
      estimate_serving(chat(), test::example_system(), devices()).time_to_first_token_s;
  const auto loading_s = [&](double bandwidth) {
    return estimate_serving(loading(0.8), with_link(bandwidth), devices()).time_to_first_token_s;
  };
  const PrefixUse use = estimate_serving(loading(0.8), test::example_system(), devices()).prefixes;
  const double even = use.loaded_bytes / use.recompute_s;
  EXPECT_LT(loading_s(4.0 * even), computing_s);
  EXPECT_GT(loading_s(0.25 * even), computing_s);
  double last_s = 1e9;
  for (double bandwidth = 1e9; bandwidth < 1e12; bandwidth *= 1.7) {
    const double at_s = loading_s(bandwidth);
    EXPECT_LE(at_s, last_s * (1.0 + 1e-9)) << bandwidth;
    last_s = at_s;
  }
}

TEST(PrefixLoads, AheadOfPromptsLeaveIterationsAloneAndTakeTheirTime) {
  ServingJob in_device = chat();
  in_device.inference.prefix_hits = 0.5;
  ServingJob ahead = loading(0.5);
  ahead.inference.prefixes.loading = PrefixLoading::before;
  const technology::System system = with_link(5e9);
  const Replica none = {InferenceSetting(in_device.inference, system), devices()};
  const ServingEstimate found = estimate_serving(in_device, system, devices());
  const ServingEstimate loaded = estimate_serving(ahead, system, devices());
  EXPECT_NEAR(loaded.iteration_s(), found.iteration_s(), 1e-6 * found.iteration_s());
  const double load_s = 1000.0 * token_bytes / 5e9;
  const double queue_s = load_s * load_s / (2.0 * (1.0 - load_s));  // one request a second
  EXPECT_NEAR(loaded.time_to_first_token_s, found.time_to_first_token_s + load_s + queue_s,
              1e-5 * load_s);
  EXPECT_GT(loaded.first_token_s[0], found.first_token_s[0] + 0.9 * load_s);
  // The link brings so many and no more.
  ahead.arrival_rate = 0.0;
  const ServingEstimate most = estimate_serving(ahead, with_link(1e8), devices());
  EXPECT_LE(most.request_rate, 1.0 / (1000.0 * token_bytes / 1e8));
  EXPECT_EQ(most.bound, ServingBound::throughput);
}

// The pool of prompts loads, and takes no more of them than its links bring.
TEST(PrefixLoads, OfDisaggregatedReplicasAreThoseOfPrompts) {
  ServingJob found = chat();
  found.batching = Batching::disaggregated;
  found.arrival_rate = 0.5;
  found.inference.prefix_hits = 0.5;
  ServingJob ahead = loading(0.5);
  ahead.batching = Batching::disaggregated;
  ahead.arrival_rate = 0.5;
  const technology::System system = with_link(1e9);
  const auto two = devices(1, 1, 2);
  const double load_s = 1000.0 * token_bytes / 1e9;
  const double found_s = estimate_serving(found, system, two).time_to_first_token_s;
  ahead.inference.prefixes.loading = PrefixLoading::before;
  const ServingEstimate loaded = estimate_serving(ahead, system, two);
  EXPECT_GE(loaded.time_to_first_token_s, found_s + load_s);
  EXPECT_LT(loaded.time_to_first_token_s, found_s + 1.2 * load_s);
  EXPECT_DOUBLE_EQ(loaded.prefixes.load_s, load_s);
  EXPECT_EQ(loaded.prefill_replicas, 1.0);
  ahead.inference.prefixes.loading = PrefixLoading::layerwise;
  const double beside_s = estimate_serving(ahead, system, two).time_to_first_token_s;
  EXPECT_LT(beside_s, loaded.time_to_first_token_s);
  EXPECT_GT(beside_s, found_s);
  ahead.inference.prefixes.loading = PrefixLoading::before;
  ahead.arrival_rate = 0.0;
  EXPECT_LE(estimate_serving(ahead, with_link(1e8), two).request_rate, 0.1 / load_s);
}

TEST(PrefixLoads, OfABatchComeBesideItsLayersOrBeforeThem) {
  InferenceJob job = loading(0.5).inference;
  job.batch = 4;
  parallel::Strategy strategy = devices();
  strategy.micro_batch = 4;
  const technology::System system = with_link(5e9);
  const InferenceEstimate beside = estimate_inference(job, system, strategy);
  job.prefixes.loading = PrefixLoading::before;
  const InferenceEstimate ahead = estimate_inference(job, system, strategy);
  job.prefixes = {};
  job.prefix_hits = 0.5;
  const InferenceEstimate found = estimate_inference(job, system, strategy);
  const double load_s = 4.0 * 1000.0 * token_bytes / 5e9;
  EXPECT_NEAR(ahead.time_to_first_token_s(), found.time_to_first_token_s() + load_s, 1e-9 * load_s);
  EXPECT_NEAR(ahead.latency[Resource::host], load_s, 1e-9 * load_s);
  EXPECT_LT(beside.time_to_first_token_s(), ahead.time_to_first_token_s());
  EXPECT_GE(beside.time_to_first_token_s(), found.time_to_first_token_s() + load_s / layers);
  double phases_s = 0.0;
  for (const double phase_s : beside.phase_s) {
    phases_s += phase_s;
  }
  EXPECT_NEAR(phases_s, beside.latency_s(), 1e-9 * phases_s);
}

TEST(PrefixLoads, DeviceMemoryOfPrefixesIsTakenFromRequests) {
  InferenceJob job = chat().inference;
  const technology::System system = test::example_system();
  const InferenceMemory whole = inference_memory(job, system, devices());
  job.prefixes.bytes[index_of(PrefixTier::device)] = 8e9;
  const InferenceMemory less = inference_memory(job, system, devices());
  EXPECT_EQ(less.prefix_bytes, 8e9);
  EXPECT_DOUBLE_EQ(less.total_bytes(), whole.total_bytes() + 8e9);
  EXPECT_NEAR(whole.largest_batch - less.largest_batch, 8e9 / (2200.0 * token_bytes), 2.0);
  // What is found there is not held by each of them again.
  job.prefix_hits = 0.5;
  EXPECT_DOUBLE_EQ(inference_memory(job, system, devices()).cache_bytes, 1200.0 * token_bytes);
  job.prefixes.bytes[index_of(PrefixTier::device)] = 1e12;
  EXPECT_EQ(inference_memory(job, system, devices()).largest_batch, 0.0);
}

TEST(PrefixLoads, ACurveIsLinearBetweenItsPoints) {
  const HitCurve curve = {{{100.0, 0.0}, {200.0, 0.4}, {1000.0, 0.5}}};
  EXPECT_EQ(curve.at(50.0), 0.0);
  EXPECT_EQ(curve.at(100.0), 0.0);
  EXPECT_DOUBLE_EQ(curve.at(150.0), 0.2);
  EXPECT_DOUBLE_EQ(curve.at(200.0), 0.4);
  EXPECT_DOUBLE_EQ(curve.at(600.0), 0.45);
  EXPECT_EQ(curve.at(1e9), 0.5);
}

TEST(PrefixLoads, TiersFindWhatFallsOutOfThoseAboveThem) {
  ServingJob job = chat();
  job.inference.prefixes.curve = std::make_shared<const HitCurve>(
      HitCurve{{{0.0, 0.0}, {100e3, 0.4}, {200e3, 0.6}, {1e6, 0.7}}});
  job.inference.prefixes.bytes = {50e3 * token_bytes, 100e3 * token_bytes, 0.0};
  const InferenceJob one = with_prefix_hits(job, devices()).inference;
  EXPECT_NEAR(one.prefix_hits, 0.2, 1e-9);
  EXPECT_NEAR(one.prefixes.host_hits, 0.5 - 0.2, 1e-9);  // up to 150,000 tokens
  EXPECT_EQ(one.prefixes.storage_hits, 0.0);
  EXPECT_EQ(one.prefixes.curve, nullptr);
  // Two replicas have twice as much; two ranks keep half of each token.
  const InferenceJob two = with_prefix_hits(job, devices(1, 1, 2)).inference;
  EXPECT_NEAR(two.prefix_hits, 0.4, 1e-9);
  EXPECT_NEAR(two.cached_share(), 0.6 + 0.1 * 100.0 / 800.0, 1e-9);
  EXPECT_NEAR(with_prefix_hits(job, devices(2)).inference.prefix_hits, two.prefix_hits, 1e-9);
  EXPECT_NEAR(with_prefix_hits(job, devices(1, 2)).inference.prefix_hits, two.prefix_hits, 1e-9);
  // An estimate is that of these shares.
  const ServingEstimate derived = estimate_serving(job, test::example_system(), devices());
  const ServingEstimate said =
      estimate_serving(with_prefix_hits(job, devices()), test::example_system(), devices());
  EXPECT_EQ(derived.time_to_first_token_s, said.time_to_first_token_s);
  EXPECT_NEAR(derived.prefixes.found[0], 0.2, 1e-9);
  EXPECT_EQ(derived.memory.prefix_bytes, 50e3 * token_bytes);
}

double sum_of(const std::vector<RequestClass>& requests, double RequestClass::*length) {
  double sum = 0.0;
  for (const RequestClass& one : requests) {
    sum += one.share * (length == nullptr ? 1.0 : one.*length);
  }
  return sum;
}

SessionLaw chats(double turns, TurnsLaw law = TurnsLaw::fixed) {
  return {.turns = turns,
          .law = law,
          .prompt = 1000.0,
          .output = 200.0,
          .turn_tokens = 100.0,
          .shared = 600.0,
          .think_s = 20.0};
}

ServingJob service(const SessionLaw& sessions) {
  ServingJob job = test::small_service(sessions.prompt);
  job.sessions = sessions;
  job.requests = requests_of(sessions);
  return job;
}

ServingJob with_host(ServingJob job, double bytes) {
  job.inference.prefixes.bytes[index_of(PrefixTier::host)] = bytes;
  return job;
}

ServingEstimate served(const ServingJob& job) {
  return estimate_serving(job, test::example_system(), parallel::Strategy{});
}

TEST(Sessions, HaveTheMeanPromptOfAllTurns) {
  for (const double turns : {1.0, 2.0, 5.0, 8.0, 9.0, 50.0, 1000.0}) {
    for (const TurnsLaw law : {TurnsLaw::fixed, TurnsLaw::geometric}) {
      const std::vector<RequestClass> requests = requests_of(chats(turns, law));
      EXPECT_LE(requests.size(), 8U);
      EXPECT_NEAR(sum_of(requests, nullptr), 1.0, 1e-9);
      // Of the geometric law a request is behind turns - 1 others in the mean, of the fixed one
      // behind half as many.
      const double behind = (turns - 1.0) * (law == TurnsLaw::fixed ? 0.5 : 1.0);
      EXPECT_NEAR(sum_of(requests, &RequestClass::prompt), 1000.0 + 300.0 * behind, 1e-6 * turns);
      EXPECT_NEAR(requests.front().prompt, 1000.0, 1e-6);
    }
  }
  const std::vector<RequestClass> four = requests_of(chats(4.0));
  ASSERT_EQ(four.size(), 4U);
  EXPECT_EQ(four.back().prompt, 1900.0);
  EXPECT_EQ(four.back().share, 0.25);
}

TEST(Sessions, TakeTheirTurnsAndTheTimeToThink) {
  EXPECT_DOUBLE_EQ(chats(3.0).length_s(0.5, 0.01), 3.0 * (0.5 + 199.0 * 0.01) + 2.0 * 20.0);
}

// What is found is what is found at the rate that is served.
TEST(Sessions, SettleAtTheRateThatTheyAreServedAt) {
  for (const double concurrency : {0.0, 400.0}) {
    ServingJob job = with_host(service(chats(8.0)), 30e9);
    job.concurrency = concurrency;
    const ServingEstimate e = served(job);
    ASSERT_EQ(e.verdict, ServingVerdict::meets_limits);
    const ServingJob settled = with_session_hits(job, parallel::Strategy{}, e.request_rate);
    EXPECT_GT(settled.inference.prefixes.host_hits, 0.1);
    EXPECT_NEAR(e.prefixes.found[index_of(PrefixTier::host)], settled.inference.prefixes.host_hits,
                0.02);
  }
}

TEST(Sessions, ALargerCacheOfTheHostServesNoLess) {
  for (const double concurrency : {0.0, 400.0}) {
    double before = 0.0;
    for (const double bytes : {1e9, 10e9, 30e9, 100e9, 1e12}) {
      ServingJob job = with_host(service(chats(8.0)), bytes);
      job.concurrency = concurrency;
      const double rate = served(job).request_rate;
      EXPECT_GE(rate, before * 0.998) << concurrency << ' ' << bytes;
      before = rate;
    }
    EXPECT_GT(before, 1.1 * served(with_host(service(chats(8.0)), 1e9)).request_rate *
                          (concurrency > 0.0 ? 0.0 : 1.0));
  }
}

TEST(Sessions, WhoThinkLongerAreFoundLess) {
  for (const double concurrency : {0.0, 400.0}) {
    double before = 1e9, found = 1.0;
    for (const double think_s : {0.0, 1.0, 10.0, 100.0}) {
      SessionLaw sessions = chats(8.0);
      sessions.think_s = think_s;
      ServingJob job = with_host(service(sessions), 30e9);
      job.concurrency = concurrency;
      const ServingEstimate e = served(job);
      EXPECT_LE(e.request_rate, before * 1.002) << concurrency << ' ' << think_s;
      // In a closed loop those that think leave others less to do, so that each finds more again.
      if (concurrency == 0.0) {
        EXPECT_LE(e.prefixes.found[index_of(PrefixTier::host)], found + 1e-3) << think_s;
        found = e.prefixes.found[index_of(PrefixTier::host)];
      }
      before = e.request_rate;
    }
  }
}

TEST(Sessions, OfOneTurnAreRequests) {
  ServingJob job = test::small_service(1000.0);
  const ServingEstimate plain = served(job);
  SessionLaw sessions = chats(1.0);
  job.sessions = sessions;
  job.requests = requests_of(sessions);
  const ServingEstimate e = served(job);
  EXPECT_EQ(e.request_rate, plain.request_rate);
  EXPECT_EQ(e.time_to_first_token_s, plain.time_to_first_token_s);
}

// N = rate x (response + think), and what is in flight is what a simulation of the clients has.
TEST(Sessions, OfAClosedLoopThinkBesideThoseThatAreInFlight) {
  double sum = 0.0;
  for (const double think_s : {0.5, 4.0, 20.0}) {
    // A session without end: the same prompt each time.
    SessionLaw sessions = {.turns = 1e6, .prompt = 1000.0, .output = 200.0, .think_s = think_s};
    ServingJob job = test::small_service(1000.0);
    job.sessions = sessions;
    job.concurrency = 64.0;
    const ServingEstimate e = served(job);
    const double response_s = e.time_to_first_token_s + 199.0 * e.time_per_output_token_s;
    EXPECT_NEAR(e.request_rate * (response_s + think_s), 64.0, 0.7);
    const InferenceSetting setting(job.inference, test::example_system());
    const Replica replica = {setting, parallel::Strategy{}};
    test::RequestSimulation simulation(job, replica, 64);
    const auto s = simulation.run_closed(64, {.spread = 0.1, .sent_s = think_s}, 4000, 7);
    const double simulated =
        64.0 / (s.first_token.mean_s + 199.0 * s.output_token.mean_s + think_s);
    fmt::print(
        "think {} s: {:.3f} /s, simulated {:.3f}; TPOT {:.5f}, {:.5f}; TTFT {:.4f}, {:.4f}\n",
        think_s, e.request_rate, simulated, e.time_per_output_token_s, s.output_token.mean_s,
        e.time_to_first_token_s, s.first_token.mean_s);
    EXPECT_NEAR(e.request_rate / simulated, 1.0, 0.05);
    EXPECT_NEAR(e.time_per_output_token_s / s.output_token.mean_s, 1.0, 0.12);
    sum += std::fabs(e.time_to_first_token_s / s.first_token.mean_s - 1.0);
  }
  fmt::print("mean of TTFT {:.3f}\n", sum / 3.0);
}

}  // namespace
}  // namespace scalesweep::estimator
