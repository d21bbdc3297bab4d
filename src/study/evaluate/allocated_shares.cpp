#include "study/evaluate/allocated_shares.hpp"

#include "core/contracts.hpp"

namespace scalesweep::study {

AllocatedShares::AllocatedShares(const EvaluationPlan& plan)
    : plan_(plan),
      shares_(*plan.allocation),
      search_(plan.allocation_search),
      candidate_rows_(plan.schema) {
  SCALESWEEP_EXPECT(plan_.space.axes().back().name == "allocation");
}

double AllocatedShares::objective(const space::Run& run, const technology::Shares& shares,
                                  RowAppender& rows) {
  candidate_ = rows.combine(run.axis_index, shares, candidate_);
  candidate_rows_.clear();
  RowWriter writer = writer_of(candidate_rows_, plan_);
  StatusTally tally(plan_.statuses);
  if (search_) {
    search_->forget();
    RunSearch search = search_in(*search_, run, plan_);
    rows.append(run, run.ids, *candidate_, Rows::feasible, writer, tally, &search, nullptr);
  } else {
    rows.append_judged(run, run.ids, *candidate_, Rows::feasible, candidate_rows_, writer, tally);
  }
  return plan_.allocation_objective->best_objective(candidate_rows_, 0);
}

technology::Shares AllocatedShares::of(const space::Run& run, RowAppender& rows) {
  // The candidates of a combination stand one after the other, each with the same strategies.
  const auto own = static_cast<std::int64_t>(run.axis_index.back());
  const auto value = [&](std::int64_t candidate, const technology::Shares& shares) {
    space::Run other = run;
    const std::int64_t shift = (candidate - own) * run.ids.size();
    other.ids = {run.ids.first + shift, run.ids.last + shift};
    other.axis_index.back() = static_cast<std::int32_t>(candidate);
    return objective(other, shares, rows);
  };
  return shares_.shares(std::span(run.axis_index).first(run.axis_index.size() - 1), own, value);
}

}  // namespace scalesweep::study
