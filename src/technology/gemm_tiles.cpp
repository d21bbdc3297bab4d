#include "technology/gemm_tiles.hpp"

#include <bit>

namespace scalesweep::technology {
namespace {

constexpr double sum_bytes = 4.0;
constexpr double step_bytes = 64.0;  // of one row or column of operands, along K
constexpr double buffers = 2.0;

bool whole(const GemmTile& tile, const MatrixUnit& unit) {
  return static_cast<int>(tile.m) % unit.rows == 0 && static_cast<int>(tile.n) % unit.columns == 0;
}

bool fits(const GemmTile& tile, const Device& device) {
  const double sums = sum_bytes * tile.area();
  const double operands = buffers * step_bytes * (tile.m + tile.n);
  const double shared = device.shared.capacity.si();
  const double accumulators = device.matrix_unit.accumulators.si();
  if (accumulators > 0.0) {
    return sums <= device.matmul_fit.accumulator_share * accumulators && operands <= shared;
  }
  return sums + operands <= shared;
}

}  // namespace

GemmTileSet gemm_tiles_of(const Device& device) {
  GemmTileSet set = 0;
  GemmTileSet smallest = GemmTileSet{1} << (gemm_tiles.size() - 1);
  for (std::size_t i = 0; i < gemm_tiles.size(); ++i) {
    if (whole(gemm_tiles[i], device.matrix_unit)) {
      smallest = GemmTileSet{1} << i;
      set |= fits(gemm_tiles[i], device) ? smallest : 0U;
    }
  }
  return set != 0 ? set : smallest;
}

GemmTile largest_gemm_tile(const Device& device) {
  return gemm_tiles[static_cast<std::size_t>(std::countr_zero(gemm_tiles_of(device)))];
}

}  // namespace scalesweep::technology
