// Where, along one axis, the limit of the best strategy changes, and where the strategy does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/analyze.hpp"
#include "analysis/attribution.hpp"
#include "analysis/layout.hpp"

namespace scalesweep::analysis {

// The best points of one panel in the order of the axis; -1 in `rows` where nothing is feasible.
struct Path {
  std::vector<std::int32_t> panel;  // index into each panel axis
  std::vector<std::int64_t> rows;   // of the best table, by value of the axis
};

// `best_rows` by cell of `grid`, whose last axis is the one to go along.
std::vector<Path> paths_of(const Grid& grid, const std::vector<std::int64_t>& best_rows);

// Of every row of a table that has share_<resource> columns.
std::vector<Attribution> attributions(const ResultTable& table, const Resources& resources);

ResultTable transition_table(const StudyLayout& layout, const Resources& resources,
                             const ResultTable& best, const std::vector<Path>& paths);

ResultTable strategy_change_table(const StudyLayout& layout, const ResultTable& best,
                                  const std::vector<Path>& paths);

// "compute-bound from N12 to N5, network-bound from N3 on", one sentence for all panels that share
// it, and the gain from the first to the last value.
std::vector<std::string> findings_of(const StudyLayout& layout, const Resources& resources,
                                     const ResultTable& best, const std::vector<Path>& paths);

}  // namespace scalesweep::analysis
