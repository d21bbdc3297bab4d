// Pareto frontiers over columns, all objectives minimised. Knows rows and ids only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reduce/frontier/objectives.hpp"

namespace scalesweep::reduce {

// The rows that no other row dominates (not worse anywhere, better somewhere), as indices in
// ascending order of id. Of rows equal in all objectives the one with the smallest id stays. A row
// with a NaN objective is never on the frontier; infinities are compared like any number, and -0
// equals 0. To maximise an objective, give its negative.
//
// `objectives` holds 1 to max_columns columns of equal length n; `ids` has n distinct ids. Exact:
// O(n log n) for up to three objectives, O(n (log n)^(d - 2)) for d beyond.
//
// Associative: the frontier of the union of the frontiers of parts is the frontier of the whole.
std::vector<std::size_t> pareto_frontier(std::span<const std::span<const double>> objectives,
                                         std::span<const std::int64_t> ids);

// Non-dominated sorting (N. Srinivas and K. Deb, Evolutionary Computation 2 (1994) 221): rank 1 is
// the frontier, rank 2 the frontier of what is left without it, and so on to rank `most`. Of rows
// equal in all objectives the one with the smallest id has the rank. 0: no rank, because the row is
// behind the last one asked for, has a NaN, or equals a row with a smaller id.
//
// Associative: the ranks 1 ... k of the whole are those of the union of the ranks 1 ... k of parts.
std::vector<std::int32_t> dominance_ranks(std::span<const std::span<const double>> objectives,
                                          std::span<const std::int64_t> ids, std::int32_t most);

}  // namespace scalesweep::reduce
