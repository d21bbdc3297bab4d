// [allocate]: the shares of a budget that a point stands for, found among candidates. Finding those
// of later rounds takes as long as computing the rows of the earlier ones: once per combination of
// the other axes that a range touches there.
#pragma once

#include <optional>

#include "space/run.hpp"
#include "store/read/table.hpp"
#include "study/evaluate/row_appender.hpp"
#include "study/resolve/allocate.hpp"

namespace scalesweep::study {

class AllocatedShares {
 public:
  // Of a plan with an allocation.
  explicit AllocatedShares(const EvaluationPlan& plan);

  // `rows` evaluates the candidates.
  technology::Shares of(const space::Run& run, RowAppender& rows);

 private:
  // The smallest of all strategies that fit, pass the filters and meet the requirements.
  double objective(const space::Run& run, const technology::Shares& shares, RowAppender& rows);

  const EvaluationPlan& plan_;
  AllocationSearch shares_;
  std::optional<Search> search_;
  std::optional<Combination> candidate_;  // the last one
  store::Table candidate_rows_;           // of the one that is being evaluated
};

}  // namespace scalesweep::study
