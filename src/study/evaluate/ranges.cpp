#include "study/evaluate/ranges.hpp"

#include <algorithm>
#include <functional>

namespace scalesweep::study {

void OutcomeTally::add(const space::Run& run, const StatusTally& tally,
                       engine::RangeResult& result) {
  std::transform(tally.counts.begin(), tally.counts.end(), result.counts.begin(),
                 result.counts.begin(), std::plus<>());
  counter_.add(run.axis_index, tally);
}

namespace {

// Run by run, each counted by status.
class RunByRun : public Ranges {
 public:
  RunByRun(PointRows& rows, OutcomeTally& outcomes)
      : rows_(rows), plan_(rows.plan()), outcomes_(outcomes) {}

  void append(IdRange ids, engine::RangeResult& result) override {
    RowWriter writer = writer_of(result.rows, plan_);
    StatusTally tally(plan_.statuses);
    for (PointId id = ids.first; id < ids.last;) {
      const space::Run run = plan_.space.run_at(id);
      const PointId end = std::min(run.ids.last, ids.last);
      tally.clear();
      append_run(run, {id, end}, writer, tally, result);
      outcomes_.add(run, tally, result);
      id = end;
    }
  }

 protected:
  // `writer` is that of the rows of `result`.
  virtual void append_run(const space::Run& run, IdRange ids, RowWriter& writer, StatusTally& tally,
                          engine::RangeResult& result) = 0;

  PointRows& rows_;
  const EvaluationPlan& plan_;

 private:
  OutcomeTally& outcomes_;
};

class EstimatedRanges final : public RunByRun {
 public:
  using RunByRun::RunByRun;

 private:
  void append_run(const space::Run& run, IdRange ids, RowWriter& writer, StatusTally& tally,
                  engine::RangeResult& result) override {
    const Rows kept = plan_.keep.keeps_all() ? Rows::all : Rows::feasible;
    rows_.append_judged(run, ids, rows_.combination(run), kept, result.rows, writer, tally);
  }
};

// Of the estimates that are ok, the rows that can be kept; all are counted.
class SievedRanges final : public RunByRun {
 public:
  SievedRanges(PointRows& rows, OutcomeTally& outcomes)
      : RunByRun(rows, outcomes), search_(*rows.plan().sieve) {}

 private:
  void append_run(const space::Run& run, IdRange ids, RowWriter& writer, StatusTally& tally,
                  engine::RangeResult& result) override {
    KeepFilter sieve(search_in(search_, run, plan_), plan_.distributions, plan_.statuses,
                     result.counts);
    rows_.append(run, ids, rows_.combination(run), Rows::feasible, writer, tally, nullptr, &sieve);
  }

  Search search_;
};

class BoundedRanges final : public RunByRun {
 public:
  BoundedRanges(PointRows& rows, OutcomeTally& outcomes)
      : RunByRun(rows, outcomes), search_(*rows.plan().search) {}

 private:
  void append_run(const space::Run& run, IdRange ids, RowWriter& /*writer*/, StatusTally& tally,
                  engine::RangeResult& result) override {
    RunSearch search = search_in(search_, run, plan_);
    rows_.append_found(run, ids, result.rows, tally, search);
    result.skipped += search.skipped;
  }

  Search search_;
};

}  // namespace

std::unique_ptr<Ranges> make_ranges(PointRows& rows, OutcomeTally& outcomes) {
  const EvaluationPlan& plan = rows.plan();
  if (plan.grid_search) {
    return searched_ranges(rows, outcomes);
  }
  if (plan.search) {
    return std::make_unique<BoundedRanges>(rows, outcomes);
  }
  if (plan.sieve) {
    return std::make_unique<SievedRanges>(rows, outcomes);
  }
  return std::make_unique<EstimatedRanges>(rows, outcomes);
}

}  // namespace scalesweep::study
