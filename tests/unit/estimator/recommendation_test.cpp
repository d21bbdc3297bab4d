#include "estimator/recommendation/recommendation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "estimator/recommendation/memory.hpp"
#include "support/examples.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::TableSharding;

RecommendationJob small_job() {
  RecommendationJob job;
  job.model.name = "small";
  job.model.tables = {{8, 1'000'000, 64, 4.0}, {8, 500, 64, 1.0}};
  job.model.dense_features = 13;
  job.model.bottom_widths = {256, 64};
  job.model.top_widths = {512, 256, 1};
  job.batch = 16384;
  return job;
}

parallel::Strategy on(std::int32_t devices, TableSharding sharding) {
  parallel::Strategy strategy;
  strategy.data_parallel = devices;
  strategy.table_sharding = sharding;
  return strategy;
}

const std::vector<TableSharding> all_shardings = {TableSharding::table, TableSharding::column,
                                                  TableSharding::row, TableSharding::data,
                                                  TableSharding::mixed};

double sum_of(const RecommendationEstimate& estimate) {
  double sum = 0.0;
  for (const double phase : estimate.phase_s) {
    sum += phase;
  }
  return sum;
}

TEST(RecommendationEstimates, PhasesAndChargesSumToTheTime) {
  for (const workload::BatchWork work :
       {workload::BatchWork::training, workload::BatchWork::inference}) {
    for (const bool hides : {false, true}) {
      for (const TableSharding sharding : all_shardings) {
        RecommendationJob job = small_job();
        job.work = work;
        job.stack.hides_exchange = hides;
        job.stack.exchanges_indices = hides;
        job.stack.issue_interval_s = hides ? 20e-6 : 0.0;
        const RecommendationEstimate estimate =
            estimate_recommendation(job, test::example_system(), on(16, sharding));
        EXPECT_NEAR(sum_of(estimate) / estimate.batch_time_s(), 1.0, 1e-12);
        EXPECT_GT(estimate.batch_time_s(), 0.0);
        for (const double charge_s : estimate.batch.values) {
          EXPECT_GE(charge_s, -1e-12);
        }
      }
    }
  }
}

TEST(RecommendationEstimates, ScoringIsAPartOfTraining) {
  RecommendationJob job = small_job();
  const auto time_s = [&](workload::BatchWork work) {
    job.work = work;
    return estimate_recommendation(job, test::example_system(), on(8, TableSharding::table))
        .batch_time_s();
  };
  EXPECT_LT(time_s(workload::BatchWork::inference), 0.6 * time_s(workload::BatchWork::training));
}

// The lookup of a device, by hand: rows in bursts of 64 bytes with what opening one of DRAM's
// takes.
TEST(RecommendationEstimates, LookupsReadWholeBurstsOfRandomRows) {
  RecommendationJob job = small_job();
  job.model.tables = {{1, 1'000'000'000, 20, 10.0}};
  const technology::System system = test::example_system();
  const DeviceRates rates = device_rates(job, system.device);
  const PlacedTables tables = place_tables(job.model, TableSharding::table, 1, job.batch);
  const LookupCost lookup = lookup_cost(job, tables.busiest, true, rates.rows);
  const double rows = 16384.0 * 10;
  const double streamed = rows * 8 + 16384.0 * 20 * 2;
  const double busy = rows * (128 + 51) + streamed;
  EXPECT_NEAR(lookup.cost.time[Resource::dram], busy / rates.rows.rates.dram_bytes_per_s,
              1e-3 * lookup.cost.time[Resource::dram]);
  EXPECT_NEAR(lookup.cost.work[Amount::dram_bytes], rows * 128 + streamed, 1e-3 * busy);
  EXPECT_DOUBLE_EQ(lookup.lookups, rows);
}

TEST(RecommendationEstimates, HotRowsAreFoundInL2) {
  RecommendationJob job = small_job();
  const auto found = [&](double skew) {
    job.model.access_skew = skew;
    return estimate_recommendation(job, test::example_system(), on(8, TableSharding::table));
  };
  EXPECT_LT(found(0.0).found_in_l2, found(1.05).found_in_l2);
  EXPECT_GT(found(0.0).batch_time_s(), found(1.05).batch_time_s());
}

TEST(RecommendationEstimates, RowsOfTheHostComeOverItsLink) {
  RecommendationJob job = small_job();
  job.resident = 0.1;
  const RecommendationEstimate estimate =
      estimate_recommendation(job, test::example_system(), on(8, TableSharding::table));
  EXPECT_GT(estimate.batch[Resource::host], 0.0);
  EXPECT_NEAR(estimate.memory.host_bytes / estimate.memory.tables_bytes, 9.0, 0.2);
  job.resident = 1.0;
  EXPECT_EQ(estimate_recommendation(job, test::example_system(), on(8, TableSharding::table))
                .memory.host_bytes,
            0.0);
}

TEST(RecommendationEstimates, MemoryIsCountedByHand) {
  const RecommendationJob job = small_job();
  const technology::Device device = test::example_system().device;
  const PlacedTables tables = place_tables(job.model, TableSharding::table, 1, job.batch);
  const RecommendationMemory memory = recommendation_memory(job, tables, 1.0, device);
  const double elements = 8 * (1'000'000.0 + 500) * 64;
  const double rows = 8 * (1'000'000.0 + 500);
  const double dense = job.model.dense_parameters();
  EXPECT_DOUBLE_EQ(memory.tables_bytes, 4 * elements);
  EXPECT_DOUBLE_EQ(memory.weights_bytes, 4 * elements + 2 * dense);
  EXPECT_DOUBLE_EQ(memory.gradients_bytes, 4 * dense);
  EXPECT_DOUBLE_EQ(memory.optimizer_bytes, 4 * rows + 4 * dense);  // row-wise; master weights
  EXPECT_DOUBLE_EQ(memory.short_bytes(), memory.total_bytes() - memory.usable_bytes);
}

TEST(RecommendationEstimates, SaysByHowMuchTablesDoNotFit) {
  RecommendationJob job = small_job();
  job.model.tables = {{8, 100'000'000, 128, 1.0}};
  RecommendationEstimator estimator(job, test::example_system());
  const RecommendationEstimate two = estimator.if_fits(on(2, TableSharding::row));
  EXPECT_EQ(two.verdict, Verdict::does_not_fit);
  EXPECT_GT(two.memory.short_bytes(), 4.0 * 8e8 * 128 / 2 - 80e9);
  EXPECT_EQ(estimator.if_fits(on(16, TableSharding::row)).verdict, Verdict::fits);
}

// Of 65536 samples on 8 devices: the bytes of each collective by hand.
TEST(RecommendationEstimates, ExchangesWhatShardingAsksFor) {
  RecommendationJob job = small_job();
  job.model.tables = {{8, 100'000, 64, 3.0}};
  const technology::System system = test::example_system();
  const auto exchange = [&](TableSharding sharding, std::int64_t devices = 8) {
    DeviceCollectives collectives(devices, system);
    return row_exchange(job, place_tables(job.model, sharding, devices, job.batch), collectives);
  };
  const double samples = 16384.0;
  EXPECT_DOUBLE_EQ(exchange(TableSharding::table).bytes, 2 * samples / 8 * (8 * 64) * 2);
  EXPECT_DOUBLE_EQ(exchange(TableSharding::row).bytes, 2 * samples / 8 * (8 * 3 * 64) * 2);
  EXPECT_DOUBLE_EQ(exchange(TableSharding::data).bytes, 0.0);
  EXPECT_GT(exchange(TableSharding::data).gradients.time.total_s(),
            exchange(TableSharding::table).gradients.time.total_s());
  EXPECT_EQ(exchange(TableSharding::table, 1).forward.time.total_s(), 0.0);
}

TEST(RecommendationEstimates, FusedLookupsTakePairsOnce) {
  RecommendationJob job = small_job();
  job.work = workload::BatchWork::inference;
  const auto estimate = [&](std::int32_t devices) {
    return estimate_recommendation(job, test::example_system(), on(devices, TableSharding::table));
  };
  const auto interaction_s = [](const RecommendationEstimate& one) {
    return one.phase_s[static_cast<std::size_t>(RecommendationPhase::interaction)];
  };
  const RecommendationEstimate apart = estimate(1);
  EXPECT_GT(interaction_s(apart), 0.0);
  job.stack.fused_lookup = true;
  const RecommendationEstimate fused = estimate(1);
  EXPECT_EQ(interaction_s(fused), 0.0);
  EXPECT_LT(fused.batch_time_s(), apart.batch_time_s());
  EXPECT_GT(interaction_s(estimate(8)), 0.0);  // rows come from others
}

// Whatever came before.
TEST(RecommendationEstimates, ReuseChangesNothing) {
  const RecommendationJob job = small_job();
  technology::System system = test::example_system();
  RecommendationEstimator first(job, system);
  (void)first(on(8, TableSharding::row));
  system.scale_out().bandwidth *= 2.0;
  RecommendationEstimator networks(job, system, &first);
  system.device.dram.bandwidth *= 1.5;
  RecommendationEstimator devices(job, system, &networks);
  for (const TableSharding sharding : all_shardings) {
    EXPECT_EQ(devices(on(16, sharding)).batch.values,
              estimate_recommendation(job, system, on(16, sharding)).batch.values);
  }
}

TEST(RecommendationEstimates, TheExplanationIsOfTheEstimate) {
  const RecommendationJob job = small_job();
  const RecommendationExplanation explained =
      explain_recommendation(job, test::example_system(), on(16, TableSharding::mixed));
  EXPECT_EQ(explained.estimate.batch.values,
            estimate_recommendation(job, test::example_system(), on(16, TableSharding::mixed))
                .batch.values);
  const double lookup_s =
      explained.estimate.phase_s[static_cast<std::size_t>(RecommendationPhase::lookup)];
  EXPECT_DOUBLE_EQ(explained.terms.rows.lookup.cost.time.total_s(), lookup_s);
}

}  // namespace
}  // namespace scalesweep::estimator
