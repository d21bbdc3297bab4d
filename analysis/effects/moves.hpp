// Along which axes the answers move: how often what limits the best point changes along an axis, or
// the best value of another axis does. That is what a study is worth reading along.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/bottlenecks/scan.hpp"
#include "analysis/bottlenecks/ties.hpp"
#include "analysis/file/study_layout.hpp"

namespace scalesweep::analysis {

struct AxisMoves {
  std::size_t axis = 0;      // of the layout
  std::int64_t lines = 0;    // combinations of the others with two feasible values or more
  std::int64_t moved = 0;    // of them, those along which the dominant group changes
  std::int64_t choices = 0;  // of the others that are built, one a question with two values or more
  std::int64_t changed = 0;  // of them, those whose best value changes along the axis
  double telling() const;    // mean of the two shares; of the one where there is no other
};

// Two axes, and in how many of the planes over them the dominant group changes along both.
struct PairMoves {
  std::size_t first = 0;  // of the layout
  std::size_t second = 0;
  std::int64_t planes = 0;
  std::int64_t moved = 0;
};

struct Moves {
  std::vector<AxisMoves> axes;   // of what is built, the most telling first
  std::vector<PairMoves> pairs;  // likewise; where shares are equal, of the more telling axes
};

// `groups` by cell of the grid of the scan: what leads in its best point or in one that ties; 0
// where nothing is feasible. It changes where no group leads all along. Of equal ones the preferred
// axis is the first, as where nothing moves. Time grows with the cells, times the pairs of axes.
Moves moves_of(const StudyLayout& layout, const Scan& scan, const std::vector<Leaders>& groups);

// The names of the pair that says most, the axis along which `layout` is read first if it is one of
// them; none where in no plane anything changes along both.
std::vector<std::string> telling_pair(const StudyLayout& layout, const Moves& moves);

// "Most moves along the power per accelerator: the bottleneck in 12 of 14 combinations, the best of
// what else is built in 3 of 6"; "" where nothing moves.
std::string moves_words(const StudyLayout& layout, const AxisMoves& moves);

}  // namespace scalesweep::analysis
