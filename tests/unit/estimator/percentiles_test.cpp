// Percentiles of latency against a simulation of requests.
#include "estimator/inference/queueing/percentiles.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "estimator/inference/passes/inference_blocks.hpp"
#include "estimator/inference/queueing/queueing.hpp"
#include "estimator/inference/service/serving.hpp"
#include "support/examples.hpp"
#include "support/request_simulation.hpp"
#include "support/small_service.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Strategy;

ServingJob service(std::vector<RequestClass> requests, double places) {
  ServingJob job = test::small_service(requests.front().prompt);
  job.requests = std::move(requests);
  job.most_sequences = places;
  return job;
}

ServingJob whole(ServingJob job) {
  job.inference.prefill_chunk = 0;
  return job;
}

struct Case {
  const char* name;
  ServingJob job;
  int replicas = 1;
};

ServingJob in_its_way(ServingJob job, Batching batching) {
  job.batching = batching;
  job.prefill_share = batching == Batching::disaggregated ? 0.5 : 0.0;
  return job;
}

ServingJob drafted(ServingJob job) {
  job.inference.speculation = {3, 0.7, 0.05};
  return job;
}

// Other ways to run a service; of pools one device each.
std::vector<Case> other_ways() {
  const std::vector<RequestClass> mix = {{500, 250, 3}, {4000, 500, 1}};
  return {
      {"between, 1000 + 100, whole prompts, 48 places",
       in_its_way(whole(service({{1000, 100, 1}}, 48)), Batching::separate)},
      {"between, mix, chunks, 64 places", in_its_way(service(mix, 64), Batching::separate)},
      {"pools, 2000 + 200, memory",
       in_its_way(service({{2000, 200, 1}}, 0), Batching::disaggregated), 2},
      {"pools, 200 + 400, 64 places",
       in_its_way(service({{200, 400, 1}}, 64), Batching::disaggregated), 2},
      {"draft, 2000 + 200, memory", drafted(service({{2000, 200, 1}}, 0))},
      {"draft, 100 + 400, 64 places", drafted(service({{100, 400, 1}}, 64))},
      {"4 replicas, mix, 64 places", service(mix, 64), 4},
      {"4 replicas, 2000 + 200, memory", service({{2000, 200, 1}}, 0), 4},
  };
}

std::vector<Case> cases() {
  return {
      {"2000 + 200, memory", service({{2000, 200, 1}}, 0)},
      {"mix, 64 places", service({{500, 250, 3}, {4000, 500, 1}}, 64)},
      {"100 + 400, 128 places", service({{100, 400, 1}}, 128)},
      {"4000 + 50, memory", service({{4000, 50, 1}}, 0)},
      {"1000 + 100, whole prompts, 48 places", whole(service({{1000, 100, 1}}, 48))},
  };
}

// Of each service; the table of sweeps/README.md has 20000.
int simulated_requests(int usual) {
  const char* wanted = std::getenv("SCALESWEEP_SIMULATED_REQUESTS");
  return wanted != nullptr ? std::max(1000, std::atoi(wanted)) : usual;
}

// How far the closed form is off, relative.
struct Off {
  double mean;
  Percentiles percentiles;
};

Off off(double mean_s, const Percentiles& formula, const test::SimulatedLatency& simulated) {
  Off result = {mean_s / simulated.mean_s - 1.0, {}};
  for (std::size_t i = 0; i < percentile_count; ++i) {
    result.percentiles[i] = formula[i] / simulated.percentiles_s[i] - 1.0;
  }
  return result;
}

std::string text_of(const Off& o) {
  return fmt::format("{:+.0f} | {:+.0f} | {:+.0f} | {:+.0f}", 100 * o.mean, 100 * o.percentiles[0],
                     100 * o.percentiles[1], 100 * o.percentiles[2]);
}

// How far the closed form is from the simulation for one service, load and burstiness.
struct Row {
  const char* name;
  double scv;
  double load;
  Off first;
  Off output;
};

// Of a replica: what its memory or the engine allows, also where prompts keep it from being full.
double places_of(const ServingJob& job, const ServingEstimate& estimate) {
  const double fit = estimate.memory.largest_batch_per_replica;
  return job.most_sequences > 0.0 ? std::min(job.most_sequences, fit) : fit;
}

std::vector<Row> measured_rows(std::vector<Case> all, int requests) {
  const technology::System system = test::example_system();
  std::vector<Row> rows;
  for (Case& one : all) {
    ServingJob& job = one.job;
    Strategy strategy;
    strategy.data_parallel = one.replicas;
    const ServingEstimate full = estimate_serving(job, system, strategy);
    const bool pools = job.batching == Batching::disaggregated;
    const double transfer_s = pools ? full.time_per_output_token_s - full.iteration_s() : 0.0;
    const InferenceSetting setting(job.inference, system);
    const Replica replica = {setting, Strategy{}};
    test::RequestSimulation simulation(job, replica, static_cast<int>(places_of(job, full)),
                                       pools ? 1.0 : 1.0 / one.replicas,
                                       transfer_s * (job.requests.front().output - 1.0));
    for (const double scv : {1.0, 4.0}) {
      for (const double load : {0.3, 0.5, 0.7, 0.9}) {
        job.burstiness = scv;
        job.arrival_rate = load * full.request_rate;
        const ServingEstimate e = estimate_serving(job, system, strategy);
        const auto s = simulation.run(job.arrival_rate, scv, requests, 7);
        rows.push_back({one.name, scv, load,
                        off(e.time_to_first_token_s, e.first_token_s, s.first_token),
                        off(e.time_per_output_token_s, e.output_token_s, s.output_token)});
        fmt::print("| {} | {} | {} | {} | {} |\n", one.name, scv, load, text_of(rows.back().first),
                   text_of(rows.back().output));
      }
    }
  }
  return rows;
}

double mean_off(const std::vector<Row>& rows, double load) {
  double sum = 0.0;
  double count = 0.0;
  for (const Row& row : rows) {
    if (row.load == load) {
      sum += std::fabs(row.first.mean);
      ++count;
    }
  }
  return sum / count;
}

double mean_size(const std::vector<Row>& rows, double load, Off Row::*which) {
  double sum = 0.0;
  double count = 0.0;
  for (const Row& row : rows) {
    if (row.load == load) {
      for (const double one : (row.*which).percentiles) {
        sum += std::fabs(one);
        ++count;
      }
    }
  }
  return sum / count;
}

// A closed loop: as one request is answered, the next one comes, at the end of an iteration where
// it takes no time to come. Requests space themselves, so that no prompt waits long for others.
TEST(ClosedLoop, FirstTokensAreNearThoseOfASimulationOfRequests) {
  const technology::System system = test::example_system();
  fmt::print("| requests | open | TTFT mean | simulated | TPOT mean | simulated |\n");
  double sum = 0.0;
  double count = 0.0;
  for (const Batching batching : {Batching::chunked, Batching::separate}) {
    for (const RequestClass& one :
         {RequestClass{1000, 500, 1}, RequestClass{4000, 200, 1}, RequestClass{200, 400, 1}}) {
      for (const int open : {1, 8, 32}) {
        ServingJob job = in_its_way(service({one}, 0), batching);
        job.concurrency = open;
        const ServingEstimate e = estimate_serving(job, system, Strategy{});
        const InferenceSetting setting(job.inference, system);
        const Replica replica = {setting, Strategy{}};
        test::RequestSimulation simulation(job, replica, open);
        const auto s = simulation.run_closed(open, {}, simulated_requests(3000), 7);
        fmt::print("| {}+{} {} | {} | {:.4f} | {:.4f} | {:.5f} | {:.5f} |\n", one.prompt,
                   one.output, name_of(batching), open, e.time_to_first_token_s,
                   s.first_token.mean_s, e.time_per_output_token_s, s.output_token.mean_s);
        const double overhead_s = job.inference.stack.request_overhead_s;
        sum += std::fabs((e.time_to_first_token_s - overhead_s) / s.first_token.mean_s - 1.0);
        EXPECT_NEAR(e.time_per_output_token_s / s.output_token.mean_s, 1.0, 0.12);
        ++count;
      }
    }
  }
  fmt::print("mean of TTFT {:.3f}\n", sum / count);
  EXPECT_LT(sum / count, 0.12);
}

// Of requests that are alike, prompts follow each other through consecutive iterations.
TEST(ClosedLoop, FirstTokensOfFixedLengthsAreNearThoseOfASimulation) {
  const technology::System system = test::example_system();
  fmt::print("| requests | open | TTFT mean, drawn | fixed | simulated | TPOT | simulated |\n");
  double sum = 0.0;
  double count = 0.0;
  for (const bool overlapped : {false, true}) {
    for (const RequestClass& one :
         {RequestClass{1000, 500, 1}, RequestClass{4000, 200, 1}, RequestClass{2000, 400, 1}}) {
      for (const int open : {1, 2, 4, 8, 16, 32}) {
        ServingJob job = service({one}, 0);
        job.inference.stack.overlapped_scheduling = overlapped;
        job.concurrency = open;
        const double drawn_s = estimate_serving(job, system, Strategy{}).time_to_first_token_s;
        job.lengths = Lengths::fixed;
        const ServingEstimate e = estimate_serving(job, system, Strategy{});
        const InferenceSetting setting(job.inference, system);
        const Replica replica = {setting, Strategy{}};
        test::RequestSimulation simulation(job, replica, open);
        const auto s = simulation.run_closed(open, {.spread = 0.0, .sent_s = 0.02},
                                             simulated_requests(3000), 7);
        fmt::print("| {}+{} {} | {} | {:.4f} | {:.4f} | {:.4f} | {:.5f} | {:.5f} |\n", one.prompt,
                   one.output, overlapped, open, drawn_s, e.time_to_first_token_s,
                   s.first_token.mean_s, e.time_per_output_token_s, s.output_token.mean_s);
        const double overhead_s = job.inference.stack.request_overhead_s;
        sum += std::fabs((e.time_to_first_token_s - overhead_s) / s.first_token.mean_s - 1.0);
        ++count;
      }
    }
  }
  fmt::print("mean of TTFT {:.3f}\n", sum / count);
  EXPECT_LT(sum / count, 0.2);
}

// What is measured, and a little for other standard libraries' random numbers.
TEST(LatencyPercentiles, AreNearThoseOfASimulationOfRequests) {
  fmt::print(
      "| requests | burstiness | load | TTFT mean | p50 | p90 | p99 | TPOT mean | p50 | p90 | p99 "
      "|\n");
  const std::vector<Row> rows = measured_rows(cases(), simulated_requests(6000));
  const std::map<double, std::pair<double, double>> most = {
      {0.3, {0.14, 0.13}}, {0.5, {0.15, 0.10}}, {0.7, {0.26, 0.13}}, {0.9, {0.42, 0.24}}};
  for (const auto& [load, limits] : most) {
    const double first = mean_size(rows, load, &Row::first);
    const double output = mean_size(rows, load, &Row::output);
    fmt::print("load {}: mean of TTFT {:.3f}, of TPOT {:.3f}\n", load, first, output);
    EXPECT_LT(first, limits.first) << load;
    EXPECT_LT(output, limits.second) << load;
  }
  const std::map<double, double> most_of_mean = {
      {0.3, 0.10}, {0.5, 0.10}, {0.7, 0.20}, {0.9, 0.38}};
  for (const auto& [load, limit] : most_of_mean) {
    const double off = mean_off(rows, load);
    fmt::print("load {}: mean of the mean TTFT {:.3f}\n", load, off);
    EXPECT_LT(off, limit) << load;
  }
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < percentile_count && row.load <= 0.7; ++i) {
      EXPECT_LT(std::fabs(row.first.percentiles[i]), 0.75) << row.name << row.scv << row.load;
      EXPECT_LT(std::fabs(row.output.percentiles[i]), 0.50) << row.name << row.scv << row.load;
    }
  }
}

// What is measured, and a little more: of fewer requests than in the table.
TEST(LatencyPercentiles, OfOtherWaysAreNearTheSimulation) {
  const std::vector<Row> rows = measured_rows(other_ways(), simulated_requests(3000));
  for (const double load : {0.3, 0.5, 0.7, 0.9}) {
    EXPECT_LT(mean_off(rows, load), load < 0.6 ? 0.12 : load < 0.8 ? 0.2 : 0.36) << load;
    EXPECT_LT(mean_size(rows, load, &Row::first), load < 0.6   ? 0.2
                                                  : load < 0.8 ? 0.3
                                                               : 0.5)
        << load;
    EXPECT_LT(mean_size(rows, load, &Row::output), load < 0.8 ? 0.15 : 0.3) << load;
    fmt::print("load {}: mean of the mean TTFT {:.3f}, of TTFT {:.3f}, of TPOT {:.3f}\n", load,
               mean_off(rows, load), mean_size(rows, load, &Row::first),
               mean_size(rows, load, &Row::output));
  }
}

ServingEstimate serve(const ServingJob& job, int replicas = 1) {
  Strategy strategy;
  strategy.data_parallel = replicas;
  return estimate_serving(job, test::example_system(), strategy);
}

constexpr double found = 1.0 - 2e-3;  // percentiles are found to a thousandth

TEST(LatencyPercentiles, GrowWithTheShareOfRequestsTheLoadAndBursts) {
  for (const Case& one : cases()) {
    ServingJob job = one.job;
    const double most = serve(job).request_rate;
    double before = 0.0;
    for (const double load : {0.2, 0.4, 0.6, 0.8, 0.95}) {
      job.arrival_rate = load * most;
      job.burstiness = 1.0;
      const ServingEstimate e = serve(job);
      EXPECT_LE(e.first_token_s[0], e.first_token_s[1]);
      EXPECT_LT(e.first_token_s[1], e.first_token_s[2]);
      EXPECT_LE(e.output_token_s[0], e.output_token_s[1]);
      EXPECT_LE(e.output_token_s[1], e.output_token_s[2]);
      EXPECT_GE(e.first_token_s[2], found * before) << one.name << load;
      before = e.first_token_s[2];
      job.burstiness = 4.0;
      EXPECT_GE(serve(job).first_token_s[2], found * before) << one.name << load;
      EXPECT_GE(serve(job).output_token_s[1], found * e.output_token_s[1]) << one.name << load;
    }
  }
}

// Without others a request takes what it takes.
TEST(LatencyPercentiles, OfNextToNoRequestsAreTheMean) {
  ServingJob job = service({{2000, 200, 1}}, 0);
  job.arrival_rate = 1e-5;
  const ServingEstimate e = serve(job);
  for (std::size_t i = 0; i < percentile_count; ++i) {
    EXPECT_NEAR(e.first_token_s[i] / e.time_to_first_token_s, 1.0, 1e-3);
    EXPECT_NEAR(e.output_token_s[i] / e.time_per_output_token_s, 1.0, 2e-3);
  }
}

// Draws of what a request meets, one wait after the other: their mean and their quantiles are those
// that are told.
TEST(LatencyPercentiles, AndTheMeanAreOfOneDistribution) {
  const technology::System system = test::example_system();
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform;
  for (const Case& one : cases()) {
    if (one.job.requests.size() > 1) {
      continue;  // whose prefill differs from class to class
    }
    const ServingEstimate most = serve(one.job);
    const InferenceSetting setting(one.job.inference, system);
    const RequestMix mix = mix_of(one.job);
    const SteadyState state =
        mixed_state(one.job, mix, {setting, Strategy{}}, Loop::open, 0.8 * most.batch);
    const FullBatch full = {most.batch, most.request_rate};
    const FirstTokenWaits waits = first_token_waits(one.job, mix, state, full, 1.0);
    const Wait wait = both(waits.prompts, waits.place);
    const Traffic& t = state.traffic;
    const double prefills_s = t.prefill_share * t.prefill_s;
    const double prefills = prefills_s / (prefills_s + (1.0 - t.prefill_share) * t.plain_s);
    std::vector<double> times_s;
    for (int i = 0; i < 200000; ++i) {
      double s = t.first_s;
      if (uniform(random) < t.busy) {
        s += uniform(random) * (uniform(random) < prefills ? t.prefill_s : t.plain_s);
      }
      if (uniform(random) < wait.share) {
        s += std::exponential_distribution(wait.share / wait.mean_s)(random);
      }
      times_s.push_back(s);
    }
    const test::SimulatedLatency drawn = test::latency_of(std::move(times_s));
    EXPECT_NEAR((waits.mean_s() + t.first_s) / drawn.mean_s, 1.0, 0.01) << one.name;
    const LatencyPercentiles told = latency_percentiles(one.job, mix, state, full, 1.0);
    for (std::size_t i = 0; i < percentile_count; ++i) {
      EXPECT_NEAR(told.first_token_s[i] / drawn.percentiles_s[i], 1.0, 0.03) << one.name << i;
    }
  }
}

// The same state is told in the same way whether a limit or the arrivals lead to it.
TEST(LatencyPercentiles, DoNotDependOnWhatIsAsked) {
  for (const Batching batching : {Batching::chunked, Batching::separate, Batching::disaggregated}) {
    for (const double scv : {1.0, 4.0}) {
      ServingJob job = service({{2000, 200, 1}}, 64);
      job.batching = batching;
      job.prefill_share = 0.5;
      job.burstiness = scv;
      job.limits.time_to_first_token_s = 0.6;
      const ServingEstimate limited = serve(job, 4);
      ASSERT_EQ(limited.verdict, ServingVerdict::meets_limits);
      EXPECT_LE(limited.time_to_first_token_s, 0.6);
      job.limits = {};
      job.arrival_rate = limited.request_rate;
      const ServingEstimate arrivals = serve(job, 4);
      EXPECT_NEAR(arrivals.time_to_first_token_s / limited.time_to_first_token_s, 1.0, 1e-3);
      EXPECT_NEAR(arrivals.waiting_s / limited.waiting_s, 1.0, 1e-3);
      EXPECT_NEAR(arrivals.first_token_s[2] / limited.first_token_s[2], 1.0, 2e-3);
    }
  }
}

// A limit on the mean leaves places free, however wide it is.
TEST(LatencyPercentiles, AMeanCountsTheWaitForAPlace) {
  ServingJob job = service({{100, 400, 1}}, 32);
  const ServingEstimate full = serve(job);
  EXPECT_EQ(full.batch, 32.0);
  EXPECT_TRUE(full.always_full());
  // Of requests that have a place: an iteration, and no queue that is worth a second.
  EXPECT_LT(full.time_to_first_token_s, 0.1);
  job.limits.time_to_first_token_s = 100.0;
  const ServingEstimate wide = serve(job);
  EXPECT_LT(wide.batch, 32.0);
  EXPECT_GT(wide.batch, 31.0);
  EXPECT_EQ(wide.bound, ServingBound::memory);  // more places, not a wider limit, serve more
  EXPECT_FALSE(wide.always_full());
  EXPECT_GT(wide.waiting_s, 10.0 * full.waiting_s);
  job.limits.time_to_first_token_s = 0.1;
  EXPECT_LT(serve(job).batch, wide.batch);
}

TEST(LatencyPercentiles, OfABatchThatIsAlwaysFullHaveNoEnd) {
  const ServingEstimate full = serve(service({{2000, 200, 1}}, 16));
  EXPECT_EQ(full.bound, ServingBound::memory);
  EXPECT_TRUE(full.always_full());
  EXPECT_TRUE(std::isfinite(full.time_to_first_token_s));
  EXPECT_LT(full.waiting_s, full.time_to_first_token_s);
  for (const double s : full.first_token_s) {
    EXPECT_TRUE(std::isinf(s));
  }
  for (const double s : full.output_token_s) {
    EXPECT_GT(s, 0.0);
    EXPECT_TRUE(std::isfinite(s));
  }
}

TEST(LatencyPercentiles, AreLimitsOfTheRate) {
  for (const Batching batching : {Batching::chunked, Batching::separate, Batching::disaggregated}) {
    ServingJob job = service({{2000, 200, 1}}, 0);
    job.batching = batching;
    const double most = serve(job, 2).request_rate;
    for (std::size_t i = 0; i < percentile_count; ++i) {
      job.limits = {};
      job.limits.first_token_s[i] = 1.0;
      const ServingEstimate first = serve(job, 2);
      EXPECT_EQ(first.verdict, ServingVerdict::meets_limits);
      EXPECT_LE(first.first_token_s[i], 1.0);
      EXPECT_LE(first.request_rate, most);
      job.limits = {};
      job.limits.output_token_s[i] = 0.02;
      const ServingEstimate output = serve(job, 2);
      EXPECT_EQ(output.verdict, ServingVerdict::meets_limits);
      EXPECT_LE(output.output_token_s[i], 0.02);
    }
  }
  // More of the requests within the same time: fewer requests.
  ServingJob job = service({{2000, 200, 1}}, 0);
  job.limits.first_token_s = {1.0, 0.0, 0.0};
  const ServingEstimate half = serve(job);
  job.limits.first_token_s = {0.0, 0.0, 1.0};
  const ServingEstimate most = serve(job);
  EXPECT_EQ(most.bound, ServingBound::time_to_first_token);
  EXPECT_LT(most.request_rate, half.request_rate);
  job.burstiness = 4.0;
  EXPECT_LT(serve(job).request_rate, most.request_rate);
}

TEST(LatencyPercentiles, ThatNothingMeetsSayByHowMuch) {
  ServingJob job = service({{2000, 200, 1}}, 0);
  job.limits.output_token_s[2] = 1e-3;
  const ServingEstimate missed = serve(job);
  EXPECT_EQ(missed.verdict, ServingVerdict::misses_limits);
  EXPECT_EQ(missed.bound, ServingBound::time_per_output_token);
  EXPECT_NEAR(missed.miss, missed.output_token_s[2] / 1e-3 - 1.0, 1e-9);
  // Requests that queue without end: by how much more come than can be served.
  job.limits = {};
  job.limits.first_token_s[2] = 2.0;
  job.arrival_rate = 3.0 * serve(service({{2000, 200, 1}}, 0)).request_rate;
  const ServingEstimate flooded = serve(job);
  EXPECT_EQ(flooded.verdict, ServingVerdict::misses_limits);
  EXPECT_NEAR(flooded.miss, 2.0, 1e-9);
}

// Of bursts that are sent to many replicas at random each sees little.
TEST(LatencyPercentiles, ManyReplicasSmoothBursts) {
  ServingJob job = service({{2000, 200, 1}}, 0);
  const double most = serve(job).request_rate;
  const auto p99_s = [&](int replicas, double scv) {
    job.arrival_rate = 0.5 * most * replicas;
    job.burstiness = scv;
    return serve(job, replicas).first_token_s[2];
  };
  EXPECT_NEAR(p99_s(1, 1.0) / p99_s(16, 1.0), 1.0, 1e-3);
  EXPECT_GT(p99_s(1, 4.0), p99_s(4, 4.0));
  EXPECT_GT(p99_s(4, 4.0), p99_s(16, 4.0));
  EXPECT_GT(p99_s(16, 4.0), p99_s(16, 1.0));
}

// Limits that are not there change nothing.
TEST(LatencyPercentiles, AreNotReadWhereNoneIsALimit) {
  const ServingJob job = service({{500, 250, 3}, {4000, 500, 1}}, 64);
  ServingJob wide = job;
  wide.limits.output_token_s[2] = 1e9;
  EXPECT_EQ(serve(job).request_rate, serve(wide).request_rate);
  EXPECT_EQ(serve(job).time_to_first_token_s, serve(wide).time_to_first_token_s);
}

TEST(Queueing, BurstsWaitLonger) {
  // M/D/1 and M/M/1, and what the formulas of GI/G/1 are at an scv of 1.
  EXPECT_NEAR(mean_wait_s(0.8, 1.0, 1.0, 1.0), 2.0, 1e-12);
  EXPECT_NEAR(mean_wait_s(0.8, 1.0, 2.0, 1.0), 4.0, 1e-12);
  EXPECT_NEAR(share_that_waits(0.8, 1.0, 0.0), 0.8, 1e-12);
  // Heavy traffic: (arrival scv + service scv) / 2 of the wait of M/M/1 (Kingman).
  for (const double scv : {0.25, 4.0}) {
    EXPECT_NEAR(mean_wait_s(0.999, 1.0, 1.5, scv) / mean_wait_s(0.999, 1.0, 2.0), 0.5 * (scv + 0.5),
                0.01 * scv);
  }
  EXPECT_GT(share_that_waits(0.5, 4.0, 0.0), 0.5);
  EXPECT_LT(share_that_waits(0.5, 0.0, 0.0), 0.5);
  EXPECT_TRUE(std::isinf(mean_wait_s(1.0, 1.0, 1.0, 4.0)));
  EXPECT_EQ(mean_wait_s(0.5, 1.0, 1.0, 0.0), 0.0);  // evenly spaced: none waits
}

// Two exponentials with balanced means: counted.
TEST(Queueing, BurstsTakeTime) {
  EXPECT_DOUBLE_EQ(dispersion(1.0, 10.0), 1.0);
  EXPECT_NEAR(dispersion(4.0, 1e6), 4.0, 1e-4);
  EXPECT_NEAR(dispersion(4.0, 1e-9), 1.0, 1e-6);
  EXPECT_NEAR(companions(4.0, 1e6), 1.5, 1e-9);
  std::mt19937_64 random(11);
  for (const double mean : {1.0, 4.0, 16.0}) {
    test::Arrivals arrivals(1.0, 4.0, random);
    double sum = 0.0, squares = 0.0, windows = 40000.0;
    double next_s = arrivals.next();
    for (double i = 1.0; i <= windows; ++i) {
      double count = 0.0;
      for (; next_s <= i * mean; next_s = arrivals.next()) {
        ++count;
      }
      sum += count;
      squares += count * count;
    }
    const double average = sum / windows;
    EXPECT_NEAR((squares / windows - average * average) / average / dispersion(4.0, mean), 1.0,
                0.05);
  }
}

TEST(Queueing, PlacesAreThoseOfErlang) {
  // Erlang's C of 100 servers with Poisson arrivals and exponential service; the diffusion is the
  // limit of many servers.
  for (const double load : {0.8, 0.9, 0.95}) {
    const double offered = 100.0 * load;
    double blocked = 1.0;
    for (double k = 1.0; k <= 100.0; ++k) {
      blocked = offered * blocked / (k + offered * blocked);
    }
    const double erlang = blocked / (1.0 - load * (1.0 - blocked));
    const Wait wait = wait_for_place(offered, 100.0, 100.0, offered, std::sqrt(offered), 1.0, 1.0);
    EXPECT_NEAR(wait.share, erlang, 0.03) << load;
    EXPECT_NEAR(wait.mean_s, wait.share / (100.0 - offered), 1e-12);
  }
  EXPECT_TRUE(std::isinf(wait_for_place(101.0, 100.0, 100.0, 100.0, 10.0, 1.0, 1.0).mean_s));
  EXPECT_EQ(wait_for_place(50.0, 100.0, 100.0, 50.0, 0.0, 0.0, 0.0).share, 0.0);
}

}  // namespace
}  // namespace scalesweep::estimator
