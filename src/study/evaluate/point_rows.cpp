#include "study/evaluate/point_rows.hpp"

#include <utility>

#include "study/evaluate/job_figures.hpp"

namespace scalesweep::study {
namespace {

// Points whose system cannot be built.
struct NoSystem {
  static constexpr std::span<const KindStatus> statuses = {};
  Status status;

  Status estimate(const parallel::Strategy& /*strategy*/, Rows /*rows*/) const { return status; }
  double nearest(const JobFigures& /*figures*/) const { return unknown_distance; }
  void fill(EstimateRow& /*row*/, const JobFigures& /*figures*/) const {}
};

}  // namespace

PointRows::PointRows(std::shared_ptr<const EvaluationPlan> plan)
    : plan_(std::move(plan)),
      filters_(plan_->space.make_filters()),
      systems_(plan_->resolver),
      found_rows_(plan_->schema),
      found_writer_(writer_of(found_rows_, *plan_)) {
  if (!plan_->requirements.empty()) {
    judge_.emplace(plan_->requirements, plan_->schema, plan_->space.axes().size(),
                   plan_->not_asked);
  }
  if (plan_->allocation) {
    allocated_.emplace(*plan_);
  }
}

Combination PointRows::combine(const std::vector<std::int32_t>& axis_index,
                               const technology::Shares& allocated,
                               const std::optional<Combination>& before) {
  const Resolver& resolver = plan_->resolver;
  Combination next;
  next.axis_index = axis_index;
  Job job = resolver.job(axis_index);
  next.system = systems_.at(axis_index, job, allocated);
  next.figures = figures_of(job, *next.system, resolver.accelerators(axis_index));
  if (next.system->system) {
    next.estimator = plan_->kind.estimator(std::move(job), *next.system, plan_->operators,
                                           before ? before->estimator.get() : nullptr);
  }
  return next;
}

Combination& PointRows::combination(const space::Run& run) {
  if (!last_ || last_->axis_index != run.axis_index) {
    const technology::Shares shares =
        allocated_ ? allocated_->of(run, *this) : technology::Shares{};
    last_ = combine(run.axis_index, shares, last_);
  }
  return *last_;
}

void PointRows::append(const space::Run& run, IdRange ids, Combination& shared, Rows rows,
                       RowWriter& writer, StatusTally& tally, RunSearch* search,
                       KeepFilter* sieve) {
  RequirementCheck* const judge = search != nullptr && judge_ ? &*judge_ : nullptr;
  const RunRows of_run = {run,  ids,   rows,   shared.figures, filters_, writer,
                          row_, tally, search, sieve,          judge};
  NoSystem none = {shared.system->status};
  const std::size_t appended =
      shared.estimator ? shared.estimator->append_rows(of_run) : append_rows(none, of_run);
  writer.append_coordinates(run.axis_index, appended);
}

void PointRows::append_judged(const space::Run& run, IdRange ids, Combination& shared, Rows rows,
                              store::Table& to, RowWriter& writer, StatusTally& tally) {
  if (plan_->requirements.empty()) {
    append(run, ids, shared, rows, writer, tally);
    return;
  }
  found_rows_.clear();
  append(run, ids, shared, rows, found_writer_, tally);
  plan_->requirements.judge(found_rows_, tally);
  if (rows == Rows::all) {
    to.append(found_rows_);
    return;
  }
  for (const std::size_t row : plan_->requirements.met(found_rows_)) {
    to.append_row(found_rows_, row);
  }
}

void PointRows::append_found(const space::Run& run, IdRange ids, store::Table& to,
                             StatusTally& tally, RunSearch& search) {
  found_rows_.clear();
  append(run, ids, combination(run), Rows::feasible, found_writer_, tally, &search);
  if (found_rows_.rows() == 0) {
    return;
  }
  for (const std::size_t row : plan_->keep.select(found_rows_)) {
    to.append_row(found_rows_, row);
  }
}

std::vector<bool> PointRows::requirements_met(PointId id) {
  const space::Run run = plan_->space.run_at(id);
  Combination& shared = combination(run);  // which may look for its shares among found rows
  found_rows_.clear();
  StatusTally tally(plan_->statuses);
  append(run, {id, id + 1}, shared, Rows::all, found_writer_, tally);
  return plan_->requirements.each_met(found_rows_);
}

}  // namespace scalesweep::study
