#include "technology/gemm_tiles.hpp"

#include <bit>

namespace scalesweep::technology {
namespace {

constexpr double sum_bytes = 4.0;
constexpr double step_bytes = 64.0;  // of one row or column of operands, along K
constexpr double buffers = 2.0;

// Units are powers of two, but of few devices: those need no division.
bool divides(int unit, double size) {
  const auto whole = static_cast<unsigned>(size);
  const auto part = static_cast<unsigned>(unit);
  return std::has_single_bit(part) ? (whole & (part - 1)) == 0 : whole % part == 0;
}

bool whole(const GemmTile& tile, const MatrixUnit& unit) {
  return divides(unit.rows, tile.m) && divides(unit.columns, tile.n);
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
