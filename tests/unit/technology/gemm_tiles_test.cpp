// Tiles that a core holds, counted by hand.
#include "technology/gemm_tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace scalesweep::technology {
namespace {

Device device_with(double accumulator_bytes, double shared_bytes, int rows = 16, int columns = 8) {
  Device device;
  device.matrix_unit.rows = rows;
  device.matrix_unit.columns = columns;
  device.matrix_unit.accumulators = Bytes::si(accumulator_bytes);
  device.shared.capacity = Bytes::si(shared_bytes);
  device.matmul_fit.accumulator_share = 0.75;
  return device;
}

constexpr double kib = 1024.0;

TEST(GemmTiles, ThreeQuartersOfTheRegistersOfAnSmHold256By192) {
  const GemmTile tile = largest_gemm_tile(device_with(256 * kib, 164 * kib));
  EXPECT_EQ(tile.m, 256.0);
  EXPECT_EQ(tile.n, 192.0);
}

TEST(GemmTiles, OperandsOfTwoStepsMustFitInSharedMemory) {
  // 512 KiB hold 384 x 256 sums; 64 KiB hold the operands of 512 rows and columns.
  const GemmTile tile = largest_gemm_tile(device_with(512 * kib, 64 * kib));
  EXPECT_EQ(tile.m, 256.0);
  EXPECT_EQ(tile.n, 256.0);
  EXPECT_EQ(largest_gemm_tile(device_with(512 * kib, 128 * kib)).area(), 384.0 * 256.0);
}

TEST(GemmTiles, AScratchpadHoldsSumsAndOperands) {
  // 1024 x 512 sums take 2 MiB, operands 192 KiB.
  EXPECT_EQ(largest_gemm_tile(device_with(0.0, 4096 * kib, 128, 128)).area(), 1024.0 * 512.0);
  EXPECT_EQ(largest_gemm_tile(device_with(0.0, 2048 * kib, 128, 128)).area(), 512.0 * 512.0);
}

TEST(GemmTiles, AreWholeMatrixUnits) {
  const GemmTileSet set = gemm_tiles_of(device_with(0.0, 4096 * kib, 128, 128));
  for (std::size_t i = 0; i < gemm_tiles.size(); ++i) {
    const GemmTile& tile = gemm_tiles[i];
    EXPECT_TRUE(!holds(set, i) || std::min(tile.m, tile.n) >= 128.0) << tile.m << " x " << tile.n;
    EXPECT_TRUE(!holds(set, i) || (tile.m != 192.0 && tile.n != 192.0))
        << tile.m << " x " << tile.n;
  }
}

TEST(GemmTiles, ADeviceThatHoldsNoneHasTheSmallestOfItsMatrixUnit) {
  EXPECT_EQ(largest_gemm_tile(device_with(0.0, 1.0)).area(), 64.0 * 64.0);
  EXPECT_EQ(largest_gemm_tile(device_with(0.0, 1.0, 256, 256)).area(), 256.0 * 256.0);
}

}  // namespace
}  // namespace scalesweep::technology
