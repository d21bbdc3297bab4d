// Which columns an estimate has, kind by kind, and how a row of them is filled.
#pragma once

#include <cstddef>
#include <vector>

#include "estimator/diffusion/estimate.hpp"
#include "estimator/inference/estimate.hpp"
#include "estimator/recommendation/estimate.hpp"
#include "estimator/reinforcement/estimate.hpp"
#include "estimator/reuse/session_law.hpp"
#include "estimator/run/whole_run.hpp"
#include "estimator/training/estimate.hpp"
#include "study/columns/column_row.hpp"
#include "study/columns/schema.hpp"

namespace scalesweep::study {

EstimateColumns training_columns();
EstimateColumns inference_columns();
EstimateColumns serving_columns();
EstimateColumns recommendation_columns();
EstimateColumns diffusion_columns();
EstimateColumns reinforcement_columns();

// Of a service with a load curve, behind its figures; of one with sessions, in front of those.
store::Schema day_columns();
store::Schema session_columns();

Status status_of(const estimator::ServingEstimate& estimate);

// Of a whole run, behind the figures of a step; whether each is bounded as those are.
store::Schema run_columns();
std::vector<Bounded> bounded_run_columns();

// How near an estimate that is not ok came to it (nearest_figure).
double shortfall_of(const estimator::TrainingEstimate& estimate, const JobFigures& job);
double shortfall_of(const estimator::InferenceEstimate& estimate, const JobFigures& job);
double shortfall_of(const estimator::ServingEstimate& estimate, const JobFigures& job);
double shortfall_of(const estimator::RecommendationEstimate& estimate, const JobFigures& job);
double shortfall_of(const estimator::DiffusionEstimate& estimate, const JobFigures& job);
double shortfall_of(const estimator::ReinforcementEstimate& estimate, const JobFigures& job);

// A figure that EstimateColumns::bounded says is bounded, of what an estimate is at least.
double bounded_figure(const estimator::TrainingEstimate& least, const JobFigures& job,
                      std::size_t figure);
double bounded_figure(const estimator::InferenceEstimate& least, const JobFigures& job,
                      std::size_t figure);
double bounded_figure(const estimator::ServingEstimate& least, const JobFigures& job,
                      std::size_t figure);

// How many figures a step of training has: those of a whole run come behind them.
std::size_t step_figures();
// The same of one of run_columns().
double bounded_run_figure(const estimator::RunEstimate& run,
                          const estimator::TrainingEstimate& least, const JobFigures& job,
                          std::size_t figure);

// Replace what the row holds.
void fill_row(EstimateRow& row, const estimator::TrainingEstimate& estimate, const JobFigures& job);
void fill_row(EstimateRow& row, const estimator::InferenceEstimate& estimate,
              const JobFigures& job);
void fill_row(EstimateRow& row, const estimator::ServingEstimate& estimate, const JobFigures& job);
void fill_row(EstimateRow& row, const estimator::RecommendationEstimate& estimate,
              const JobFigures& job);
void fill_row(EstimateRow& row, const estimator::DiffusionEstimate& estimate,
              const JobFigures& job);
void fill_row(EstimateRow& row, const estimator::ReinforcementEstimate& estimate,
              const JobFigures& job);
// Of all its devices, those that stand by among them.
StepPrice price_of_run(const technology::Ownership& ownership, const estimator::RunEstimate& run);

// Behind those of the step.
void add_run(EstimateRow& row, const estimator::RunEstimate& run,
             const estimator::TrainingEstimate& step, const JobFigures& job);
void add_day(EstimateRow& row, const estimator::ServingEstimate& estimate, const JobFigures& job);
void add_sessions(EstimateRow& row, const estimator::ServingEstimate& estimate,
                  const estimator::SessionLaw& sessions);

}  // namespace scalesweep::study
