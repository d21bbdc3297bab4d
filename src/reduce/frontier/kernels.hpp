// Comparisons of one point with many: loops over columns, laid out so that a compiler turns them
// into vector instructions. Private to src/reduce.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace scalesweep::reduce {

// Rows compared at once; columns of this many values stay in the nearest cache.
constexpr std::size_t tile_rows = 1024;

// Whether one of the first `count` rows is nowhere worse than the point: columns[i][row] <=
// point[i] for every i. `columns` and `point` have as many entries.
bool any_covers(std::span<const double* const> columns, std::size_t count,
                std::span<const double> point);

// Sets dead[row] to all ones where the point is nowhere worse than the row and its sum is smaller,
// so that the two differ; leaves it otherwise. At most tile_rows rows.
void mark_dominated(std::span<const double* const> columns, const double* sums, std::size_t count,
                    std::span<const double> point, double sum, std::int64_t* dead);

// Sets dead[row] to all ones where a value is NaN; leaves it otherwise.
void mark_nan(const double* column, std::size_t count, std::int64_t* dead);

}  // namespace scalesweep::reduce
