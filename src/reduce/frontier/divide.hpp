// The frontier of many objectives by divide and conquer. Private to src/reduce.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace scalesweep::reduce {

// Of distinct points in lexicographic order, none with a NaN: which ones no other dominates, in
// ascending order. `columns` are 3 or more of equal length. H. T. Kung, F. Luccio and F. P.
// Preparata, "On finding the maxima of a set of vectors", J. ACM 22 (1975) 469; the marriage of two
// halves as in J. L. Bentley, "Multidimensional divide-and-conquer", Comm. ACM 23 (1980) 214:
// O(n (log n)^(d - 2)), compared pair by pair where that is faster.
std::vector<std::uint32_t> frontier_by_division(std::span<const std::vector<double>> columns);

}  // namespace scalesweep::reduce
