// Failures, checkpoints and spares, against a simulation event by event.
#include "estimator/run/renewal.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/run_simulation.hpp"

namespace scalesweep::estimator {
namespace {

constexpr double hour_s = 3600.0;

// Of so many checkpoints that chance moves a mean by a few thousandths.
double simulated(const test::SimulatedRun& run, double intervals) {
  return test::RunSimulation(run, 1).goodput(intervals * run.interval_s);
}

double goodput(const Renewal& job, double interval_s) {
  return interval_s / elapsed_s(job, interval_s);
}

TEST(Renewal, IsWhatASimulationFinds) {
  for (const Renewal& job : {Renewal{1.0 / (3.0 * hour_s), 600.0, 5.0, 0.0},
                             Renewal{1.0 / (3.0 * hour_s), 600.0, 5.0, 300.0},
                             Renewal{1.0 / (0.5 * hour_s), 900.0, 30.0, 120.0},
                             Renewal{1.0 / (40.0 * hour_s), 60.0, 200.0, 0.0}}) {
    for (const double interval_s : {300.0, 1800.0}) {
      const test::SimulatedRun run = {job, interval_s};
      EXPECT_NEAR(simulated(run, 200'000), goodput(job, interval_s), 0.004)
          << job.failures_per_s << " " << interval_s;
    }
  }
}

TEST(Renewal, NothingFailsWithoutARate) {
  const Renewal job = {0.0, 600.0, 5.0, 300.0};
  EXPECT_EQ(elapsed_s(job, 1800.0), 1805.0);
  EXPECT_TRUE(std::isinf(best_interval_s(job)));
}

TEST(Renewal, NoOtherIntervalIsBetter) {
  for (const double rate_hours : {0.1, 3.0, 500.0}) {
    for (const double stop_s : {0.01, 5.0, 600.0}) {
      const Renewal job = {1.0 / (rate_hours * hour_s), 300.0, stop_s, 0.0};
      const double best_s = best_interval_s(job);
      for (const double factor : {0.5, 0.9, 0.99, 1.01, 1.1, 2.0}) {
        EXPECT_GE(goodput(job, best_s), goodput(job, factor * best_s)) << best_s << " " << factor;
      }
    }
  }
}

double young_interval_s(const Renewal& job) {
  return std::sqrt(2.0 * job.stop_s / job.failures_per_s);
}

// Young's first order holds where a checkpoint is short beside the time between failures.
TEST(Renewal, TendsToYoungsInterval) {
  const Renewal rare = {1.0 / (500.0 * hour_s), 0.0, 10.0, 0.0};
  EXPECT_NEAR(best_interval_s(rare) / young_interval_s(rare), 1.0, 2e-3);
  EXPECT_NEAR(young_interval_s(rare), 6000.0, 1e-9);
  const Renewal often = {1.0 / hour_s, 0.0, 1800.0, 0.0};
  EXPECT_LT(best_interval_s(often), 0.8 * young_interval_s(often));
}

TEST(Renewal, WhatIsWrittenBehindCountsAsRestart) {
  const Renewal behind = {1.0 / (3.0 * hour_s), 600.0, 5.0, 300.0};
  const Renewal restart = {1.0 / (3.0 * hour_s), 900.0, 5.0, 0.0};
  EXPECT_DOUBLE_EQ(elapsed_s(behind, 900.0), elapsed_s(restart, 900.0));
}

TEST(Spares, AreErlangsLossFormula) {
  EXPECT_DOUBLE_EQ(all_busy_share(2.0, 0), 1.0);
  EXPECT_DOUBLE_EQ(all_busy_share(1.0, 1), 0.5);
  EXPECT_NEAR(all_busy_share(2.0, 3), (8.0 / 6.0) / (1.0 + 2.0 + 2.0 + 8.0 / 6.0), 1e-15);
  EXPECT_EQ(all_busy_share(0.0, 1), 0.0);
}

TEST(Spares, AreTheFewestThatDo) {
  for (const double offered : {0.001, 0.4, 7.6, 60.0}) {
    const double spares = fewest_spares(offered, 0.005);
    EXPECT_LE(all_busy_share(offered, spares + 1.0), 0.005) << offered;
    EXPECT_TRUE(spares == 0.0 || all_busy_share(offered, spares) > 0.005) << offered;
  }
  EXPECT_EQ(fewest_spares(0.0, 0.005), 0.0);
}

// Where failures are absurdly many, too: the sums do not run over all nodes.
TEST(Spares, AreCountedAtOnceHoweverManyNodesAreOut) {
  for (const double offered : {1e12, 1e300}) {
    const double spares = fewest_spares(offered, 0.005);
    EXPECT_NEAR(spares / offered, 0.995, 1e-6) << offered;
    EXPECT_NEAR(all_busy_share(offered, spares + 1.0), 0.005, 1e-6) << offered;
    EXPECT_EQ(all_busy_share(1.0, offered), 0.0);
    EXPECT_DOUBLE_EQ(mean_beyond(offered, 1e6), offered - 1e6);
    EXPECT_EQ(mean_beyond(1e6, offered), 0.0);
  }
}

TEST(Spares, AreThoseOfErlangsRecursion) {
  for (const double offered : {0.01, 3.0, 80.0, 2000.0}) {
    double inverse = 1.0;
    for (int servers = 1; servers < 2300; ++servers) {
      inverse = 1.0 + inverse * servers / offered;
      EXPECT_NEAR(all_busy_share(offered, servers) * inverse, 1.0, 1e-9) << servers;
      if (inverse > 1e100) {
        break;
      }
    }
  }
}

TEST(Spares, ThoseBeyondAreTheSumOverAllNumbers) {
  for (const double mean : {0.01, 3.0, 80.0, 2000.0}) {
    for (const double held : {0.0, 1.0, 5.0, 78.0, 80.0, 82.0, 1990.0, 2000.0, 2040.0}) {
      double beyond = 0.0;
      for (double n = held + 1.0; n < held + mean + 500.0; n += 1.0) {
        beyond += (n - held) * std::exp(n * std::log(mean) - mean - std::lgamma(n + 1.0));
      }
      EXPECT_NEAR(mean_beyond(mean, held), beyond, 1e-9 * (mean + held)) << mean << ' ' << held;
    }
  }
}

TEST(Spares, LetTheJobWaitAsLongAsASimulationDoes) {
  test::SimulatedRun run = {{1.0 / (2.0 * hour_s), 300.0, 5.0, 0.0}, 900.0};
  run.repaired_share = 0.5;
  run.repair_s = 8.0 * hour_s;  // two nodes are out in the mean
  for (const int spares : {0, 2, 5}) {
    run.spare_nodes = spares;
    test::RunSimulation simulation(run, 1);
    const double found = simulation.goodput(200'000 * run.interval_s);
    const double waiting = all_busy_share(2.0, spares + 1);
    EXPECT_NEAR(simulation.waited_share(), waiting, 0.006) << spares;
    EXPECT_NEAR(found, goodput(run.renewal, run.interval_s) * (1.0 - waiting), 0.004) << spares;
  }
}

TEST(Spares, ThoseBeyondAreTheMeanOfAPoissonNumber) {
  EXPECT_NEAR(mean_beyond(2.0, 0), 2.0, 1e-12);
  // 2 - 1 + P(0), and 2 - 2 + 2 P(0) + P(1).
  EXPECT_NEAR(mean_beyond(2.0, 1), 1.0 + std::exp(-2.0), 1e-12);
  EXPECT_NEAR(mean_beyond(2.0, 2), 2.0 * std::exp(-2.0) + 2.0 * std::exp(-2.0), 1e-12);
  EXPECT_NEAR(mean_beyond(2000.0, 3000), 0.0, 1e-6);
}

// What was computed before a corruption was seen is lost: a factor of e^(-rate * time).
TEST(Corruption, LosesWhatASimulationLoses) {
  test::SimulatedRun run = {{1.0 / (4.0 * hour_s), 600.0, 5.0, 60.0}, 900.0};
  run.corruptions_per_s = 1.0 / (20.0 * hour_s);
  for (const double found_s : {0.0, 1.0 * hour_s, 5.0 * hour_s}) {
    run.corruption_found_s = found_s;
    EXPECT_NEAR(simulated(run, 400'000),
                goodput(run.renewal, run.interval_s) * std::exp(-run.corruptions_per_s * found_s),
                0.01)
        << found_s;
  }
}

}  // namespace
}  // namespace scalesweep::estimator
