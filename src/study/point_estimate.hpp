// One point estimated, whatever the kind of its workload: the only place that calls the estimators.
#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "catalog/catalog.hpp"
#include "estimator/inference/inference.hpp"
#include "estimator/inference/serving.hpp"
#include "estimator/training/training.hpp"
#include "space/spec/spec.hpp"
#include "study/columns/estimate_columns.hpp"
#include "study/columns/schema.hpp"
#include "technology/device.hpp"

namespace scalesweep::study {

// By WorkloadKind.
using Job = std::variant<estimator::TrainingJob, estimator::InferenceJob, estimator::ServingJob>;

// Tokens of a step, or that come out of a batch; 0 of serving.
double tokens_of(const Job& job);
// The formats that need a matrix unit: of the operands of its linear layers, and of activations.
std::array<technology::Precision, 2> multiplied_formats(const Job& job);

// A job on a system, ready for one strategy after the other.
class PointEstimator {
 public:
  PointEstimator(Job job, const technology::System& system);

  // What becomes of the point; the estimate is kept for what follows.
  Status estimate(const parallel::Strategy& strategy);
  // Of two points, the better one has less.
  double rank() const;
  // Why the last estimate does not fit or misses its limits, a sentence; "" otherwise.
  std::string reason() const;
  // Fills a row from the last estimate, with figures of `operators` of the strategy if there are
  // any.
  void fill(EstimateRow& row, const JobFigures& figures,
            const std::vector<OperatorName>& operators) const;

 private:
  struct Training {
    estimator::TrainingEstimator estimator;
    estimator::TrainingEstimate last;
  };
  struct Inference {
    estimator::InferenceEstimator estimator;
    estimator::InferenceJob job;
    technology::System system;
    parallel::Strategy strategy;
    estimator::InferenceEstimate last;
  };
  struct Serving {
    estimator::ServingJob job;
    technology::System system;
    estimator::ServingEstimate last;
  };
  using State = std::variant<Training, Inference, Serving>;

  static State make_state(Job job, const technology::System& system);
  static Status run(Training& state, const parallel::Strategy& strategy);
  static Status run(Inference& state, const parallel::Strategy& strategy);
  static Status run(Serving& state, const parallel::Strategy& strategy);

  State state_;
};

// Operators of layers and heads of the models of a study, of prompts and of next tokens, each once,
// that get columns of their own.
std::vector<OperatorName> operator_names(const space::Spec& spec, const catalog::Catalog& catalog);

}  // namespace scalesweep::study
