#include "analysis/verdict/simplicity.hpp"

#include <gtest/gtest.h>

namespace scalesweep::analysis {
namespace {

const std::vector<std::string> columns = {
    "tensor_parallel", "pipeline_parallel", "data_parallel", "chunks",
    "micro_batch",     "recompute",         "zero"};

Complexity complexity(double tp, double pp, double chunks, double recompute, double zero) {
  return complexity_of(columns, {tp, pp, 64.0 / (tp * pp), chunks, 4.0, recompute, zero});
}

TEST(Simplicity, FewerKindsOfParallelismComeFirst) {
  EXPECT_LT(complexity(16, 1, 1, 2, 3), complexity(2, 2, 1, 0, 0));
}

TEST(Simplicity, ThenFewerDevicesOfAReplica) {
  EXPECT_LT(complexity(2, 2, 1, 2, 1), complexity(4, 2, 1, 0, 0));
  EXPECT_LT(complexity(2, 2, 1, 0, 0), complexity(2, 4, 1, 0, 0));
}

TEST(Simplicity, ThenNoChunksNoRecomputationAndALowerZeroStage) {
  EXPECT_LT(complexity(2, 2, 1, 2, 1), complexity(2, 2, 4, 0, 0));
  EXPECT_LT(complexity(2, 2, 1, 0, 1), complexity(2, 2, 1, 1, 0));
  EXPECT_LT(complexity(2, 2, 1, 0, 0), complexity(2, 2, 1, 0, 1));
}

TEST(Simplicity, BatchesAndReplicasDoNotCount) {
  EXPECT_EQ(complexity_of({"tensor_parallel", "data_parallel", "micro_batch"}, {2, 8, 1}),
            complexity_of({"tensor_parallel", "data_parallel", "micro_batch"}, {2, 64, 8}));
}

// Of a study of other kinds, or of a version that did not have the field.
TEST(Simplicity, AFieldWithoutAColumnIsPlain) {
  EXPECT_EQ(complexity_of({"tensor_parallel"}, {2}),
            complexity_of({"tensor_parallel", "context_parallel", "chunks"}, {2, 1, 1}));
}

}  // namespace
}  // namespace scalesweep::analysis
