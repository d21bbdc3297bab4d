// From a range of ids to rows: the inner loop of a run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/run.hpp"
#include "estimator/training.hpp"
#include "space/space.hpp"
#include "study/keep.hpp"
#include "study/resolve.hpp"
#include "study/schema.hpp"

namespace scalesweep::study {

// What evaluation needs of a study; shared by all evaluators and never changed by them.
struct EvaluationPlan {
  space::Space space;
  Resolver resolver;
  store::Schema schema;
  KeepRule keep;
};

// Builds the system once per run of ids that share it and the estimator's memo with it; the last
// one is kept, because leases come in order.
class RangeEvaluator {
 public:
  explicit RangeEvaluator(std::shared_ptr<const EvaluationPlan> plan);

  // Appends one row per id, in order (only feasible rows unless the policy keeps all), counts every
  // id by status, and lowers best_objective.
  void evaluate(IdRange ids, engine::RangeResult& result);
  // Drops the rows that the policy does not keep.
  void reduce(engine::RangeResult& result) const;

 private:
  // What ids with the same axis indices share.
  struct Combination {
    std::vector<std::int32_t> axis_index;
    SystemChoice system;
    std::optional<estimator::TrainingEstimator> estimator;
    JobFigures figures;
  };

  Combination& combination(const std::vector<std::int32_t>& axis_index);
  void append_run(const space::Run& run, IdRange ids, RowWriter& writer, store::Counts& counts);

  std::shared_ptr<const EvaluationPlan> plan_;
  space::FilterSet filters_;
  std::optional<Combination> last_;
};

}  // namespace scalesweep::study
