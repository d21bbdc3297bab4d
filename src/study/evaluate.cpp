#include "study/evaluate.hpp"

#include <algorithm>
#include <functional>

#include "core/contracts.hpp"

namespace scalesweep::study {
namespace {

// A policy that reduces over the whole study reduces its own rows already when there are so many:
// memory stays bounded whatever the length of a lease.
constexpr std::size_t rows_before_reduction = 100'000;

// What becomes of every point that no system is there for.
struct NoSystem {
  static constexpr std::span<const KindStatus> statuses = {};
  Status status;

  Status estimate(const parallel::Strategy& /*strategy*/, Rows /*rows*/) const { return status; }
  double nearest(const JobFigures& /*figures*/) const { return unknown_distance; }
  void fill(EstimateRow& /*row*/, const JobFigures& /*figures*/) const {}
};

}  // namespace

RangeEvaluator::RangeEvaluator(std::shared_ptr<const EvaluationPlan> plan)
    : plan_(std::move(plan)),
      filters_(plan_->space.make_filters()),
      systems_(plan_->resolver),
      candidate_rows_(plan_->schema),
      search_(plan_->search),
      allocation_search_(plan_->allocation_search),
      sieve_(plan_->sieve),
      found_rows_(plan_->schema),
      found_writer_(writer_of(found_rows_)),
      counter_(plan_->outcomes) {
  if (!plan_->requirements.empty()) {
    judge_.emplace(plan_->requirements, plan_->schema, plan_->space.axes().size(),
                   plan_->not_asked);
  }
  if (plan_->allocation) {
    SCALESWEEP_EXPECT(plan_->space.axes().back().name == "allocation");
    allocation_.emplace(*plan_->allocation);
  }
}

RangeEvaluator::Combination RangeEvaluator::combine(const std::vector<std::int32_t>& axis_index,
                                                    const technology::Shares& allocated,
                                                    const std::optional<Combination>& before) {
  const Resolver& resolver = plan_->resolver;
  Combination next;
  next.axis_index = axis_index;
  Job job = resolver.job(axis_index);
  next.system = systems_.at(axis_index, job, allocated);
  const SystemChoice& system = *next.system;
  next.figures.tokens = job.tokens;
  next.figures.accelerators = resolver.accelerators(axis_index);
  if (system.system) {
    const technology::Device& device = system.system->device;
    next.figures.memory_capacity_bytes = device.dram.capacity.si();
    next.figures.tensor_peak_flop_per_s =
        technology::matrix_peak(device, job.multiplied.front()).si();
    next.figures.dram_bytes_per_s = device.dram.bandwidth.si();
    next.figures.scale_up_bytes_per_s = system.system->scale_up().bandwidth.si();
    next.figures.scale_out_bytes_per_s = system.system->scale_out().bandwidth.si();
    next.figures.clock_hz = device.clock.si();
    next.figures.ownership = system.ownership;
    next.figures.prefill_ownership =
        system.prefill_system ? system.prefill_ownership : system.ownership;
    if (system.asked) {
      next.figures.shares = system.asked->budget.shares;
    }
    next.estimator = plan_->kind.estimator(std::move(job), system, plan_->operators,
                                           before ? before->estimator.get() : nullptr);
  }
  return next;
}

RangeEvaluator::Combination& RangeEvaluator::combination(const space::Run& run) {
  if (!last_ || last_->axis_index != run.axis_index) {
    last_ = combine(run.axis_index, allocated_shares(run), last_);
  }
  return *last_;
}

// The smallest of all strategies that fit, pass the filters and meet the requirements.
double RangeEvaluator::allocation_objective(const space::Run& run,
                                            const technology::Shares& shares) {
  candidate_ = combine(run.axis_index, shares, candidate_);
  candidate_rows_.clear();
  RowWriter writer = writer_of(candidate_rows_);
  StatusTally tally(plan_->statuses);
  if (allocation_search_) {
    allocation_search_->forget();
    std::optional<RunSearch> search = run_search(allocation_search_, run);
    append_rows(run, run.ids, *candidate_, Rows::feasible, writer, tally, &*search);
  } else {
    append_judged(run, run.ids, *candidate_, Rows::feasible, candidate_rows_, writer, tally);
  }
  return plan_->allocation_objective->best_objective(candidate_rows_, 0);
}

technology::Shares RangeEvaluator::allocated_shares(const space::Run& run) {
  if (!allocation_) {
    return {};
  }
  // The candidates of a combination stand one after the other, each with the same strategies.
  const auto own = static_cast<std::int64_t>(run.axis_index.back());
  const auto objective = [&](std::int64_t candidate, const technology::Shares& shares) {
    space::Run other = run;
    const std::int64_t shift = (candidate - own) * run.ids.size();
    other.ids = {run.ids.first + shift, run.ids.last + shift};
    other.axis_index.back() = static_cast<std::int32_t>(candidate);
    return allocation_objective(other, shares);
  };
  return allocation_->shares(std::span(run.axis_index).first(run.axis_index.size() - 1), own,
                             objective);
}

SystemChoice RangeEvaluator::system(const space::Run& run) {
  return *combination(run).system;
}

std::vector<bool> RangeEvaluator::requirements_met(PointId id) {
  const space::Run run = plan_->space.run_at(id);
  Combination& shared = combination(run);  // which may look for its shares among found rows
  found_rows_.clear();
  StatusTally tally(plan_->statuses);
  append_rows(run, {id, id + 1}, shared, Rows::all, found_writer_, tally);
  return plan_->requirements.each_met(found_rows_);
}

RowWriter RangeEvaluator::writer_of(store::Table& rows) const {
  return {rows, plan_->schema, plan_->space.axes().size()};
}

void RangeEvaluator::append_rows(const space::Run& run, IdRange ids, Combination& shared, Rows rows,
                                 RowWriter& writer, StatusTally& tally, RunSearch* search,
                                 RowSieve* sieve) {
  RowJudge* const judge = search != nullptr && judge_ ? &*judge_ : nullptr;
  const RunRows of_run = {run,  ids,   rows,   shared.figures, filters_, writer,
                          row_, tally, search, sieve,          judge};
  NoSystem none = {shared.system->status};
  const std::size_t appended =
      shared.estimator ? shared.estimator->append_rows(of_run) : study::append_rows(none, of_run);
  writer.append_coordinates(run.axis_index, appended);
}

// The same of a study with requirements: rows that miss one have their status, or are left out.
void RangeEvaluator::append_judged(const space::Run& run, IdRange ids, Combination& shared,
                                   Rows rows, store::Table& to, RowWriter& writer,
                                   StatusTally& tally) {
  if (plan_->requirements.empty()) {
    append_rows(run, ids, shared, rows, writer, tally);
    return;
  }
  found_rows_.clear();
  append_rows(run, ids, shared, rows, found_writer_, tally);
  plan_->requirements.judge(found_rows_, tally);
  if (rows == Rows::all) {
    to.append(found_rows_);
    return;
  }
  for (const std::size_t row : plan_->requirements.met(found_rows_)) {
    to.append_row(found_rows_, row);
  }
}

std::optional<RunSearch> RangeEvaluator::run_search(std::optional<Search>& search,
                                                    const space::Run& run) const {
  if (!search) {
    return std::nullopt;
  }
  return RunSearch{search->objectives(), run.axis_index, plan_->phases,
                   search->group_at(run.axis_index)};
}

// Rows of a run in the order in which they are found, then those that stay by their ids.
void RangeEvaluator::append_found(const space::Run& run, IdRange ids, store::Table& to,
                                  StatusTally& tally, RunSearch& search) {
  found_rows_.clear();
  append_rows(run, ids, combination(run), Rows::feasible, found_writer_, tally, &search);
  if (found_rows_.rows() == 0) {
    return;
  }
  for (const std::size_t row : plan_->keep.select(found_rows_)) {
    to.append_row(found_rows_, row);
  }
}

// Of the estimates that are ok, the rows that may stay; all are counted.
void RangeEvaluator::append_sieved(const space::Run& run, IdRange ids, RowWriter& writer,
                                   StatusTally& tally, engine::RangeResult& result) {
  RowSieve sieve(*run_search(sieve_, run), plan_->distributions, plan_->statuses, result.counts);
  append_rows(run, ids, combination(run), Rows::feasible, writer, tally, nullptr, &sieve);
}

void RangeEvaluator::count(const space::Run& run, const StatusTally& tally,
                           engine::RangeResult& result) {
  std::transform(tally.counts.begin(), tally.counts.end(), result.counts.begin(),
                 result.counts.begin(), std::plus<>());
  counter_.add(run.axis_index, tally);
}

void RangeEvaluator::evaluate_runs(IdRange ids, engine::RangeResult& result) {
  RowWriter writer = writer_of(result.rows);
  const Rows rows = plan_->keep.keeps_all() ? Rows::all : Rows::feasible;
  StatusTally tally(plan_->statuses);
  for (PointId id = ids.first; id < ids.last;) {
    const space::Run run = plan_->space.run_at(id);
    const PointId end = std::min(run.ids.last, ids.last);
    tally.clear();
    if (std::optional<RunSearch> search = run_search(search_, run)) {
      append_found(run, {id, end}, result.rows, tally, *search);
      result.skipped += search->skipped;
    } else if (sieve_) {
      append_sieved(run, {id, end}, writer, tally, result);
    } else {
      append_judged(run, {id, end}, combination(run), rows, result.rows, writer, tally);
    }
    count(run, tally, result);
    id = end;
  }
}

void RangeEvaluator::evaluate(IdRange ids, engine::RangeResult& result) {
  SCALESWEEP_EXPECT(ids.first >= 0 && ids.last <= plan_->space.size());
  SCALESWEEP_EXPECT(result.counts.size() >= plan_->statuses);
  const std::size_t rows_before = result.rows.rows();
  if (plan_->grid_search) {
    evaluate_searched(ids, result);
  } else {
    evaluate_runs(ids, result);
  }
  counter_.move_to(result.outcomes);
  result.best_objective =
      std::min(result.best_objective, plan_->keep.best_objective(result.rows, rows_before));
  if (!sieve_) {
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
