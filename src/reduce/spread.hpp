// How the members of a frontier lie: which one is at its knee, how far neighbours are apart, and
// which few stand for all of them in a picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reduce/frontier/pareto.hpp"

namespace scalesweep::reduce {

using Columns = std::vector<std::vector<double>>;

// Objectives from 0, the best that a row has, to 1, the worst; all minimised. On a logarithmic
// scale where all values are positive or all negative, so that factors count; on a linear one else.
// What is infinite is at 0 or 1, and an objective in which all rows are equal is 0. No NaN.
Columns normalised(std::span<const std::span<const double>> objectives);

// The functions below take what normalised gives.

// The row at the greatest distance, on the side of the best, from the plane through the worst of
// each axis alone (1 there, 0 on the others): the one with the smallest sum. Of two objectives that
// is the line through the ends of the frontier, and the knee that of I. Das, "On characterizing the
// 'knee' of the Pareto curve based on normal-boundary intersection", Structural Optimization 18
// (1999) 107. Of more, rows that are best in one objective may span no plane, or one that a
// dominated row lies farthest from; this one they always span. Ties to the smaller id. Nothing for
// fewer than three rows or where all objectives but one are constant.
std::optional<std::size_t> knee(const Columns& columns, std::span<const std::int64_t> ids);

// The sum over objectives of the distance between the two neighbours of a row. K. Deb, A. Pratap,
// S. Agarwal and T. Meyarivan, IEEE Trans. Evol. Comput. 6 (2002) 182; at the ends the distance to
// the one neighbour counts twice, instead of infinity. 0 for a single row.
std::vector<double> crowding(const Columns& columns);

struct ThinnedRows {
  std::vector<std::size_t> rows;  // ascending in id
  double epsilon = 0.0;           // 0: all rows are there
};

// At most `most` rows such that each row is within epsilon of one of them: for every row there is
// one that is worse by at most epsilon in every normalised objective (M. Laumanns et al.,
// "Combining convergence and diversity in evolutionary multiobjective optimization", Evolutionary
// Computation 10 (2002) 263). Rows best in an objective, and the knee, are always there; `most` is
// at least 2 more than there are objectives. Epsilon is the smallest found by bisection.
ThinnedRows thinned(const Columns& columns, std::span<const std::int64_t> ids, std::size_t most);

}  // namespace scalesweep::reduce
