// Which columns an estimate has, kind by kind, and how a row of them is filled.
#pragma once

#include "estimator/inference/inference.hpp"
#include "estimator/inference/service/serving.hpp"
#include "estimator/training/training.hpp"
#include "study/columns/column_row.hpp"
#include "study/columns/schema.hpp"

namespace scalesweep::study {

EstimateColumns training_columns();
EstimateColumns inference_columns();
EstimateColumns serving_columns();

// Of a service with a load curve, behind its figures.
store::Schema day_columns();

Status status_of(const estimator::ServingEstimate& estimate);

// How near an estimate that is not ok came to it (nearest_figure).
double nearest_of(const estimator::TrainingEstimate& estimate, const JobFigures& job);
double nearest_of(const estimator::InferenceEstimate& estimate, const JobFigures& job);
double nearest_of(const estimator::ServingEstimate& estimate, const JobFigures& job);

// A figure that EstimateColumns::bounded says is bounded, of what an estimate is at least.
double bounded_figure(const estimator::TrainingEstimate& least, const JobFigures& job,
                      std::size_t figure);
double bounded_figure(const estimator::InferenceEstimate& least, const JobFigures& job,
                      std::size_t figure);
double bounded_figure(const estimator::ServingEstimate& least, const JobFigures& job,
                      std::size_t figure);

// Replace what the row holds.
void fill_row(EstimateRow& row, const estimator::TrainingEstimate& estimate, const JobFigures& job);
void fill_row(EstimateRow& row, const estimator::InferenceEstimate& estimate,
              const JobFigures& job);
void fill_row(EstimateRow& row, const estimator::ServingEstimate& estimate, const JobFigures& job);
void add_day(EstimateRow& row, const estimator::ServingEstimate& estimate, const JobFigures& job);

}  // namespace scalesweep::study
