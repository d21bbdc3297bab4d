// What turns points of a run into rows, for whoever needs rows to find out more (allocated_shares).
#pragma once

#include <optional>
#include <vector>

#include "space/run.hpp"
#include "store/read/table.hpp"
#include "study/evaluate/combination.hpp"
#include "study/evaluate/evaluation_plan.hpp"
#include "study/rows/keep_filter.hpp"

namespace scalesweep::study {

inline RowWriter writer_of(store::Table& rows, const EvaluationPlan& plan) {
  return {rows, plan.schema, plan.space.axes().size()};
}
// In the group that the run is in.
inline RunSearch search_in(Search& search, const space::Run& run, const EvaluationPlan& plan) {
  return {search.objectives(), run.axis_index, plan.phases, search.group_at(run.axis_index)};
}

class RowAppender {
 public:
  virtual ~RowAppender() = default;

  // `before`: the last one of its kind, whose memo may be used.
  virtual Combination combine(const std::vector<std::int32_t>& axis_index,
                              const technology::Shares& allocated,
                              const std::optional<Combination>& before) = 0;
  virtual void append(const space::Run& run, IdRange ids, Combination& shared, Rows rows,
                      RowWriter& writer, StatusTally& tally, RunSearch* search,
                      KeepFilter* sieve) = 0;
  // The same of a study with requirements: rows that miss one have their status, or are left out.
  // `writer` is that of `to`.
  virtual void append_judged(const space::Run& run, IdRange ids, Combination& shared, Rows rows,
                             store::Table& to, RowWriter& writer, StatusTally& tally) = 0;
};

}  // namespace scalesweep::study
