#include "workload/recommendation/recommendation.hpp"

#include <gtest/gtest.h>

#include "operator_sums.hpp"

namespace scalesweep::workload {
namespace {

using test::matmul_flop;
using test::named;

// The shape of the MLPerf benchmark, with tables of a mean size.
RecommendationModel dlrm() {
  RecommendationModel model;
  model.tables = 26;
  model.rows = 1'000'000;
  model.dim = 128;
  model.pooling = 10.0;
  model.dense_features = 13;
  model.bottom_widths = {512, 256, 128};
  model.top_widths = {1024, 1024, 512, 256, 1};
  return model;
}

TEST(Recommendation, CountsItsParameters) {
  EXPECT_DOUBLE_EQ(dlrm().table_parameters(), 26.0 * 1e6 * 128);
  EXPECT_EQ(dlrm().interactions(), 128 + 27 * 26 / 2);
  EXPECT_DOUBLE_EQ(dlrm().mlp_parameters(), 13.0 * 512 + 512 * 256 + 256 * 128 + 479.0 * 1024 +
                                                1024 * 1024 + 1024 * 512 + 512 * 256 + 256 +
                                                (512 + 256 + 128) + (1024 + 1024 + 512 + 256 + 1));
}

TEST(Recommendation, LookupsReadRowsWhateverTheShards) {
  RecommendationSlice slice;
  slice.batch = 2048;
  const double rows = 2048.0 * 26 * 10;
  const double sums = 2048.0 * 26 * 128 * 2;
  const auto lookup = [&](const RecommendationModel& model) {
    return named<Pointwise>(recommendation_operators(model, slice).forward, "lookup").traffic_bytes;
  };
  EXPECT_DOUBLE_EQ(lookup(dlrm()), rows * (128 * 4 + 8) + sums);
  slice.table_shards = 8;
  EXPECT_DOUBLE_EQ(lookup(dlrm()), rows * (128 * 4 + 8) + sums);
  EXPECT_DOUBLE_EQ(table_bytes(dlrm(), slice), 26.0 * 1e6 * 128 * 4 / 8);
  // A row of four values takes a whole burst.
  RecommendationModel narrow = dlrm();
  narrow.dim = 4;
  EXPECT_DOUBLE_EQ(lookup(narrow), rows * (64 + 8) + 2048.0 * 26 * 4 * 2);
}

TEST(Recommendation, ExchangesThePooledRows) {
  RecommendationSlice slice;
  slice.batch = 2048;
  EXPECT_DOUBLE_EQ(pooled_exchange_bytes(dlrm(), slice), 2048.0 * 26 * 128 * 2);
}

TEST(Recommendation, GemmsAddUpToTheModelFlop) {
  RecommendationSlice slice;
  slice.batch = 64;
  const LayerOperators operators = recommendation_operators(dlrm(), slice);
  const double flop = matmul_flop(operators.forward) + matmul_flop(operators.backward) +
                      matmul_flop(operators.data_gradients) +
                      matmul_flop(operators.weight_gradients);
  EXPECT_DOUBLE_EQ(flop, 64.0 * model_flop_per_sample(dlrm()));
  EXPECT_EQ(operators.data_gradients.size() + 1, operators.weight_gradients.size());
}

}  // namespace
}  // namespace scalesweep::workload
