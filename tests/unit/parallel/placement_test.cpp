#include "parallel/placement.hpp"

#include <gtest/gtest.h>

namespace scalesweep::parallel {
namespace {

Strategy layout(int tp, int pp, int dp) {
  Strategy strategy;
  strategy.tensor_parallel = tp;
  strategy.pipeline_parallel = pp;
  strategy.data_parallel = dp;
  return strategy;
}

void expect_group(const Group& group, std::int64_t inner, std::int64_t outer) {
  EXPECT_EQ(group.inner, inner);
  EXPECT_EQ(group.outer, outer);
}

TEST(Placement, TensorGroupsFillTheDomainFirst) {
  expect_group(group_of(layout(8, 1, 4), Dimension::tensor, 8), 8, 1);
  expect_group(group_of(layout(2, 1, 4), Dimension::tensor, 8), 2, 1);
  expect_group(group_of(layout(32, 1, 4), Dimension::tensor, 8), 8, 4);
  expect_group(group_of(layout(64, 1, 4), Dimension::tensor, 72), 64, 1);
}

TEST(Placement, ReplicasUseWhatTensorParallelismLeavesOfTheDomain) {
  expect_group(group_of(layout(8, 1, 16), Dimension::data, 8), 1, 16);
  expect_group(group_of(layout(2, 1, 16), Dimension::data, 8), 4, 4);
  expect_group(group_of(layout(1, 1, 4), Dimension::data, 8), 4, 1);
  expect_group(group_of(layout(32, 1, 16), Dimension::data, 8), 1, 16);
}

TEST(Placement, StagesTalkOverTheNetworkUnlessTheJobFitsOneDomain) {
  EXPECT_EQ(stage_link(layout(2, 4, 1), 8), Link::scale_up);
  EXPECT_EQ(stage_link(layout(8, 4, 1), 8), Link::scale_out);
  EXPECT_EQ(stage_link(layout(1, 2, 8), 8), Link::scale_out);
}

}  // namespace
}  // namespace scalesweep::parallel
