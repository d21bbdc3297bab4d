#include "study/evaluate.hpp"

#include <algorithm>
#include <limits>

#include "core/contracts.hpp"

namespace scalesweep::study {
namespace {

// A policy that reduces over the whole study reduces its own rows already when there are so many:
// memory stays bounded whatever the length of a lease.
constexpr std::size_t rows_before_reduction = 100'000;

}  // namespace

RangeEvaluator::RangeEvaluator(std::shared_ptr<const EvaluationPlan> plan)
    : plan_(std::move(plan)), filters_(plan_->space.make_filters()) {}

RangeEvaluator::Combination& RangeEvaluator::combination(
    const std::vector<std::int32_t>& axis_index) {
  if (last_ && last_->axis_index == axis_index) {
    return *last_;
  }
  const Resolver& resolver = plan_->resolver;
  Combination next;
  next.axis_index = axis_index;
  next.system = resolver.system(axis_index);
  estimator::TrainingJob job = resolver.job(axis_index);
  next.figures.tokens_per_step =
      static_cast<double>(job.sequence) * static_cast<double>(job.global_batch);
  next.figures.accelerators = resolver.accelerators(axis_index);
  if (next.system.system) {
    const technology::Device& device = next.system.system->device;
    next.figures.memory_capacity_bytes = device.dram.capacity.si();
    next.figures.clock_hz = device.clock.si();
    next.figures.ownership = next.system.ownership;
    next.figures.shares = next.system.shares;
    next.estimator.emplace(std::move(job), *next.system.system);
  }
  last_ = std::move(next);
  return *last_;
}

void RangeEvaluator::append_run(const space::Run& run, IdRange ids, RowWriter& writer,
                                store::Counts& counts) {
  Combination& shared = combination(run.axis_index);
  const bool keeps_all = plan_->keep.keeps_all();
  std::size_t appended = 0;
  for (PointId id = ids.first; id < ids.last; ++id) {
    const auto index = static_cast<std::size_t>(run.first_strategy + (id - run.ids.first));
    const parallel::Strategy& strategy = run.strategies[index];
    Status status = shared.system.status;
    if (!filters_.passes(run, index)) {
      status = Status::filtered;
    }
    if (has_estimate(status)) {
      const estimator::TrainingEstimate estimate = (*shared.estimator)(strategy);
      status = status_of(estimate);
      if (keeps_all || status == Status::ok) {
        writer.append_estimate(id, strategy, estimate, shared.figures);
        ++appended;
      }
    } else if (keeps_all) {
      writer.append_rejected(id, strategy, status);
      ++appended;
    }
    ++counts[index_of(status)];
  }
  writer.append_coordinates(run.axis_index, appended);
}

void RangeEvaluator::evaluate(IdRange ids, engine::RangeResult& result) {
  SCALESWEEP_EXPECT(ids.first >= 0 && ids.last <= plan_->space.size());
  SCALESWEEP_EXPECT(result.counts.size() == status_count);
  const std::size_t rows_before = result.rows.rows();
  RowWriter writer(result.rows, plan_->schema, plan_->space.axes().size());
  for (PointId id = ids.first; id < ids.last;) {
    const space::Run run = plan_->space.run_at(id);
    const PointId end = std::min(run.ids.last, ids.last);
    append_run(run, {id, end}, writer, result.counts);
    id = end;
  }
  result.best_objective =
      std::min(result.best_objective, plan_->keep.best_objective(result.rows, rows_before));
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
