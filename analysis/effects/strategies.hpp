// What other strategies than the best would have come to, from the rows of the study: a given
// strategy in a given combination, and the best of those that share one field.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "analysis/file/study_layout.hpp"
#include "analysis/selection/selection.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// One value for each of StudyLayout::compared.
using StrategyValues = std::vector<std::int64_t>;

struct WantedStrategy {
  std::size_t cell = 0;  // of the grid
  StrategyValues strategy;
};

// The best feasible row of a strategy in a cell (a searched axis may give it several); where none
// is feasible, the first that the file has.
struct FoundStrategy {
  std::int64_t row = -1;     // of the study; -1: not in the file
  std::int64_t status = -1;  // of that row; 0 is feasible
  std::int64_t id = -1;
  double better = std::numeric_limits<double>::quiet_NaN();
};

// The least of StudyLayout::time.better with a field at each of its values.
struct FieldBests {
  std::string field;
  std::vector<std::int64_t> values;         // ascending
  std::vector<std::vector<double>> better;  // by value and cell; NaN: nothing feasible
};

struct StrategyScan {
  std::vector<FoundStrategy> found;  // by wanted strategy
  std::vector<FieldBests> fields;    // those of StudyLayout::strategy that vary
};

// Goes through the study once.
StrategyScan scan_strategies(const store::StudyReader& reader, const StudyLayout& layout,
                             const Selection& selection, const Grid& grid,
                             const std::vector<WantedStrategy>& wanted);

}  // namespace scalesweep::analysis
