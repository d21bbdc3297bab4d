// The k best rows of each group. Knows rows and ids only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace scalesweep::reduce {

// For each group the k rows with the smallest objective, ties to the smaller id, as indices in
// ascending order of id. Rows with a NaN objective are never kept.
//
// `group` names the group of each row by any integer; all spans have the same length. k >= 1.
// Associative: the best of the union of the bests of parts are the best of the whole.
std::vector<std::size_t> best_per_group(std::span<const double> objective,
                                        std::span<const std::int64_t> group,
                                        std::span<const std::int64_t> ids, std::size_t k);

// One integer per row for groups of several columns: rows have the same number exactly if all
// `keys` agree. Numbers are dense from 0 in the order of first appearance, so they serve one call
// of best_per_group and are not to be compared between tables. `keys` may be empty: one group.
std::vector<std::int64_t> group_numbers(std::span<const std::span<const std::int64_t>> keys,
                                        std::size_t rows);

}  // namespace scalesweep::reduce
