#include "estimator/kernels.hpp"

#include <gtest/gtest.h>

#include "estimator/matmul.hpp"
#include "support/examples.hpp"

namespace scalesweep::estimator {
namespace {

Rates example_rates() {
  return rates_of(test::example_system().device, technology::Precision::bf16);
}

workload::MatMul product(double m, double n, double k) {
  workload::MatMul op;
  op.name = "product";
  op.m = m;
  op.n = n;
  op.k = k;
  return op;
}

TEST(Rates, AreSustainedOnes) {
  technology::System system = test::example_system();
  system.device.long_run_clock = 0.9;
  const Rates rates = rates_of(system.device, technology::Precision::bf16);

  EXPECT_DOUBLE_EQ(rates.tensor_flop_per_s, 300e12 * 0.8 * 0.9);
  EXPECT_DOUBLE_EQ(rates.dram_bytes_per_s, 2e12 * 0.8);
}

TEST(MatMul, LargeSquareProductsAreComputeBound) {
  const MatMulCost cost = matmul_cost(product(12800, 12800, 12800), example_rates());

  EXPECT_EQ(cost.bound, Resource::tensor_compute);
  // 100 x 100 tiles of 128 x 128 on 100 cores: no wave loss; 64 extra steps along K to fill.
  const double ideal_s = 2.0 * 12800.0 * 12800.0 * (12800.0 + 64) / 240e12;
  EXPECT_NEAR(cost.cost.time.total_s(), ideal_s + 4e-6, ideal_s * 1e-9);
  EXPECT_DOUBLE_EQ(cost.cost.work.tensor_flop, 2.0 * 12800.0 * 12800.0 * 12800.0);
}

TEST(MatMul, OneRowReadsTheMatrixOnce) {
  const MatMulCost cost = matmul_cost(product(1, 12288, 12288), example_rates());

  EXPECT_EQ(cost.bound, Resource::dram);
  const double bytes = 2.0 * (12288.0 * 12288.0 + 12288.0 + 12288.0);
  EXPECT_NEAR(cost.cost.work.dram_bytes, bytes, bytes * 1e-3);
  EXPECT_NEAR(cost.cost.time.total_s(), bytes / 1.6e12 + 4e-6, 1e-7);
}

TEST(MatMul, APartialWaveCostsAWholeOne) {
  // 101 tiles on 100 cores take two waves; splitting or smaller tiles cannot win it all back.
  const double full =
      matmul_cost(product(128 * 10, 128 * 10, 8192), example_rates()).cost.time.total_s();
  const double more =
      matmul_cost(product(128 * 10 + 1, 128 * 10, 8192), example_rates()).cost.time.total_s();
  EXPECT_GT(more, 1.05 * full);
}

TEST(MatMul, FewTilesSplitTheDepth) {
  const MatMulCost cost = matmul_cost(product(128, 128, 65536), example_rates());
  EXPECT_GT(cost.tiling.split_k, 1);
}

TEST(MatMul, AccumulatingReadsTheOutputToo) {
  workload::MatMul op = product(256, 8192, 256);
  const double written = matmul_cost(op, example_rates()).cost.work.dram_bytes;
  op.accumulates = true;
  const double accumulated = matmul_cost(op, example_rates()).cost.work.dram_bytes;

  EXPECT_DOUBLE_EQ(accumulated - written, 2.0 * 256 * 8192);
}

TEST(MatMul, ClustersReadLessFromL2) {
  Rates rates = example_rates();
  const double alone = matmul_cost(product(8192, 8192, 8192), rates).cost.work.l2_bytes;
  rates.cluster = 4;
  const double shared = matmul_cost(product(8192, 8192, 8192), rates).cost.work.l2_bytes;

  EXPECT_LT(shared, 0.7 * alone);
}

TEST(Pointwise, StreamsThroughDram) {
  const Cost cost = pointwise_cost({"copy", 1.6e9, 1e6}, example_rates());

  EXPECT_NEAR(cost.time.time_s[index_of(Resource::dram)], 1e-3, 1e-12);
  EXPECT_NEAR(cost.time.total_s(), 1e-3 + 4e-6, 1e-12);
}

TEST(FlashAttention, SpendsTensorAndVectorTimeOnTheCausalHalf) {
  workload::FlashAttention op{"attention", 8192, 100, 100, 128, 2.0, false};
  const Cost forward = flash_attention_cost(op, example_rates());
  const double scores = 100 * (0.5 * 8192 * 8192 + 0.5 * 8192 * 128);

  EXPECT_NEAR(forward.time.time_s[index_of(Resource::tensor_compute)], 4.0 * scores * 128 / 240e12,
              1e-9);
  EXPECT_NEAR(forward.time.time_s[index_of(Resource::vector_compute)], 26.0 * scores / 20e12, 1e-9);
  op.backward = true;
  const Cost backward = flash_attention_cost(op, example_rates());
  EXPECT_DOUBLE_EQ(backward.work.tensor_flop, 2.5 * forward.work.tensor_flop);
}

}  // namespace
}  // namespace scalesweep::estimator
