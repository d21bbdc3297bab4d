#include "reduce/frontier/kernels.hpp"

#include <algorithm>
#include <array>

#include "core/contracts.hpp"

// One version of a function for each kind of vector unit, chosen when the program starts. The
// sanitizers cannot run the code that chooses.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SCALESWEEP_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SCALESWEEP_VECTOR_CLONES
#endif

namespace scalesweep::reduce {
namespace {

// mask[j] keeps its bits where values[j] <= limit and loses them elsewhere.
SCALESWEEP_VECTOR_CLONES
void keep_at_most(const double* __restrict values, double limit, std::size_t count,
                  std::int64_t* __restrict mask) {
  for (std::size_t j = 0; j < count; ++j) {
    mask[j] &= values[j] <= limit ? std::int64_t{-1} : std::int64_t{0};
  }
}

SCALESWEEP_VECTOR_CLONES
void keep_at_least(const double* __restrict values, double limit, std::size_t count,
                   std::int64_t* __restrict mask) {
  for (std::size_t j = 0; j < count; ++j) {
    mask[j] &= values[j] >= limit ? std::int64_t{-1} : std::int64_t{0};
  }
}

SCALESWEEP_VECTOR_CLONES
void start_above(const double* __restrict values, double limit, std::size_t count,
                 std::int64_t* __restrict mask) {
  for (std::size_t j = 0; j < count; ++j) {
    mask[j] = values[j] > limit ? std::int64_t{-1} : std::int64_t{0};
  }
}

SCALESWEEP_VECTOR_CLONES
void add_mask(const std::int64_t* __restrict mask, std::size_t count,
              std::int64_t* __restrict into) {
  for (std::size_t j = 0; j < count; ++j) {
    into[j] |= mask[j];
  }
}

SCALESWEEP_VECTOR_CLONES
std::int64_t union_of(const std::int64_t* mask, std::size_t count) {
  std::int64_t any = 0;
  for (std::size_t j = 0; j < count; ++j) {
    any |= mask[j];
  }
  return any;
}

SCALESWEEP_VECTOR_CLONES
void add_nan(const double* __restrict values, std::size_t count, std::int64_t* __restrict into) {
  for (std::size_t j = 0; j < count; ++j) {
    into[j] |= values[j] != values[j] ? std::int64_t{-1} : std::int64_t{0};
  }
}

}  // namespace

bool any_covers(std::span<const double* const> columns, std::size_t count,
                std::span<const double> point) {
  constexpr std::size_t step = 128;
  std::array<std::int64_t, step> mask;
  for (std::size_t first = 0; first < count; first += step) {
    const std::size_t rows = std::min(step, count - first);
    std::fill_n(mask.begin(), rows, std::int64_t{-1});
    for (std::size_t i = 0; i < columns.size(); ++i) {
      keep_at_most(columns[i] + first, point[i], rows, mask.data());
    }
    if (union_of(mask.data(), rows) != 0) {
      return true;
    }
  }
  return false;
}

void mark_dominated(std::span<const double* const> columns, const double* sums, std::size_t count,
                    std::span<const double> point, double sum, std::int64_t* dead) {
  SCALESWEEP_EXPECT(count <= tile_rows);
  std::array<std::int64_t, tile_rows> mask;
  start_above(sums, sum, count, mask.data());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    keep_at_least(columns[i], point[i], count, mask.data());
  }
  add_mask(mask.data(), count, dead);
}

void mark_nan(const double* column, std::size_t count, std::int64_t* dead) {
  add_nan(column, count, dead);
}

}  // namespace scalesweep::reduce
