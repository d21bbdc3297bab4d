// The ways in which a range of ids becomes rows: every point is estimated, lower bounds prune most
// of them, or [search] looks at some devices.
#pragma once

#include <memory>

#include "engine/run.hpp"
#include "study/evaluate/point_rows.hpp"

namespace scalesweep::study {

// How many points have each status, of all and group by group.
class OutcomeTally {
 public:
  explicit OutcomeTally(const EvaluationPlan& plan) : counter_(plan.outcomes) {}

  void add(const space::Run& run, const StatusTally& tally, engine::RangeResult& result);
  void move_to(engine::RangeResult& result) { counter_.move_to(result.outcomes); }

 private:
  OutcomeCounter counter_;
};

class Ranges {
 public:
  virtual ~Ranges() = default;
  // As RangeEvaluator::evaluate() says.
  virtual void append(IdRange ids, engine::RangeResult& result) = 0;
};

// As the plan of `rows` asks. `rows` and `outcomes` outlive it.
std::unique_ptr<Ranges> make_ranges(PointRows& rows, OutcomeTally& outcomes);
// Of a study with [search].
std::unique_ptr<Ranges> searched_ranges(PointRows& rows, OutcomeTally& outcomes);

}  // namespace scalesweep::study
