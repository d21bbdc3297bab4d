// Pareto frontiers over columns, all objectives minimised. Knows rows and ids only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace scalesweep::reduce {

constexpr std::size_t max_objectives = 8;

// The rows that no other row dominates (not worse anywhere, better somewhere), as indices in
// ascending order of id. Of rows equal in all objectives the one with the smallest id stays. A row
// with a NaN objective is never on the frontier; infinities are compared like any number.
//
// `objectives` holds 1 to 8 columns of equal length n; `ids` has n distinct ids. Exact:
// O(n log n) for up to three objectives, and O(n log n + n f) beyond, f rows on the frontier.
//
// Associative: the frontier of the union of the frontiers of parts is the frontier of the whole.
std::vector<std::size_t> pareto_frontier(std::span<const std::span<const double>> objectives,
                                         std::span<const std::int64_t> ids);

}  // namespace scalesweep::reduce
