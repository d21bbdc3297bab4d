#include "prediction/simulation.hpp"

#include <gtest/gtest.h>

namespace scalesweep::engine {
namespace {

SimulationOptions two_ranks() {
  SimulationOptions options;
  options.scheduler.ids = {0, 100'000};
  options.scheduler.chunk_rows = 100;
  options.ranks.resize(2);
  return options;
}

TEST(Simulation, OfTheSameRunIsTheSame) {
  SimulationOptions options = two_ranks();
  options.costs.latency_spread = 0.5;
  options.costs.spread_of_ranges = 0.5;

  const SimulationResult a = simulate(options);
  const SimulationResult b = simulate(options);

  EXPECT_EQ(a.seconds, b.seconds);
  EXPECT_EQ(a.written, b.written);
  EXPECT_EQ(a.message_count, b.message_count);
}

TEST(Simulation, TakesAsLongAsTheWorkDivided) {
  const SimulationResult result = simulate(two_ranks());

  EXPECT_TRUE(result.complete);
  EXPECT_NEAR(result.work_seconds, 100.0, 1e-6) << "1,000 points a second";
  EXPECT_GT(result.seconds, 50.0);
  EXPECT_LT(result.seconds, 51.0);
}

TEST(Simulation, LetsMessagesQueueAtTheMaster) {
  SimulationOptions options = two_ranks();
  options.ranks.resize(100);
  const double free = simulate(options).seconds;
  options.costs.report_service = 0.005;

  const SimulationResult busy = simulate(options);

  EXPECT_GT(busy.seconds, 1.5 * free) << "500 words of progress a second take 2.5 s";
  EXPECT_NEAR(busy.master_busy_seconds, busy.seconds, 0.2 * busy.seconds);
}

TEST(Simulation, CountsWritingAndMerging) {
  SimulationOptions options = two_ranks();
  const double without = simulate(options).seconds;
  options.costs.write_per_point = 1e-3;
  options.costs.merge_per_point = 1e-4;

  const SimulationResult result = simulate(options);

  EXPECT_NEAR(result.seconds, 2.0 * without, 0.05 * without);
  EXPECT_NEAR(result.merge_seconds, 10.0, 1e-9);
}

TEST(Simulation, AddsTheWordsOfSilentRanks) {
  SimulationOptions options = two_ranks();
  options.costs.report_service = 1e-5;
  options.rank_timeout_s = 1'000.0;  // words of the master are few
  const SimulationResult loud = simulate(options);
  options.silent = true;

  const SimulationResult silent = simulate(options);

  EXPECT_NEAR(silent.master_busy_seconds, loud.master_busy_seconds,
              0.05 * loud.master_busy_seconds);
  EXPECT_NEAR(static_cast<double>(silent.message_count), static_cast<double>(loud.message_count),
              0.05 * static_cast<double>(loud.message_count));
}

PredictionInput an_hour_on(int ranks) {
  PredictionInput input;
  input.ranks = ranks;
  input.points_per_second = 100'000.0;
  input.points = static_cast<std::int64_t>(3'600.0 * input.points_per_second) * ranks;
  input.rows_per_point = 0.0;
  return input;
}

TEST(Prediction, UsesTenThousandRanksWell) {
  const Prediction prediction = predict_run(an_hour_on(10'000));

  EXPECT_GT(prediction.efficiency, 0.95);
  EXPECT_LT(prediction.tail, 0.02);
  EXPECT_LT(prediction.master_busy, 0.02);
  EXPECT_GT(prediction.leases, 1e5);
}

TEST(Prediction, IsLimitedByTheMergeWhereAllRowsAreKept) {
  PredictionInput input = an_hour_on(1'000);
  const double few = predict_run(input).efficiency;
  input.rows_per_point = 1.0;
  input.bytes_per_row = 100.0;
  input.write_bytes_per_second = 1e8;
  input.merge_bytes_per_second = 1e9;

  const Prediction all = predict_run(input);

  EXPECT_NEAR(all.merge_seconds, 36'000.0, 1.0);
  EXPECT_LT(all.efficiency, 0.1 * few);
}

TEST(Prediction, OfAMergeThatRanksShare) {
  PredictionInput input = an_hour_on(64);
  input.rows_per_point = 1.0;
  input.bytes_per_row = 100.0;
  input.merge_bytes_per_second = 1e9;
  const double alone = predict_run(input).merge_seconds;
  input.merging_ranks = 1'000;

  EXPECT_NEAR(predict_run(input).merge_seconds, alone / 64.0, 1e-6 * alone);
  input.merging_ranks = 16;
  EXPECT_NEAR(predict_run(input).merge_seconds, alone / 16.0, 1e-6 * alone);
  input.place_bytes_per_second = 1e10;
  EXPECT_NEAR(predict_run(input).merge_seconds, alone / 16.0 + alone / 10.0, 1e-6 * alone);
}

TEST(Prediction, OfMoreOfTheSameIsInProportion) {
  PredictionInput input = an_hour_on(100);
  const Prediction once = predict_run(input);
  input.points *= 10;

  const Prediction tenfold = predict_run(input);

  EXPECT_NEAR(tenfold.seconds, 10.0 * once.seconds, 0.02 * tenfold.seconds);
  EXPECT_GE(tenfold.efficiency, once.efficiency);
  EXPECT_LT(tenfold.tail, once.tail);
}

TEST(Prediction, OfNothingIsNothing) {
  EXPECT_EQ(predict_run({}).seconds, 0.0);
}

}  // namespace
}  // namespace scalesweep::engine
