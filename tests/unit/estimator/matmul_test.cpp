#include "estimator/parts/matmul.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/example_system.hpp"
#include "technology/derive/long_gemm.hpp"

namespace scalesweep::estimator {
namespace {

using technology::Precision;

technology::Device example_device() {
  return test::example_system().device;
}

Rates example_rates() {
  return rates_of(example_device(), Precision::bf16);
}

workload::MatMul gemm(double m, double n, double k) {
  workload::MatMul op;
  op.name = "gemm";
  op.m = m;
  op.n = n;
  op.k = k;
  return op;
}

double time_s(const workload::MatMul& op, const Rates& rates) {
  return matmul_cost(op, rates).cost.time.total_s();
}

// Whose long GEMMs settle at `fraction` of the clock.
technology::Device limited_device(double fraction) {
  technology::Device device = example_device();
  device.thermal_design_power = Watts::si(400.0);
  device.voltage = {Volts::si(0.75), Volts::si(0.06), Volts::si(0.55), Volts::si(1.0)};
  device.supply = device.voltage.nominal;
  const std::size_t p = index_of(Precision::bf16);
  device.tensor_energy[p] = technology::tensor_energy_for(device, Precision::bf16, fraction);
  return device;
}

TEST(Rates, OfALongRunAreThoseOfTheDevicesClock) {
  const Rates rates = rates_of(limited_device(0.9), Precision::bf16);

  EXPECT_DOUBLE_EQ(rates.tensor_flop_per_s, 300e12 * 0.8);
  EXPECT_DOUBLE_EQ(rates.dram_bytes_per_s, 2e12 * 0.8);
  EXPECT_EQ(rates.limited_share, 1.0);
  EXPECT_EQ(rates.reusable_l2_bytes, 0.0);
}

TEST(Rates, OfIsolatedKernelsAreThoseOfACoolDeviceUntilItsPowerIsFelt) {
  const Rates rates = rates_of(limited_device(0.9), Precision::bf16, Regime::isolated);

  EXPECT_DOUBLE_EQ(rates.tensor_flop_per_s, 300e12 * 0.8);
  EXPECT_NEAR(rates.limited_share, 0.9, 1e-9);
  EXPECT_EQ(rates.reusable_l2_bytes, 40e6);
}

TEST(MatMul, LargeSquareGemmsAreComputeBound) {
  const MatMulCost cost = matmul_cost(gemm(12800, 12800, 12800), example_rates());

  EXPECT_EQ(cost.bound, Resource::tensor_compute);
  // 100 x 100 tiles of 128 x 128 on 100 cores: no wave loss; 64 extra steps along K to fill. What
  // L2 and DRAM add is little where they are not the longest.
  const double ideal_s = 2.0 * 12800.0 * 12800.0 * (12800.0 + 64) / 240e12;
  EXPECT_GT(cost.cost.time.total_s(), ideal_s + 4e-6);
  EXPECT_LT(cost.cost.time.total_s(), 1.1 * ideal_s);
  EXPECT_DOUBLE_EQ(cost.cost.work[Amount::tensor_flop], 2.0 * 12800.0 * 12800.0 * 12800.0);
}

// A GEMM without L2 and DRAM to speak of takes its arithmetic's time, and so on: the levels alone
// give what they combine to.
TEST(MatMul, LevelsCombineByTheirCubes) {
  const workload::MatMul op = gemm(128, 128, 4096);
  Rates rates = example_rates();
  rates.cores = 1;  // one tile, and nothing to split for
  rates.latency_s = 0.0;
  const auto alone = [&](double Rates::*kept) {
    Rates only = rates;
    for (double Rates::*rate : {&Rates::tensor_flop_per_s, &Rates::shared_bytes_per_s,
                                &Rates::l2_bytes_per_s, &Rates::dram_bytes_per_s}) {
      if (rate != kept) {
        only.*rate = 1e30;
      }
    }
    return time_s(op, only);
  };
  const double on_chip_s = alone(&Rates::tensor_flop_per_s);
  ASSERT_GT(on_chip_s, alone(&Rates::shared_bytes_per_s));
  const double cubes = std::pow(on_chip_s, 3) + std::pow(alone(&Rates::l2_bytes_per_s), 3) +
                       std::pow(alone(&Rates::dram_bytes_per_s), 3);

  EXPECT_NEAR(time_s(op, rates) / std::cbrt(cubes), 1.0, 1e-12);
}

TEST(MatMul, OneRowReadsTheMatrixOnce) {
  const MatMulCost cost = matmul_cost(gemm(1, 12288, 12288), example_rates());

  EXPECT_EQ(cost.bound, Resource::dram);
  const double bytes = 2.0 * (12288.0 * 12288.0 + 12288.0 + 12288.0);
  EXPECT_NEAR(cost.cost.work[Amount::dram_bytes], bytes, bytes * 1e-3);
  EXPECT_GT(cost.cost.time.total_s(), bytes / 1.6e12 + 4e-6);
  EXPECT_LT(cost.cost.time.total_s(), 1.1 * bytes / 1.6e12);
}

TEST(MatMul, APartialWaveCostsAWholeOne) {
  // 101 tiles on 100 cores take two waves; splitting or smaller tiles cannot win it all back.
  EXPECT_GT(time_s(gemm(128 * 10 + 1, 128 * 10, 8192), example_rates()),
            1.05 * time_s(gemm(128 * 10, 128 * 10, 8192), example_rates()));
}

TEST(MatMul, SmallTilesTakeAsLongAsOnesOf128By64) {
  Rates rates = example_rates();
  rates.cores = 1;
  rates.latency_s = 0.0;
  rates.dram_bytes_per_s = 1e30;
  rates.l2_bytes_per_s = 1e30;
  const Charges time = matmul_cost(gemm(64, 64, 8192), rates).cost.time;
  const double tile_s = 2.0 * 128 * 64 * (8192 + 64) / 240e12;

  EXPECT_NEAR(time.total_s() / tile_s, 1.0, 0.02);
}

// 4096 x 4096 x 4096 on eight cores of 4 MiB, behind a memory that small tiles would wait for.
TEST(MatMul, ScratchpadsHoldLargeTilesAndSaveTraffic) {
  technology::Device device = example_device();
  device.cores = 8;
  device.l2.bandwidth = BytesPerSecond::si(1e12);
  const workload::MatMul op = gemm(4096, 4096, 4096);
  const MatMulCost small = matmul_cost(op, rates_of(device, Precision::bf16));
  device.matrix_unit = {.rows = 128, .columns = 128, .depth = 128, .accumulators = {}};
  device.shared.capacity = Bytes::si(4.0 * 1024.0 * 1024.0);
  const MatMulCost large = matmul_cost(op, rates_of(device, Precision::bf16));

  EXPECT_EQ(large.tiling.m * large.tiling.n, 1024 * 512);
  // 8 x 32 MiB of one operand and 4 x 32 MiB of the other, and C.
  const double matrix = 2.0 * 4096.0 * 4096.0;
  EXPECT_DOUBLE_EQ(large.cost.work[Amount::l2_bytes], 13.0 * matrix);
  EXPECT_GT(small.cost.work[Amount::l2_bytes], 2.0 * 13.0 * matrix);
  EXPECT_EQ(small.bound, Resource::l2);
  EXPECT_EQ(large.bound, Resource::tensor_compute);
}

// Weights of 64 rows leave half of an array of 128 x 128 empty; of a tensor core they do not.
TEST(MatMul, DepthIsWholeMatrixUnits) {
  technology::Device device = example_device();
  device.matrix_unit.depth = 128;
  const Rates wide = rates_of(device, Precision::bf16);
  const double shallow_s =
      matmul_cost(gemm(8192, 8192, 64), wide).cost.time[Resource::tensor_compute];
  const double deep_s =
      matmul_cost(gemm(8192, 8192, 128), wide).cost.time[Resource::tensor_compute];
  EXPECT_GT(shallow_s, 0.0);
  EXPECT_LE(deep_s, 1.3 * shallow_s);
}

TEST(MatMul, FewTilesSplitTheDepthUnlessThatTakesLonger) {
  Rates rates = example_rates();
  EXPECT_GT(matmul_cost(gemm(128, 128, 65536), rates).tiling.split_k, 1);
  const double split_s = time_s(gemm(128, 128, 65536), rates);
  rates.split_latency_s = 2e-6;
  EXPECT_NEAR(time_s(gemm(128, 128, 65536), rates), split_s + 2e-6, 1e-12);
  rates.split_latency_s = 1.0;
  EXPECT_EQ(matmul_cost(gemm(128, 128, 65536), rates).tiling.split_k, 1);
}

// The oracle of the search, which leaves out tiles that memory alone makes slower than the best so
// far: the best of each tile by itself.
TEST(MatMul, IsAsFastAsTheBestTileByItself) {
  for (const double kept_share : {0.0, 0.4}) {
    for (const bool memory_in_cores : {false, true}) {
      Rates rates = example_rates();
      rates.kept_share = kept_share;
      rates.memory_in_cores = memory_in_cores;
      rates.split_latency_s = 1e-6;
      for (const double m : {0.5, 1.0, 17.0, 128.0, 700.0, 4096.0}) {
        for (const double n : {64.0, 1536.0, 28672.0}) {
          for (const double k : {64.0, 4096.0, 65536.0}) {
            double best_s = std::numeric_limits<double>::infinity();
            for (std::size_t tile = 0; tile < technology::gemm_tiles.size(); ++tile) {
              if (technology::holds(rates.tiles, tile)) {
                Rates alone = rates;
                alone.tiles = technology::GemmTileSet{1} << tile;
                best_s = std::min(best_s, time_s(gemm(m, n, k), alone));
              }
            }
            EXPECT_NEAR(time_s(gemm(m, n, k), rates), best_s, 1e-12 * best_s) << m << n << k;
          }
        }
      }
    }
  }
}

TEST(MatMul, AccumulatingReadsTheOutputToo) {
  workload::MatMul op = gemm(256, 8192, 256);
  const double written = matmul_cost(op, example_rates()).cost.work[Amount::dram_bytes];
  op.accumulates = true;
  const double accumulated = matmul_cost(op, example_rates()).cost.work[Amount::dram_bytes];

  EXPECT_DOUBLE_EQ(accumulated - written, 2.0 * 256 * 8192);
}

// Rows that fill up the tiles of one expert: on average half a tile, and what a tile is short of.
TEST(MatMul, RowsThatFillUpTilesTakeEnergyAndNoTime) {
  const auto energy_j = [](double m, double tile_rows) {
    workload::MatMul op = gemm(m, 4096, 4096);
    op.tile_rows = tile_rows;
    const MatMulCost cost = matmul_cost(op, example_rates());
    EXPECT_DOUBLE_EQ(cost.cost.time.total_s(), time_s(gemm(m, 4096, 4096), example_rates()));
    EXPECT_DOUBLE_EQ(cost.cost.work[Amount::tensor_flop], 2.0 * m * 4096 * 4096);
    return cost.cost.work[Amount::tensor_joules];
  };
  EXPECT_DOUBLE_EQ(energy_j(8, 64) / energy_j(8, 0), 8.0);
  EXPECT_DOUBLE_EQ(energy_j(32, 64) / energy_j(32, 0), 2.0);
  EXPECT_DOUBLE_EQ(energy_j(160, 64) / energy_j(160, 0), 1.2);
}

TEST(MatMul, ClustersReadLessFromL2) {
  Rates rates = example_rates();
  rates.precision = Precision::fp4;  // whose tiles are all of one size
  const double alone = matmul_cost(gemm(8192, 8192, 8192), rates).cost.work[Amount::l2_bytes];
  rates.cluster = 4;
  const double shared = matmul_cost(gemm(8192, 8192, 8192), rates).cost.work[Amount::l2_bytes];

  EXPECT_NEAR(shared / alone, 0.5, 0.05);
}

TEST(MatMul, FourBitGemmsAreNotSplitAndStoreAfterwards) {
  Rates rates = example_rates();
  rates.precision = Precision::fp4;
  const MatMulCost skinny = matmul_cost(gemm(1, 1024, 65536), rates);
  EXPECT_EQ(skinny.tiling.split_k, 1);
  EXPECT_GE(skinny.tiling.m * skinny.tiling.n, 256 * 128);

  // Writing C comes on top, however long the arithmetic takes.
  workload::MatMul op = gemm(12800, 12800, 12800);
  const double before_s = time_s(op, rates);
  op.output_bytes += 2.0;
  Rates no_l2 = rates;
  no_l2.l2_bytes_per_s = 1e30;
  const double added_s = time_s(op, no_l2) - time_s(gemm(12800, 12800, 12800), no_l2);
  EXPECT_NEAR(added_s, 2.0 * 12800 * 12800 / 1.6e12, 1e-9);
  EXPECT_GT(time_s(op, rates), before_s);
}

// Of libraries whose kernels stay on their cores.
TEST(MatMul, PersistentFourBitGemmsHaveSmallTilesAndStoreBesideTheMath) {
  Rates rates = example_rates();
  rates.precision = Precision::fp4;
  const workload::MatMul few = gemm(16, 51200, 4096);
  const double stored_before_s = time_s(few, rates);
  rates.matmul_fit.persistent_four_bits = true;
  EXPECT_LT(time_s(few, rates), stored_before_s);
  EXPECT_LT(matmul_cost(few, rates).tiling.m * matmul_cost(few, rates).tiling.n, 256 * 128);
  Rates others = rates;
  others.precision = Precision::fp8;
  EXPECT_DOUBLE_EQ(time_s(few, rates), time_s(few, others));  // of the same rates
}

TEST(MatMul, LibrariesThatDoNotSplitTheDepthLeaveCoresIdle) {
  Rates rates = example_rates();
  const workload::MatMul deep = gemm(16, 128, 65536);
  const double split_s = time_s(deep, rates);
  rates.matmul_fit.splits_depth = false;
  EXPECT_EQ(matmul_cost(deep, rates).tiling.split_k, 1);
  EXPECT_GT(time_s(deep, rates), 2.0 * split_s);
  EXPECT_DOUBLE_EQ(time_s(gemm(12800, 12800, 1280), rates),
                   time_s(gemm(12800, 12800, 1280), example_rates()));
}

TEST(MatMul, IsolatedGemmsFindSmallOperandsInL2) {
  const Rates isolated = rates_of(example_device(), Precision::bf16, Regime::isolated);
  const workload::MatMul small = gemm(16, 512, 512);
  const workload::MatMul large = gemm(16, 8192, 8192);

  EXPECT_EQ(matmul_cost(small, isolated).cost.work[Amount::dram_bytes], 0.0);
  EXPECT_GT(matmul_cost(small, example_rates()).cost.work[Amount::dram_bytes], 2.0 * 512 * 512);
  EXPECT_DOUBLE_EQ(matmul_cost(large, isolated).cost.work[Amount::dram_bytes],
                   matmul_cost(large, example_rates()).cost.work[Amount::dram_bytes]);
}

TEST(MatMul, IsolatedGemmsFeelThePowerLimitAfterMilliseconds) {
  const Rates unlimited = rates_of(example_device(), Precision::bf16, Regime::isolated);
  const Rates limited = rates_of(limited_device(0.8), Precision::bf16, Regime::isolated);
  const auto ratio = [&](const workload::MatMul& op) {
    return time_s(op, limited) / time_s(op, unlimited);
  };

  EXPECT_NEAR(ratio(gemm(1280, 1280, 12800)), 1.0, 1e-3);     // 0.2 ms
  EXPECT_NEAR(ratio(gemm(51200, 51200, 51200)), 1.25, 0.03);  // 1 s
  EXPECT_NEAR(ratio(gemm(12800, 12800, 6400)), 1.14, 0.03);   // 9 ms
}

TEST(MatMul, OfFewRowsPassTheMatrixUnitsWhereTheseAreSlow) {
  Rates rates = example_rates();
  rates.split_latency_s = 2e-6;
  rates.dram_bytes_per_s *= 8.0;  // faster than whole tiles can be multiplied
  rates.l2_bytes_per_s *= 8.0;
  const double few_s = time_s(gemm(1, 16384, 8192), rates);
  rates.tensor_flop_per_s /= 4.0;
  EXPECT_DOUBLE_EQ(time_s(gemm(1, 16384, 8192), rates), few_s);
  EXPECT_NE(matmul_cost(gemm(4, 16384, 8192), rates).bound, Resource::tensor_compute);
  EXPECT_EQ(matmul_cost(gemm(8, 16384, 8192), rates).bound, Resource::tensor_compute);

  // Narrow formats have no such kernels.
  workload::MatMul narrow = gemm(1, 16384, 8192);
  narrow.input_bytes = 1.0;
  EXPECT_EQ(matmul_cost(narrow, rates).bound, Resource::tensor_compute);
}

// A mean of 4.25 rows is 4 rows in three of four passes.
TEST(MatMul, RowsBetweenTwoKernelsAreMultipliedByEitherInTurn) {
  Rates rates = example_rates();
  rates.dram_bytes_per_s *= 8.0;
  rates.l2_bytes_per_s *= 8.0;
  rates.tensor_flop_per_s /= 4.0;
  const double few_s = time_s(gemm(4, 16384, 8192), rates);
  const double more_s = time_s(gemm(5, 16384, 8192), rates);
  EXPECT_GT(more_s, 1.2 * few_s);
  workload::MatMul mean = gemm(4, 16384, 8192);
  mean.m = 4.25;
  EXPECT_DOUBLE_EQ(time_s(mean, rates), 0.75 * few_s + 0.25 * more_s);
}

// As a Hopper has to: a multiply-add on the vector units for each 128 products.
TEST(ScaledSums, AreWorkOfTheVectorUnitsWhereMatrixUnitsDoNotScaleBlocks) {
  Rates rates = example_rates();
  rates.scales_blocks = false;
  workload::MatMul op = gemm(4096, 8192, 2048);
  const MatMulCost plain = matmul_cost(op, rates);
  op.scaled_depth = 128.0;
  const MatMulCost scaled = matmul_cost(op, rates);
  EXPECT_DOUBLE_EQ(scaled.cost.work[Amount::vector_flop] - plain.cost.work[Amount::vector_flop],
                   4096.0 * 8192.0 * 2.0 * 2048.0 / 128.0);
  EXPECT_EQ(time_s(op, rates), plain.cost.time.total_s()) << "beside the products of others";
  // Until those take longer.
  rates.vector_flop_per_s *= 0.05;
  EXPECT_EQ(matmul_cost(op, rates).bound, Resource::vector_compute);
  rates.scales_blocks = true;
  EXPECT_EQ(matmul_cost(op, rates).cost.work[Amount::vector_flop], 0.0);
  EXPECT_NE(matmul_cost(op, rates).bound, Resource::vector_compute);
}

// Where cores of a cluster share what a copy engine reads, rows that it does not take go through a
// slower kernel; elsewhere all do.
TEST(MatMul, RowsThatAreNotAlignedAreMultipliedSlower) {
  Rates rates = example_rates();
  rates.cluster = 2.0;
  rates.matmul_fit.unaligned_share = 0.25;
  workload::MatMul op{"gemm", 8192, 8192, 8192};
  const double aligned_s = matmul_cost(op, rates).cost.time.total_s();
  op.aligned = false;
  EXPECT_NEAR(matmul_cost(op, rates).cost.time.total_s() / aligned_s, 4.0, 0.4);
  rates.cluster = 1.0;
  const double without_s = matmul_cost(op, rates).cost.time.total_s();
  op.aligned = true;
  EXPECT_DOUBLE_EQ(matmul_cost(op, rates).cost.time.total_s(), without_s);
}

TEST(Quantize, ReadsTwiceForOneScaleOfATensor) {
  Rates rates = example_rates();
  rates.quantize_latency_s = 9e-6;
  const double elements = 4096.0 * 8192.0;
  const auto traffic = [&](Precision precision, workload::Recipe recipe) {
    rates.precision = precision;
    return quantize_cost(4096, 8192, workload::row_of(recipe), rates).work[Amount::dram_bytes] /
           elements;
  };
  using workload::Recipe;

  EXPECT_DOUBLE_EQ(traffic(Precision::fp8, Recipe::current), 2.0 + 2.0 + 1.0);
  EXPECT_DOUBLE_EQ(traffic(Precision::fp8, Recipe::delayed), 2.0 + 1.0);
  EXPECT_DOUBLE_EQ(traffic(Precision::fp8, Recipe::row), 2.0 + 1.0);
  EXPECT_DOUBLE_EQ(traffic(Precision::fp8, Recipe::block), 2.0 + 1.0 + 4.0 / 128.0);
  EXPECT_DOUBLE_EQ(traffic(Precision::fp4, Recipe::nvfp4), 2.0 + 0.5 + 1.0 / 16.0);
  EXPECT_DOUBLE_EQ(traffic(Precision::mxfp8, Recipe::mxfp8), 2.0 + 1.0 + 1.0 / 32.0);
  rates.precision = Precision::fp8;
  EXPECT_NEAR(quantize_cost(4096, 8192, workload::row_of(Recipe::current), rates).time.total_s(),
              9e-6 + 5.0 * elements / (0.7 * 1.6e12), 1e-12);
}

}  // namespace
}  // namespace scalesweep::estimator
