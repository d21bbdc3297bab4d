// What evaluates ids: injected, so that the engine knows no estimator.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/id_range.hpp"
#include "store/read/study_file.hpp"

namespace scalesweep::engine {

// The rows of a range of ids and how many ids ended in which status, of all and group by group.
struct RangeResult {
  store::Table rows;
  store::Counts counts;
  // Smallest first objective among feasible rows, the negative of one that is maximised; infinity
  // if there are none.
  double best_objective = 0.0;
  store::Outcomes outcomes = {};
  // Ids that were counted and not estimated, because they could not stay. How many depends on how
  // ids are dealt out: it is told, and never stored.
  std::int64_t skipped = 0;
};

// Injected: one per rank, called from one thread. `evaluate` is called with ranges inside one
// lease, in order; `reduce` is called on the rows of a whole lease before they are written.
struct Evaluator {
  std::function<void(IdRange, RangeResult&)> evaluate;  // appends rows, adds counts and outcomes
  std::function<void(RangeResult&)> reduce;  // may drop rows that the policy does not keep
  std::optional<store::RowSelector> select;  // over the whole study, at the end
  // So many ids are evaluated at once, whichever of them are asked for: leases and segments are of
  // whole multiples. 1: each alone.
  std::int64_t together = 1;
};

// Leases begin and end at multiples of this.
inline std::int64_t chunk_ids(const store::StudyDescription& study, const Evaluator& evaluator) {
  return (study.chunk_rows + evaluator.together - 1) / evaluator.together * evaluator.together;
}

}  // namespace scalesweep::engine
