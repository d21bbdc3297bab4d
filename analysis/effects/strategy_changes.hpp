// Where, along one axis, the best strategy changes, and what keeping the old one would cost.
#pragma once

#include <vector>

#include "analysis/bottlenecks/result.hpp"
#include "analysis/bottlenecks/steps.hpp"
#include "analysis/effects/strategies.hpp"
#include "analysis/file/study_layout.hpp"

namespace scalesweep::analysis {

// A step between different strategies, and the old one at the new value.
struct StrategyStep {
  Step step;
  WantedStrategy kept;
};

// By field and row of the best table.
std::vector<std::vector<std::int64_t>> strategies_of(const StudyLayout& layout,
                                                     const ResultTable& best);

// `cells` by value along the paths: the cell of the grid that is scanned.
std::vector<StrategyStep> strategy_steps(const StudyLayout& layout, const ResultTable& best,
                                         const std::vector<Path>& paths,
                                         const std::vector<std::size_t>& cells);

// The best strategy of the first value at which something is feasible, along all values: for every
// cell, wanted where the path has such a value.
std::vector<WantedStrategy> held_strategies(const StudyLayout& layout, const ResultTable& best,
                                            const std::vector<Path>& paths,
                                            const std::vector<std::size_t>& cells);

// Names of a status, "not_in_file" after those of the study.
std::vector<std::string> kept_status_names(const StudyLayout& layout);

}  // namespace scalesweep::analysis
