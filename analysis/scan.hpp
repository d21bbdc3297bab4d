// One pass over a study, slice by slice: the frontier, the best row of every combination of axes,
// how many rows ended in which status, and a thinned cloud of feasible points.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "analysis/layout.hpp"
#include "analysis/thinning.hpp"
#include "core/id_range.hpp"
#include "store/reader.hpp"

namespace scalesweep::analysis {

struct BestRow {
  double better = std::numeric_limits<double>::infinity();
  PointId id = -1;
  std::int64_t row = -1;  // of the study; -1: nothing feasible
};

struct Scan {
  explicit Scan(Grid cells) : grid(std::move(cells)) {}

  Grid grid;                           // panels, then the axis along which the study is read
  std::vector<BestRow> best;           // by cell of the grid
  std::vector<std::int64_t> statuses;  // rows by cell and status, status fastest
  std::vector<std::int64_t> frontier;  // rows of the study, ascending in workload, then id
  std::vector<std::int64_t> cloud;     // rows of the study
  std::int64_t feasible_rows = 0;
  std::int64_t without_objective = 0;  // feasible rows left out of the frontier: NaN objectives
};

Scan scan_study(const store::StudyReader& reader, const StudyLayout& layout);

}  // namespace scalesweep::analysis
