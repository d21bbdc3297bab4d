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
  model.tables = {{.count = 26, .rows = 1'000'000, .dim = 128, .pooling = 10.0}};
  model.dense_features = 13;
  model.bottom_widths = {512, 256, 128};
  model.top_widths = {1024, 1024, 512, 256, 1};
  return model;
}

RecommendationModel crossed() {
  RecommendationModel model = dlrm();
  model.interaction = Interaction::cross;
  model.cross_layers = 3;
  model.cross_rank = 512;
  return model;
}

double flop_of(const LayerOperators& operators) {
  return matmul_flop(operators.forward) + matmul_flop(operators.backward) +
         matmul_flop(operators.data_gradients) + matmul_flop(operators.weight_gradients);
}

double flop_of(const RecommendationOperators& operators) {
  return flop_of(operators.bottom) + flop_of(operators.interaction) + flop_of(operators.top);
}

TEST(Recommendation, CountsItsParameters) {
  EXPECT_DOUBLE_EQ(dlrm().table_parameters(), 26.0 * 1e6 * 128);
  EXPECT_DOUBLE_EQ(dlrm().lookups(), 260.0);
  EXPECT_DOUBLE_EQ(dlrm().pooled_width(), 26.0 * 128);
  EXPECT_EQ(dlrm().interactions(), 128 + 27 * 26 / 2);
  const double biases = (512 + 256 + 128) + (1024 + 1024 + 512 + 256 + 1);
  EXPECT_DOUBLE_EQ(dlrm().dense_parameters(), 13.0 * 512 + 512 * 256 + 256 * 128 + 479.0 * 1024 +
                                                  1024 * 1024 + 1024 * 512 + 512 * 256 + 256 +
                                                  biases);
  EXPECT_EQ(crossed().interactions(), 27 * 128);
  EXPECT_DOUBLE_EQ(crossed().dense_parameters(),
                   13.0 * 512 + 512 * 256 + 256 * 128 + 3.0 * (2.0 * 3456 * 512 + 3456) +
                       3456.0 * 1024 + 1024 * 1024 + 1024 * 512 + 512 * 256 + 256 + biases);
}

TEST(Recommendation, GroupsOfTablesAddUp) {
  RecommendationModel model = dlrm();
  model.tables = {{2, 100, 128, 3.0}, {1, 50, 128, 4.0}};
  EXPECT_DOUBLE_EQ(model.table_count(), 3.0);
  EXPECT_DOUBLE_EQ(model.table_parameters(), 250.0 * 128);
  EXPECT_DOUBLE_EQ(model.lookups(), 10.0);
}

TEST(Recommendation, GemmsAddUpToTheModelFlop) {
  RecommendationSlice slice;
  slice.batch = 64;
  for (const RecommendationModel& model : {dlrm(), crossed()}) {
    for (const bool fused : {false, true}) {
      slice.fused_pointwise = fused;
      const RecommendationOperators operators = recommendation_operators(model, slice);
      EXPECT_DOUBLE_EQ(flop_of(operators), 64.0 * model_flop_per_sample(model));
      EXPECT_EQ(operators.bottom.data_gradients.size() + 1,
                operators.bottom.weight_gradients.size());
      EXPECT_DOUBLE_EQ(matmul_flop(operators.bottom.forward) +
                           matmul_flop(operators.interaction.forward) +
                           matmul_flop(operators.top.forward),
                       64.0 * forward_flop_per_sample(model));
    }
  }
}

TEST(Recommendation, FusedPointwiseStepsLeaveNoKernels) {
  RecommendationSlice slice;
  slice.batch = 64;
  const auto kernels = [&](const RecommendationModel& model) {
    const RecommendationOperators operators = recommendation_operators(model, slice);
    return operators.bottom.forward.size() + operators.interaction.forward.size() +
           operators.top.forward.size();
  };
  EXPECT_EQ(kernels(dlrm()), 2U * 3 + 2 + 2 * 5);
  slice.fused_pointwise = true;
  EXPECT_EQ(kernels(dlrm()), 3U + 1 + 5);
  // Of a cross layer the step behind both products stays, which reads less.
  const RecommendationOperators operators = recommendation_operators(crossed(), slice);
  EXPECT_DOUBLE_EQ(named<Pointwise>(operators.interaction.forward, "cross").traffic_bytes,
                   64.0 * 3456 * 2 * 2);
}

// Histories of 100 items and 100 actions, of two layers with 4 heads of 32.
RecommendationModel sequential() {
  RecommendationModel model = dlrm();
  model.tables = {{1, 1'000'000, 128, 100.0}, {1, 20, 128, 100.0}};
  model.interaction = Interaction::sequence;
  model.sequence_layers = 2;
  model.sequence_heads = 4;
  model.sequence_head_dim = 32;
  return model;
}

TEST(Recommendation, SequencesAreTokensOfAHistory) {
  const RecommendationModel model = sequential();
  EXPECT_EQ(model.tokens(), 100.0);
  EXPECT_EQ(model.pooled_width(), 2.0 * 100 * 128);
  EXPECT_EQ(model.interactions(), 128);
  const double layer = 128.0 * 4 * 128 + 128 * 128;
  const double mlps =
      13.0 * 512 + 512 * 256 + 256 * 128 + 128 * 1024 + 1024 * 1024 + 1024 * 512 + 512 * 256 + 256;
  const double biases = (512 + 256 + 128) + (1024 + 1024 + 512 + 256 + 1);
  EXPECT_DOUBLE_EQ(model.dense_parameters(), 2 * layer + mlps + biases);
  // Both products of attention, of which a mask leaves half.
  const double attention = 2 * 2.0 * 100 * 100 * 128 * 0.5;
  EXPECT_DOUBLE_EQ(forward_flop_per_sample(model), 2 * (mlps + 100 * 2 * layer) + 2 * attention);
  RecommendationSlice slice;
  slice.batch = 8;
  slice.fused_pointwise = true;
  const RecommendationOperators operators = recommendation_operators(model, slice);
  EXPECT_DOUBLE_EQ(matmul_flop(operators.interaction.forward), 8 * 100 * 2 * 2 * layer);
  EXPECT_EQ(operators.interaction.forward.size(), 2U * 4);
  const auto attends = named<FlashAttention>(operators.interaction.forward, "sequence attention");
  EXPECT_EQ(attends.sequence, 100.0);
  EXPECT_EQ(attends.batch_heads, 8.0 * 4);
}

TEST(Recommendation, SavesWhatTheBackwardPassReads) {
  EXPECT_DOUBLE_EQ(saved_elements_per_sample(dlrm()),
                   13.0 + (512 + 256 + 128) + 26 * 128 + 479 + (1024 + 1024 + 512 + 256 + 1));
  EXPECT_DOUBLE_EQ(working_elements_per_sample(dlrm()), 128.0 + 26 * 128 + 479);
  EXPECT_DOUBLE_EQ(working_elements_per_sample(crossed()), 3.0 * 3456);
}

}  // namespace
}  // namespace scalesweep::workload
