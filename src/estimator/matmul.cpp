#include "estimator/matmul.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace scalesweep::estimator {
namespace {

struct Tile {
  double m, n;
};

// What vendor libraries ship for 16-bit operands; rectangular ones serve skinny products.
constexpr std::array<Tile, 13> tiles = {{{256, 128},
                                         {128, 256},
                                         {128, 128},
                                         {256, 64},
                                         {64, 256},
                                         {128, 64},
                                         {64, 128},
                                         {64, 64},
                                         {128, 32},
                                         {32, 128},
                                         {64, 32},
                                         {32, 64},
                                         {32, 32}}};

// Filling and draining a tile's pipeline costs as much as this many steps along K: about one DRAM
// latency (0.6 us) at the rate a core works through a 128 x 128 tile.
constexpr double pipeline_fill_k = 64.0;

// Rows and columns of C that all cores work on at once, walked in blocks so that the operands
// they share are read from DRAM once: the tile of the L2 level.
Tile wave_tile(const Tile& tile, double tiles_m, double tiles_n, double cores) {
  const double square = std::sqrt(cores * tile.n / tile.m);  // columns of tiles fewer than rows
  const double rows = std::clamp(square, 1.0, tiles_m);
  const double columns = std::clamp(cores / rows, 1.0, tiles_n);
  return {rows * tile.m, columns * tile.n};
}

// Cores of a cluster read what they share from L2 once (multicast): together they hold one tile.
Tile cluster_tile(const Tile& tile, double tiles_m, double tiles_n, double cluster) {
  double rows = 1.0;
  double columns = 1.0;
  while (rows * columns * 2.0 <= cluster) {
    const bool grow_rows = rows * tile.m <= columns * tile.n;
    (grow_rows ? rows : columns) *= 2.0;
  }
  return {std::min(rows, tiles_m) * tile.m, std::min(columns, tiles_n) * tile.n};
}

// Bytes that a level with tile (m, n) of C reads to stream K once per tile row and column
// (output stationary): w [ceil(N/n) M K + ceil(M/m) K N].
double operand_traffic(const workload::MatMul& op, const Tile& tile) {
  return op.batch * op.input_bytes *
         (std::ceil(op.n / tile.n) * op.m * op.k + std::ceil(op.m / tile.m) * op.k * op.n);
}

struct Levels {
  double compute_s, shared_s, l2_s, dram_s;
  double dram_bytes, l2_bytes;
  double longest() const { return std::max(std::max(compute_s, shared_s), std::max(l2_s, dram_s)); }
};

Levels level_times(const workload::MatMul& op, const Rates& rates, const Tile& tile, double split) {
  const double tiles_m = std::ceil(op.m / tile.m);
  const double tiles_n = std::ceil(op.n / tile.n);
  const double blocks = tiles_m * tiles_n * op.batch * split;
  const double waves = std::ceil(blocks / rates.cores);
  const double k = std::ceil(op.k / split) + pipeline_fill_k;

  Levels level{};
  const double tile_flop = 2.0 * tile.m * tile.n * k;
  level.compute_s = waves * tile_flop * rates.cores / rates.tensor_flop_per_s;
  const double tile_bytes = op.input_bytes * (tile.m + tile.n) * k;
  level.shared_s = waves * tile_bytes * rates.cores / rates.shared_bytes_per_s;

  // C is written once, read as well where it accumulates; partial sums of split K pass through L2.
  const double output = op.batch * op.m * op.n * op.output_bytes * (op.accumulates ? 2.0 : 1.0);
  const double partial = split > 1.0 ? 2.0 * split * op.batch * op.m * op.n * 4.0 : 0.0;
  level.l2_bytes =
      operand_traffic(op, cluster_tile(tile, tiles_m, tiles_n, rates.cluster)) + output + partial;
  level.l2_s = level.l2_bytes / rates.l2_bytes_per_s;

  const double a_bytes = op.input_bytes * op.m * op.k;
  const double b_bytes = op.input_bytes * op.k * op.n;
  const double compulsory = op.batch * (a_bytes + b_bytes);
  const bool one_fits = std::min(a_bytes, b_bytes) <= 0.5 * rates.l2_capacity_bytes;
  const Tile wave = wave_tile(tile, tiles_m, tiles_n, rates.cores / split);
  const double streamed = one_fits ? compulsory : std::max(compulsory, operand_traffic(op, wave));
  level.dram_bytes = streamed + output;
  level.dram_s = level.dram_bytes / rates.dram_bytes_per_s;
  return level;
}

Resource bound_of(const Levels& level) {
  const double longest = level.longest();
  if (level.compute_s == longest) {
    return Resource::tensor_compute;
  }
  if (level.dram_s == longest) {
    return Resource::dram;
  }
  return level.l2_s == longest ? Resource::l2 : Resource::shared_memory;
}

}  // namespace

MatMulCost matmul_cost(const workload::MatMul& op, const Rates& rates) {
  MatMulCost best;
  double best_s = std::numeric_limits<double>::infinity();
  Levels best_levels{};
  for (const Tile& tile : tiles) {
    const double blocks = std::ceil(op.m / tile.m) * std::ceil(op.n / tile.n) * op.batch;
    for (double split = 1.0; split <= 16.0; split *= 2.0) {
      const Levels level = level_times(op, rates, tile, split);
      const double longest = level.longest();
      if (longest < best_s) {
        best_s = longest;
        best_levels = level;
        best.tiling = {static_cast<int>(tile.m), static_cast<int>(tile.n), static_cast<int>(split)};
      }
      // Splitting K only pays while cores are idle and there is depth left to split.
      if (blocks * split >= rates.cores || op.k / split < 256.0) {
        break;
      }
    }
  }
  best.bound = bound_of(best_levels);
  best.cost.time = Charges::of(best.bound, best_s);
  best.cost.time += Charges::of(Resource::latency, rates.latency_s);
  best.cost.work.tensor_flop = op.flop();
  best.cost.work.dram_bytes = best_levels.dram_bytes;
  best.cost.work.l2_bytes = best_levels.l2_bytes;
  return best;
}

}  // namespace scalesweep::estimator
