// Which columns an estimate has, kind by kind: the time and its phases, figures, labels; and how a
// row of them is filled. Charges are the same for all kinds (schema.cpp).
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "estimator/inference/inference.hpp"
#include "estimator/inference/serving.hpp"
#include "estimator/training/training.hpp"
#include "store/read/table.hpp"
#include "study/columns/column_row.hpp"
#include "study/columns/schema.hpp"

namespace scalesweep::study {

// In the order in which they are written.
struct EstimateColumns {
  store::Column time;  // what charges and phases sum to
  std::span<const std::string_view> phases;
  store::Schema figures;
  store::Schema labels;
  // What a study minimises that says nothing.
  std::vector<std::string_view> objectives;
};

EstimateColumns training_columns();
EstimateColumns inference_columns();
EstimateColumns serving_columns();

Status status_of(const estimator::ServingEstimate& estimate);

// Replace what the row holds.
void fill_row(EstimateRow& row, const estimator::TrainingEstimate& estimate, const JobFigures& job);
void fill_row(EstimateRow& row, const estimator::InferenceEstimate& estimate,
              const JobFigures& job);
void fill_row(EstimateRow& row, const estimator::ServingEstimate& estimate, const JobFigures& job);

}  // namespace scalesweep::study
