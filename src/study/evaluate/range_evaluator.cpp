#include "study/evaluate/range_evaluator.hpp"

#include <algorithm>
#include <utility>

#include "core/contracts.hpp"

namespace scalesweep::study {
namespace {

// A policy that reduces over the whole study reduces its own rows already when there are so many:
// memory stays bounded whatever the length of a lease.
constexpr std::size_t rows_before_reduction = 100'000;

}  // namespace

RangeEvaluator::RangeEvaluator(std::shared_ptr<const EvaluationPlan> plan)
    : plan_(std::move(plan)),
      rows_(plan_),
      outcomes_(*plan_),
      ranges_(make_ranges(rows_, outcomes_)) {}

void RangeEvaluator::evaluate(IdRange ids, engine::RangeResult& result) {
  SCALESWEEP_EXPECT(ids.first >= 0 && ids.last <= plan_->space.size());
  SCALESWEEP_EXPECT(result.counts.size() >= plan_->statuses);
  const std::size_t rows_before = result.rows.rows();
  ranges_->append(ids, result);
  outcomes_.move_to(result);
  result.best_objective =
      std::min(result.best_objective, plan_->keep.best_objective(result.rows, rows_before));
  if (!plan_->sieve) {
    plan_->distributions.add(result.rows, rows_before, plan_->statuses, result.counts);
  }
  if (plan_->keep.is_global() && result.rows.rows() > rows_before_reduction) {
    reduce(result);
  }
}

void RangeEvaluator::reduce(engine::RangeResult& result) const {
  if (plan_->keep.is_global()) {
    result.rows.select(plan_->keep.select(result.rows));
  }
}

}  // namespace scalesweep::study
