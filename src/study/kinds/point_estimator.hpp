// A job on a system, estimated for one strategy after the other, whatever its kind.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "core/id_range.hpp"
#include "space/filter.hpp"
#include "space/run.hpp"
#include "store/read/table.hpp"
#include "study/columns/column_row.hpp"
#include "study/columns/outcome_counts.hpp"
#include "study/columns/schema.hpp"
#include "technology/derive/envelope.hpp"

namespace scalesweep::study {

// What is appended of the ids of a run.
enum class Rows { feasible, all };

struct RunSearch;
class KeepFilter;
class RequirementCheck;

// Ids of a run, and where their rows go.
struct RunRows {
  const space::Run& run;
  IdRange ids;
  Rows rows;
  const JobFigures& figures;
  space::FilterSet& filters;
  RowWriter& writer;
  EstimateRow& row;  // the last one
  StatusTally& tally;
  // Of feasible rows, those that may stay alone are asked for; null: all are.
  RunSearch* search = nullptr;
  // Of those, which rows may stay; null: all.
  KeepFilter* sieve = nullptr;
  // What rows that are searched for must meet; null: nothing.
  RequirementCheck* judge = nullptr;

  // Into the strategies of the run.
  std::size_t place_of(PointId id) const {
    return static_cast<std::size_t>(run.first_strategy + (id - run.ids.first));
  }
  void count(Status status) const { ++tally.counts[index_of(status)]; }
  // Of a point that has an estimate and is not ok.
  void record_shortfall(Status status, double distance) const {
    double& nearest = tally.nearest[index_of(status)];
    nearest = std::fmin(nearest, distance);
  }
};

// What strategies take at least on every system of an envelope, of whose fastest one the estimator
// is; the figures are such that no system has better ones.
struct EnvelopeRun {
  std::span<const parallel::Strategy> strategies;
  const technology::Envelope& envelope;
  const JobFigures& figures;
  const RunSearch& search;
};

struct Outcome {
  Status status = Status::ok;
  bool estimated = true;  // false: there is nothing but the status
};

class PointEstimator {
 public:
  virtual ~PointEstimator() = default;

  // How many rows there are now more, without their coordinates. Many points a call: nothing in its
  // loop depends on the kind.
  virtual std::size_t append_rows(const RunRows& to) = 0;

  // The least of all strategies in each objective, as it is minimised; infinity where none fits.
  virtual void least_within(const EnvelopeRun& of, std::span<double> least) = 0;

  // What becomes of one point; the estimate is kept for what follows.
  virtual Outcome estimate(const parallel::Strategy& strategy) = 0;
  // Of two points, the better one has less.
  virtual double rank() const = 0;
  // Why the last estimate does not fit or misses its limits, a sentence; "" otherwise.
  virtual std::string reason() const = 0;
};

// Of strategies[index]. A kind of work may know of one among many what they share.
template <typename Work>
Status estimate_of(Work& work, std::span<const parallel::Strategy> strategies, std::size_t index,
                   Rows rows) {
  if constexpr (requires { work.estimate(strategies, index, rows); }) {
    return work.estimate(strategies, index, rows);
  } else {
    return work.estimate(strategies[index], rows);
  }
}

// Whether a policy may keep the last row.
bool can_be_kept(const RunRows& to);

// `Work` has statuses (a span of KindStatus), what estimate_of() asks for, and of the last estimate
// fill(row, figures), which replaces what the row holds, and nearest(figures): where it is
// not ok, how near it came (nearest_figure), NaN where no column says. Where only feasible rows are
// asked for, an estimate that is not ok needs no more than nearest() reads.
template <typename Work>
std::size_t append_rows(Work& work, const RunRows& to) {
  std::size_t appended = 0;
  for (PointId id = to.ids.first; id < to.ids.last; ++id) {
    const std::size_t index = to.place_of(id);
    const parallel::Strategy& strategy = to.run.strategies[index];
    const Status status = to.filters.passes(to.run, index)
                              ? estimate_of(work, to.run.strategies, index, to.rows)
                              : Status::filtered;
    if (has_estimate(status, Work::statuses)) {
      if (to.rows == Rows::all || status == Status::ok) {
        work.fill(to.row, to.figures);
        if (can_be_kept(to)) {
          to.writer.append_estimate(id, strategy, to.row);
          ++appended;
        }
      }
      if (status != Status::ok) {
        to.record_shortfall(status, work.nearest(to.figures));
      }
    } else if (to.rows == Rows::all) {
      to.writer.append_rejected(id, strategy, status);
      ++appended;
    }
    to.count(status);
  }
  return appended;
}

}  // namespace scalesweep::study
