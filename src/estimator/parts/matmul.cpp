#include "estimator/parts/matmul.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "estimator/parts/mixed_hash.hpp"

namespace scalesweep::estimator {
namespace {

using technology::Precision;

using technology::gemm_tiles;
using technology::GemmTileSet;
using Tile = technology::GemmTile;

// Four-bit operands with block scales: tiles of 128 rows and columns at least, 256 in one of the
// two, K never split, and no tile is multiplied while the one before is stored (measured on B200
// and GB200); of libraries whose kernels are persistent, of all sizes, and stored beside the math.
constexpr GemmTileSet block_scaled_tiles() {
  GemmTileSet set = 0;
  for (std::size_t i = 0; i < gemm_tiles.size(); ++i) {
    const Tile& tile = gemm_tiles[i];
    const bool shipped = std::min(tile.m, tile.n) == 128.0 && std::max(tile.m, tile.n) == 256.0;
    set |= shipped ? GemmTileSet{1} << i : 0U;
  }
  return set;
}

struct Library {
  GemmTileSet tiles;
  bool splits_k;
  bool stores_beside_math = true;
};

Library library_of(const Rates& rates) {
  constexpr GemmTileSet shipped = block_scaled_tiles();
  const technology::MatMulFit& fit = rates.matmul_fit;
  const GemmTileSet blocks = rates.tiles & shipped;
  const bool as_measured =
      technology::has_four_bits(rates.precision) && blocks != 0 && !fit.persistent_four_bits;
  return as_measured ? Library{blocks, false, false} : Library{rates.tiles, fit.splits_depth};
}

// What one operand of a GEMM takes and what must move at least.
struct Footprint {
  double a_bytes, b_bytes, output_bytes;
  double compulsory() const { return a_bytes + b_bytes; }
};

bool converts_weights(const workload::MatMul& op) {
  return op.weight_bytes > 0.0 && op.weight_bytes < op.input_bytes;
}

Footprint footprint_of(const workload::MatMul& op) {
  const double weight_bytes = op.weight_bytes > 0.0 ? op.weight_bytes : op.input_bytes;
  return {op.batch * op.input_bytes * op.m * op.k, op.batch * weight_bytes * op.k * op.n,
          op.batch * op.output_bytes * op.m * op.n * (op.accumulates ? 2.0 : 1.0)};
}

// Fraction of the traffic to DRAM that an isolated kernel saves.
double reused_fraction(const Footprint& bytes, const Rates& rates) {
  const technology::MatMulFit& fit = rates.matmul_fit;
  if (rates.reusable_l2_bytes <= 0.0) {
    return rates.kept_share;
  }
  const double cycled = bytes.a_bytes + fit.weight_copies * bytes.b_bytes + bytes.output_bytes;
  return technology::found_again(cycled / rates.reusable_l2_bytes, fit);
}

// Rows and columns of C that all cores work on at once, walked in blocks so that the operands
// they share are read from DRAM once: the tile of the L2 level.
Tile wave_tile(const Tile& tile, double tiles_m, double tiles_n, double cores) {
  const double square = std::sqrt(cores * tile.n / tile.m);  // columns of tiles fewer than rows
  const double first = std::clamp(square, 1.0, tiles_m);
  const double columns = std::clamp(cores / first, 1.0, tiles_n);
  const double rows = std::clamp(cores / columns, 1.0, tiles_m);
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

// Bytes that go from core to core where memory lies in the cores: one operand stays where it is
// multiplied, the other comes to it.
double moved_traffic(const workload::MatMul& op, const Footprint& bytes, const Tile& tile) {
  return std::min(whole_above(op.n / tile.n) * bytes.a_bytes,
                  whole_above(op.m / tile.m) * bytes.b_bytes);
}

// Bytes that a level with tile (m, n) of C reads to stream K once per tile row and column
// (output stationary): w [ceil(N/n) M K + ceil(M/m) K N].
double operand_traffic(const workload::MatMul& op, const Footprint& bytes, const Tile& tile) {
  return whole_above(op.n / tile.n) * bytes.a_bytes + whole_above(op.m / tile.m) * bytes.b_bytes;
}

double cube(double x) {
  return x * x * x;
}

// One candidate: what each level takes, and what is added to their combination.
struct Candidate {
  Tile tile{};
  double tiles_m = 1.0, tiles_n = 1.0;  // of C
  double split = 1.0;
  double tensor_s = 0.0, shared_s = 0.0, convert_s = 0.0, l2_s = 0.0, dram_s = 0.0;
  double store_s = 0.0, latency_s = 0.0;
  double dram_bytes = 0.0, l2_bytes = 0.0;

  double on_chip_s() const { return std::max({tensor_s, shared_s, convert_s}); }
  double cubes() const { return cube(on_chip_s()) + cube(l2_s) + cube(dram_s); }
  double added_s() const { return store_s + latency_s; }
};

Candidate candidate_of(const workload::MatMul& op, const Tile& tile) {
  Candidate c;
  c.tile = tile;
  c.tiles_m = whole_above(op.m / tile.m);
  c.tiles_n = whole_above(op.n / tile.n);
  return c;
}

// Multiply-adds that a systolic array could do while a wave of operands passes through all of it
// (Kung, "Why systolic architectures?", IEEE Computer 15(1), 1982). Of tensor cores next to
// nothing.
double unit_fill(const technology::MatrixUnit& unit) {
  return static_cast<double>(unit.depth + unit.columns) * unit.depth * unit.columns;
}

constexpr double fill_tile = 128.0 * 128.0;  // elements of C

// Vector operations for each element of C and step of K where sums leave the matrix units to be
// scaled: a multiply-add after so many steps (promotion on CUDA cores, DeepSeek-V3,
// arXiv:2412.19437, section 3.3.2).
double scaling_flop(const workload::MatMul& op, const Rates& rates) {
  return op.scaled_depth > 0.0 && !rates.scales_blocks ? 2.0 / op.scaled_depth : 0.0;
}

// What a core multiplies along K of one part of it.
double padded_depth(const workload::MatMul& op, double split, const Rates& rates) {
  return whole_steps(whole_above(op.k / split), rates.matrix_unit.depth);
}

constexpr std::size_t k_splits = 5;  // 1 to 16

// What cores take of one tile, all alike: for each step of K, and once.
struct TileTime {
  double multiply_s = 0.0, operands_s = 0.0, vector_s = 0.0;  // a step
  double fill_s = 0.0;                                        // once

  double tensor_s(double depth) const { return multiply_s * depth + fill_s; }
};

// What every tile of a GEMM is computed from.
struct CoreTime {
  double multiply_s = 0.0;                // one multiply-add on every core
  double element_s = 0.0;                 // one element of an operand into every core
  double convert_s = 0.0;                 // one element of the weights, where they are converted
  double scale_s = 0.0;                   // one element of C and step of K, where sums are scaled
  double filled = 0.0;                    // multiply-adds of the unit's own pipeline
  std::array<double, k_splits> depths{};  // of 1, 2, 4, ... parts of K

  CoreTime(const workload::MatMul& op, const Rates& rates)
      : multiply_s(2.0 * rates.cores / rates.tensor_flop_per_s),
        element_s(op.input_bytes * rates.cores /
                  (rates.matmul_fit.operand_share * rates.shared_bytes_per_s)),
        convert_s(converts_weights(op)
                      ? rates.matmul_fit.conversion_flop * rates.cores / rates.vector_flop_per_s
                      : 0.0),
        scale_s(scaling_flop(op, rates) * rates.cores / rates.vector_flop_per_s),
        filled(unit_fill(rates.matrix_unit)) {
    double split = 1.0;
    for (double& depth : depths) {
      depth = padded_depth(op, split, rates);
      split *= 2.0;
    }
  }

  TileTime of(const Tile& tile, const workload::MatMul& op,
              const technology::MatMulFit& fit) const {
    const double area = std::max(tile.area(), fit.least_tile);
    const double columns = std::min(tile.n, op.n);
    const double once = fit.pipeline_fill * std::min(area, fill_tile) + filled;
    return {multiply_s * area, element_s * (std::min(tile.m, op.m) + columns),
            convert_s * columns + scale_s * tile.area(), multiply_s * once};
  }
};

// What memory takes of all candidates alike.
struct Memory {
  const Footprint& bytes;
  double reused = 0.0;  // fraction of the operands and of C that is not moved to or from DRAM
  bool stores_beside_math = true;
  bool reads_once = false;  // from DRAM, whatever the tiles
  double once_bytes = 0.0;  // of DRAM beside the math, then

  Memory(const Footprint& of, bool stores_beside, const Rates& rates)
      : bytes(of), reused(reused_fraction(of, rates)), stores_beside_math(stores_beside) {
    const bool one_fits = std::min(bytes.a_bytes, bytes.b_bytes) <=
                          rates.matmul_fit.resident_share * rates.l2_capacity_bytes;
    // What cores that hold memory read again they read of their own.
    reads_once = one_fits || rates.memory_in_cores;
    once_bytes = beside_bytes(bytes.compulsory());
  }

  double beside_bytes(double read) const {
    const double beside = read - reused * bytes.compulsory();
    return stores_beside_math ? beside + (1.0 - reused) * bytes.output_bytes : beside;
  }
};

// Bytes of operands that pass L2.
double l2_operands(const workload::MatMul& op, const Candidate& c, const Footprint& bytes,
                   const Rates& rates) {
  const Tile cluster = cluster_tile(c.tile, c.tiles_m, c.tiles_n, rates.cluster);
  return rates.memory_in_cores ? moved_traffic(op, bytes, cluster)
                               : operand_traffic(op, bytes, cluster);
}

// C is written once, read as well where it accumulates; partial sums of split K pass through L2.
void fill_l2(Candidate& c, const workload::MatMul& op, const Footprint& bytes, double operands,
             const Rates& rates) {
  const double partial = c.split > 1.0 ? 2.0 * c.split * op.batch * op.m * op.n * 4.0 : 0.0;
  c.l2_bytes = operands + bytes.output_bytes + partial;
  c.l2_s = c.l2_bytes / rates.l2_bytes_per_s;
}

void fill_dram(Candidate& c, const workload::MatMul& op, const Memory& memory, const Rates& rates) {
  const Footprint& bytes = memory.bytes;
  double beside = memory.once_bytes;
  if (!memory.reads_once) {
    const double cores = std::max(rates.cores / c.split, 1.0);
    const Tile wave = wave_tile(c.tile, c.tiles_m, c.tiles_n, cores);
    beside = memory.beside_bytes(std::max(bytes.compulsory(), operand_traffic(op, bytes, wave)));
  }
  c.dram_bytes = beside;
  if (!memory.stores_beside_math) {
    c.store_s = bytes.output_bytes / rates.dram_bytes_per_s;
    c.dram_bytes += bytes.output_bytes;
  }
  c.dram_s = beside / rates.dram_bytes_per_s;
}

// What levels of memory take of any candidate at least: operands pass L2 once, and come from DRAM
// once where they were not in L2 before.
struct LeastMemory {
  double l2_cube = 0.0, dram_cube = 0.0, store_s = 0.0;

  LeastMemory(const Memory& memory, const Rates& rates) {
    const Footprint& bytes = memory.bytes;
    const double operands =
        rates.memory_in_cores ? std::min(bytes.a_bytes, bytes.b_bytes) : bytes.compulsory();
    l2_cube = cube((operands + bytes.output_bytes) / rates.l2_bytes_per_s);
    store_s = memory.stores_beside_math ? 0.0 : bytes.output_bytes / rates.dram_bytes_per_s;
    dram_cube = cube(memory.once_bytes / rates.dram_bytes_per_s);
  }

  // Whether a candidate that takes this on the cores, and adds this, may still be faster; `l2`: the
  // cube of what it takes of L2, or less. Rounded as Candidate is, so that none is left out that
  // is.
  bool may_beat(double on_chip_s, double l2, double latency_s, double best_s) const {
    const double room_s = best_s - (store_s + latency_s);
    return room_s > 0.0 && cube(on_chip_s) + l2 + dram_cube < cube(room_s);
  }
};

// Few rows are multiplied without the matrix units, whose smallest tiles they would leave all but
// empty: every core streams its columns of the weights through its vector units (the gemv kernels
// of vendor libraries), and what its threads have is summed by a second step.
Candidate by_rows(const workload::MatMul& op, const Footprint& bytes, const Rates& rates) {
  const technology::MatMulFit& fit = rates.matmul_fit;
  Candidate c = candidate_of(op, {op.m, fit.gemv_columns});
  c.convert_s = op.flop() / rates.vector_flop_per_s;
  c.latency_s = rates.split_latency_s;
  fill_l2(c, op, bytes, l2_operands(op, c, bytes, rates), rates);
  fill_dram(c, op, Memory(bytes, true, rates), rates);
  c.dram_s /= fit.gemv_stream_share;
  return c;
}

// The fastest candidate so far.
struct Search {
  const workload::MatMul& op;
  const Footprint& bytes;
  const Rates& rates;
  Library library = library_of(rates);
  Memory memory{bytes, library.stores_beside_math, rates};
  CoreTime cores{op, rates};
  LeastMemory least{memory, rates};
  double spread_s = cores.multiply_s / rates.cores;  // a multiply-add on any core
  Candidate best{};
  double best_s = std::numeric_limits<double>::infinity();

  void try_rows() {
    best = by_rows(op, bytes, rates);
    best_s = std::cbrt(best.cubes()) + best.added_s();
  }

  // Elements of C in whole tiles.
  double padded_area(const Tile& tile) const {
    return whole_above(op.m / tile.m) * whole_above(op.n / tile.n) *
           std::max(tile.area(), rates.matmul_fit.least_tile);
  }

  // What is multiplied at least of a padded area, however K is split: spread over all cores.
  double least_tensor_s(double area) const {
    constexpr double rounding = 1.0 - 1e-9;
    return rounding * area * op.batch * op.k * spread_s;
  }

  void try_tile(const Tile& tile, double area) {
    if (!least.may_beat(least_tensor_s(area), least.l2_cube, 0.0, best_s)) {
      return;
    }
    Candidate c = candidate_of(op, tile);
    const double operands = l2_operands(op, c, bytes, rates);
    fill_l2(c, op, bytes, operands, rates);
    // Split K adds to it.
    const double least_l2 = cube(c.l2_s);
    if (!least.may_beat(least_tensor_s(area), least_l2, 0.0, best_s)) {
      return;
    }
    const TileTime time = cores.of(tile, op, rates.matmul_fit);
    const double blocks = c.tiles_m * c.tiles_n * op.batch;
    for (const double depth : cores.depths) {
      const double parts = blocks * c.split;
      const double waves = parts <= rates.cores ? 1.0 : whole_above(parts / rates.cores);
      c.tensor_s = waves * time.tensor_s(depth);
      c.shared_s = waves * time.operands_s * depth;
      c.convert_s = waves * time.vector_s * depth;
      c.latency_s = c.split > 1.0 ? rates.split_latency_s : 0.0;
      if (least.may_beat(c.on_chip_s(), least_l2, c.latency_s, best_s)) {
        fill_l2(c, op, bytes, operands, rates);
        keep_if_faster(c);
      }
      // Splitting K only pays while cores are idle and there is depth left to split.
      if (!library.splits_k || parts >= rates.cores || op.k < 256.0 * c.split) {
        break;
      }
      c.split *= 2.0;
    }
  }

  void keep_if_faster(Candidate c) {
    if (!least.may_beat(c.on_chip_s(), cube(c.l2_s), c.latency_s, best_s)) {
      return;
    }
    fill_dram(c, op, memory, rates);
    const double room_s = best_s - c.added_s();
    const double cubes = c.cubes();
    if (room_s > 0.0 && cubes < cube(room_s)) {
      best_s = std::cbrt(cubes) + c.added_s();
      best = c;
    }
  }
};

// Whether libraries multiply few rows of such operands without the matrix units.
bool has_row_kernels(const workload::MatMul& op, const Rates& rates) {
  const double operand_bytes = std::min(op.input_bytes, technology::element_bytes(rates.precision));
  return rates.matmul_fit.gemv_rows >= 1.0 && operand_bytes >= rates.matmul_fit.gemv_bytes;
}

Candidate fastest(const workload::MatMul& op, const Footprint& bytes, const Rates& rates) {
  Search search{op, bytes, rates};
  if (op.m <= rates.matmul_fit.gemv_rows && has_row_kernels(op, rates)) {
    search.try_rows();
  }
  // First the tile that pads least, so that most of the others are left out unseen.
  std::array<double, gemm_tiles.size()> areas{};
  std::size_t first = gemm_tiles.size();
  for (std::size_t i = 0; i < gemm_tiles.size(); ++i) {
    if (technology::holds(search.library.tiles, i)) {
      areas[i] = search.padded_area(gemm_tiles[i]);
      first = first == gemm_tiles.size() || areas[i] < areas[first] ? i : first;
    }
  }
  if (first < gemm_tiles.size()) {
    search.try_tile(gemm_tiles[first], areas[first]);
  }
  for (std::size_t i = 0; i < gemm_tiles.size(); ++i) {
    if (i != first && technology::holds(search.library.tiles, i)) {
      search.try_tile(gemm_tiles[i], areas[i]);
    }
  }
  return search.best;
}

// A power limit that acts slowly: an isolated kernel feels it by 1 / (1 + (window / time)^2).
double limited_fraction(double time_s, const Rates& rates) {
  if (rates.limited_share >= 1.0) {
    return 0.0;
  }
  const double windows = rates.matmul_fit.power_window_s / time_s;
  return (1.0 / rates.limited_share - 1.0) / (1.0 + windows * windows);
}

Charges charges_of(const Candidate& c, const Rates& rates) {
  const double combined_s = std::cbrt(c.cubes());
  const double scale = 1.0 / (combined_s * combined_s);
  const Resource on_chip = c.convert_s > std::max(c.tensor_s, c.shared_s) ? Resource::vector_compute
                           : c.tensor_s >= c.shared_s                     ? Resource::tensor_compute
                                                                          : Resource::shared_memory;
  const double limited = limited_fraction(combined_s + c.added_s(), rates);
  Charges time = Charges::of(on_chip, cube(c.on_chip_s()) * scale * (1.0 + limited));
  time += Charges::of(Resource::l2, cube(c.l2_s) * scale);
  time += Charges::of(Resource::dram, cube(c.dram_s) * scale + c.store_s);
  return time;
}

}  // namespace

std::size_t MatMulHash::operator()(const workload::MatMul& op) const {
  std::size_t hash = 0;
  for (const double size : {op.m, op.n, op.k, op.batch}) {
    hash = mixed_size(hash, size);
  }
  return hash;
}

namespace {

MatMulCost cost_of(const workload::MatMul& op, const Rates& rates) {
  const Candidate best = fastest(op, footprint_of(op), rates);
  MatMulCost result;
  result.tiling = {static_cast<int>(best.tile.m), static_cast<int>(best.tile.n),
                   static_cast<int>(best.split)};
  result.cost.time = charges_of(best, rates);
  result.bound = dominant(result.cost.time);
  result.cost.time += Charges::of(Resource::latency, best.latency_s + rates.latency_s);
  result.cost.work[Amount::tensor_flop] = op.flop();
  result.cost.work[Amount::tensor_joules] = op.multiplied_flop() * rates.tensor_j_per_flop;
  if (converts_weights(op)) {
    result.cost.work[Amount::vector_flop] =
        rates.matmul_fit.conversion_flop * op.batch * op.n * op.k * whole_above(op.m / best.tile.m);
  }
  result.cost.work[Amount::vector_flop] += scaling_flop(op, rates) * op.batch * op.m * op.n * op.k;
  result.cost.work[Amount::dram_bytes] = best.dram_bytes;
  result.cost.work[Amount::l2_bytes] = best.l2_bytes;
  return result;
}

// Rows that are a mean over many passes are in some of them few enough for kernels without the
// matrix units, and one more in the others.
MatMulCost mean_cost_of(const workload::MatMul& op, const Rates& rates) {
  const double few = rates.matmul_fit.gemv_rows;
  const double more = op.m - few;
  if (more <= 0.0 || more >= 1.0 || !has_row_kernels(op, rates)) {
    return cost_of(op, rates);
  }
  workload::MatMul rows = op;
  rows.m = few + 1.0;
  MatMulCost result = cost_of(rows, rates);
  rows.m = few;
  result.cost = more * result.cost + (1.0 - more) * cost_of(rows, rates).cost;
  return result;
}

}  // namespace

// Copy engines, which came with clusters of cores, take aligned rows alone: of others a library has
// kernels of older devices, which load them by threads. Without such engines the two differ less:
// on A100 one measured GEMM is within a fifth of an aligned one.
MatMulCost matmul_cost(const workload::MatMul& op, const Rates& rates) {
  if (op.aligned || rates.cluster <= 1.0) {
    return mean_cost_of(op, rates);
  }
  Rates reached = rates;
  reached.tensor_flop_per_s *= rates.matmul_fit.unaligned_share;
  return mean_cost_of(op, reached);
}

Cost quantize_cost(double rows, double columns, const workload::RecipeRow& recipe,
                   const Rates& rates) {
  constexpr double read_bytes = 2.0;  // of an element in 16 bit
  const double written_bytes = technology::element_bytes(rates.precision) + recipe.scale_bytes +
                               recipe.activation_scale_bytes;
  Cost cost;
  cost.work[Amount::dram_bytes] =
      rows * columns * (recipe.serving.reads * read_bytes + written_bytes);
  cost.work[Amount::l2_bytes] = rates.streamed_l2_bytes(cost.work[Amount::dram_bytes]);
  cost.work[Amount::vector_flop] = 2.0 * rows * columns;
  cost.time = Charges::of(Resource::dram,
                          cost.work[Amount::dram_bytes] /
                              (rates.matmul_fit.quantize_stream_share * rates.dram_bytes_per_s));
  cost.time += Charges::of(Resource::latency, rates.quantize_latency_s);
  return cost;
}

}  // namespace scalesweep::estimator
