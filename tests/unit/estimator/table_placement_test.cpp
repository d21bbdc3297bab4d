// Where tables are: against counting them one by one.
#include "estimator/recommendation/tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

namespace scalesweep::estimator {
namespace {

using parallel::TableSharding;
using workload::RecommendationModel;
using workload::TableGroup;

RecommendationModel model_of(std::vector<TableGroup> tables) {
  RecommendationModel model;
  model.tables = std::move(tables);
  model.dense_features = 13;
  model.bottom_widths = {64, 32};
  model.top_widths = {16, 1};
  return model;
}

double lookups_of(const PlacedTables& placed) {
  double elements = 0.0;
  for (const DeviceTables& one : placed.busiest) {
    elements += one.lookups() * one.dim;
  }
  return elements;
}

TEST(TablePlacement, OneDeviceHasAll) {
  const RecommendationModel model = model_of({{3, 1000, 32, 2.0}, {1, 50, 64, 5.0}});
  for (const TableSharding sharding : {TableSharding::table, TableSharding::data}) {
    const PlacedTables placed = place_tables(model, sharding, 1, 128);
    EXPECT_TRUE(placed.holds_all);
    EXPECT_DOUBLE_EQ(placed.elements, 3.0 * 1000 * 32 + 50 * 64);
    EXPECT_DOUBLE_EQ(placed.rows, 3050.0);
    EXPECT_DOUBLE_EQ(lookups_of(placed), 128.0 * (3 * 2 * 32 + 5 * 64));
    EXPECT_DOUBLE_EQ(placed.imbalance, 1.0);
  }
}

// Five alike on four devices: one has two.
TEST(TablePlacement, WholeTablesAreDealtOut) {
  const RecommendationModel model = model_of({{5, 1000, 32, 2.0}});
  const PlacedTables placed = place_tables(model, TableSharding::table, 4, 256);
  EXPECT_FALSE(placed.holds_all);
  EXPECT_DOUBLE_EQ(placed.elements, 2.0 * 1000 * 32);
  EXPECT_DOUBLE_EQ(placed.widest_columns, 64.0);
  EXPECT_DOUBLE_EQ(placed.mean_columns, 5.0 * 32 / 4);
  EXPECT_DOUBLE_EQ(placed.imbalance, 2.0 / 1.25);
  EXPECT_DOUBLE_EQ(lookups_of(placed), 256.0 * 2 * 2 * 32);
  EXPECT_DOUBLE_EQ(placed.sent_indices, 10.0);
}

TEST(TablePlacement, MoreDevicesThanTablesLeaveSomeWithout) {
  const PlacedTables placed =
      place_tables(model_of({{2, 1000, 32, 1.0}}), TableSharding::table, 8, 256);
  EXPECT_DOUBLE_EQ(placed.imbalance, 4.0);
  EXPECT_DOUBLE_EQ(placed.widest_columns, 32.0);
}

TEST(TablePlacement, PartsOfColumnsAreWideEnough) {
  const RecommendationModel model = model_of({{1, 1000, 128, 3.0}});
  const PlacedTables two = place_tables(model, TableSharding::column, 2, 64);
  EXPECT_DOUBLE_EQ(two.widest_columns, 64.0);
  EXPECT_DOUBLE_EQ(two.elements, 1000.0 * 64);
  EXPECT_DOUBLE_EQ(two.sent_indices, 2.0 * 3);  // to each part
  // Four of 32 columns and no more: four of eight devices have none.
  const PlacedTables eight = place_tables(model, TableSharding::column, 8, 64);
  EXPECT_DOUBLE_EQ(eight.widest_columns, 32.0);
  EXPECT_DOUBLE_EQ(eight.imbalance, 2.0);
}

TEST(TablePlacement, RowsAreEvenAndTravelWhereBagsAreSmall) {
  const RecommendationModel model = model_of({{2, 1000, 32, 3.0}, {1, 4000, 32, 40.0}});
  const PlacedTables placed = place_tables(model, TableSharding::row, 8, 256);
  EXPECT_DOUBLE_EQ(placed.imbalance, 1.0);
  EXPECT_DOUBLE_EQ(placed.elements, 6000.0 * 32 / 8);
  EXPECT_DOUBLE_EQ(placed.unpooled_columns, 2.0 * 3 * 32);
  EXPECT_DOUBLE_EQ(placed.summed_columns, 32.0);
  EXPECT_DOUBLE_EQ(placed.widest_columns, 0.0);
  EXPECT_DOUBLE_EQ(lookups_of(placed), 256.0 * (2 * 3 + 40) * 32 / 8);
}

// Rows that are tokens travel one by one, whatever the sharding.
TEST(TablePlacement, RowsOfAHistoryAreNotAddedUp) {
  RecommendationModel model = model_of({{2, 100'000, 32, 200.0}});
  model.interaction = workload::Interaction::sequence;
  const PlacedTables rows = place_tables(model, TableSharding::row, 8, 64);
  EXPECT_DOUBLE_EQ(rows.unpooled_columns, 2.0 * 200 * 32);
  EXPECT_DOUBLE_EQ(rows.summed_columns, 0.0);
  EXPECT_DOUBLE_EQ(rows.busiest.front().results(), 2.0 * 64 * 200 / 8);
  const PlacedTables whole = place_tables(model, TableSharding::table, 2, 64);
  EXPECT_DOUBLE_EQ(whole.widest_columns, 200.0 * 32);
}

TEST(TablePlacement, CopiesLookUpTheirOwnSamples) {
  const RecommendationModel model = model_of({{2, 1000, 32, 3.0}});
  const PlacedTables placed = place_tables(model, TableSharding::data, 8, 256);
  EXPECT_TRUE(placed.holds_all);
  EXPECT_DOUBLE_EQ(placed.elements, 2000.0 * 32);
  EXPECT_DOUBLE_EQ(lookups_of(placed), 32.0 * 2 * 3 * 32);
  EXPECT_DOUBLE_EQ(placed.copied_columns, 2.0 * 3 * 32);
  EXPECT_DOUBLE_EQ(placed.sent_indices, 0.0);
}

// A small table is copied, a large one cut, and no device has much more than its share.
TEST(TablePlacement, MixedPlacesEachBySize) {
  const RecommendationModel model =
      model_of({{1, 1'000'000, 128, 20.0}, {6, 50'000, 128, 1.0}, {1, 10, 128, 1.0}});
  const PlacedTables placed = place_tables(model, TableSharding::mixed, 16, 16 * 64);
  EXPECT_DOUBLE_EQ(placed.copied_elements, 10.0 * 128);
  EXPECT_LT(placed.imbalance, 2.0);
  EXPECT_LT(placed.elements, 2.0 * model.table_parameters() / 16);
  const PlacedTables whole = place_tables(model, TableSharding::table, 16, 16 * 64);
  EXPECT_GT(whole.imbalance, 8.0);
}

// As many alike as devices: each has one, whole.
TEST(TablePlacement, MixedCutsNothingThatIsEven) {
  for (const int devices : {3, 7, 26, 49}) {
    const RecommendationModel model = model_of({{devices, 1'000'000, 128, 3.0}});
    const PlacedTables placed = place_tables(model, TableSharding::mixed, devices, 64 * devices);
    EXPECT_DOUBLE_EQ(placed.imbalance, 1.0) << devices;
    EXPECT_DOUBLE_EQ(placed.widest_columns, 128.0) << devices;
    EXPECT_DOUBLE_EQ(placed.sent_indices, 3.0 * devices) << devices;
  }
}

// Parts of rows send a sum for each sample of which they have a row: draws of rows are the oracle.
// The model says no less, and at most e / (e - 1) of it.
TEST(TablePlacement, PartsOfRowsSendAsOftenAsDrawsSay) {
  std::mt19937 random(7);
  constexpr int devices = 16;
  constexpr int samples = 4000;
  for (const int pooling : {1, 3, 10, 60}) {
    const RecommendationModel model = model_of({{1, 64'000, 32, static_cast<double>(pooling)}});
    const PlacedTables placed = place_tables(model, TableSharding::mixed, devices, samples);
    std::uniform_int_distribution<int> device_of_row(0, devices - 1);
    double sums = 0.0;
    for (int sample = 0; sample < samples; ++sample) {
      std::set<int> reached;
      for (int row = 0; row < pooling; ++row) {
        reached.insert(device_of_row(random));
      }
      sums += static_cast<double>(reached.size());
    }
    const double drawn = sums * 32 / samples / devices;  // columns of a sample and device
    EXPECT_GE(placed.mean_columns, 0.98 * drawn) << pooling;
    EXPECT_LE(placed.mean_columns, 1.6 * drawn) << pooling;
    EXPECT_NEAR(placed.mean_columns, placed.widest_columns, 1e-9) << pooling;
  }
}

// What is stored, looked up and sent adds up, whatever the sharding.
TEST(TablePlacement, NothingIsLost) {
  std::mt19937 random(11);
  const auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<TableGroup> tables;
    for (int i = draw(1, 6); i > 0; --i) {
      tables.push_back(
          {draw(1, 20), draw(1, 1'000'000), 32 * draw(1, 8), static_cast<double>(draw(1, 50))});
    }
    const RecommendationModel model = model_of(tables);
    const int devices = draw(2, 40);
    double looked_up = 0.0;
    for (const TableGroup& group : tables) {
      looked_up += static_cast<double>(group.count * group.dim) * group.pooling;
    }
    for (const TableSharding sharding :
         {TableSharding::table, TableSharding::column, TableSharding::row, TableSharding::data,
          TableSharding::mixed}) {
      const PlacedTables placed = place_tables(model, sharding, devices, 64 * devices);
      EXPECT_GE(placed.imbalance, 1.0 - 1e-12);
      EXPECT_GE(placed.elements * devices, model.table_parameters() * (1.0 - 1e-12));
      // The busiest over the imbalance is the mean.
      EXPECT_NEAR(lookups_of(placed) / placed.imbalance, 64.0 * looked_up, 1e-9 * 64.0 * looked_up);
      EXPECT_GE(placed.widest_columns, placed.mean_columns * (1.0 - 1e-12));
    }
  }
}

}  // namespace
}  // namespace scalesweep::estimator
