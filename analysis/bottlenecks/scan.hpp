// One pass over a study, chunk by chunk and by several threads: the frontiers, the best row of
// every combination of axes, how many rows ended in which status, and a thinned cloud of feasible
// points.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "analysis/file/study_layout.hpp"
#include "analysis/frontier/result.hpp"
#include "core/id_range.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

struct BestRow {
  double better = std::numeric_limits<double>::infinity();
  PointId id = -1;
  std::int64_t row = -1;  // of the study; -1: nothing feasible
};

inline constexpr std::size_t most_tied = 64;  // of a cell

struct Scan {
  explicit Scan(Grid cells) : grid(std::move(cells)) {}

  Grid grid;                  // panels, then the axis along which the study is read
  std::vector<BestRow> best;  // by cell of the grid
  // Rows of the study within `tie` of the best of their cell, itself left out: of more than
  // most_tied the nearest. Empty where the file does not keep them.
  std::vector<std::vector<std::int64_t>> tied;
  bool keeps_ties = true;
  std::vector<std::int64_t> statuses;  // rows, or all points, by cell and status, status fastest
  std::vector<std::int64_t> frontier;  // rows of the study, ascending in group, then id
  std::vector<std::string> per;        // columns that tell groups apart
  FrontierResult frontiers;            // what is known of them, in the same order; notes
  std::vector<std::int64_t> cloud;     // rows of the study
  std::int64_t feasible_rows = 0;      // of those below
  std::int64_t rows = 0;               // where the condition holds
};

// Rows for which the condition of the request does not hold are as if they were not in the study.
// Throws as find_frontier does.
Scan scan_study(const store::StudyReader& reader, const StudyLayout& layout,
                const FrontierRequest& request);

}  // namespace scalesweep::analysis
