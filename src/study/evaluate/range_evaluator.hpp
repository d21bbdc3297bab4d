// From a range of ids to rows: the inner loop of a run.
#pragma once

#include <memory>
#include <vector>

#include "engine/run.hpp"
#include "study/evaluate/evaluation_plan.hpp"
#include "study/evaluate/ranges.hpp"

namespace scalesweep::study {

class RangeEvaluator {
 public:
  explicit RangeEvaluator(std::shared_ptr<const EvaluationPlan> plan);

  // Appends one row per id, in order (only feasible rows unless the policy keeps all; where counts
  // are bounded, only of points that can be kept), counts every id by status, of all and group by
  // group, and lowers best_objective. With [search], all ids that differ in searched axes alone are
  // searched together, whichever of them are asked for.
  void evaluate(IdRange ids, engine::RangeResult& result);
  // Drops the rows that the policy does not keep.
  void reduce(engine::RangeResult& result) const;

  // The system of the ids of a run.
  SystemChoice system(const space::Run& run) { return *rows_.combination(run).system; }
  // Of each requirement, whether this point meets it.
  std::vector<bool> requirements_met(PointId id) { return rows_.requirements_met(id); }

 private:
  std::shared_ptr<const EvaluationPlan> plan_;
  PointRows rows_;
  OutcomeTally outcomes_;
  std::unique_ptr<Ranges> ranges_;
};

}  // namespace scalesweep::study
