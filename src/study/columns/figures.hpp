// The numbers and labels of a row, in the order of estimate_columns.hpp.
#pragma once

#include <cstddef>
#include <optional>

#include "estimator/inference/inference.hpp"
#include "estimator/inference/serving.hpp"
#include "estimator/training/training.hpp"
#include "study/columns/schema.hpp"
#include "technology/cost.hpp"
#include "technology/derive/derive.hpp"

namespace scalesweep::study {

// Columns of an estimate that are neither the time, nor charges, nor phases.
inline constexpr std::size_t training_figure_count = 37;
inline constexpr std::size_t inference_figure_count = 26;
inline constexpr std::size_t serving_figure_count = 31;

// What a row needs to know of the job and the device beside the estimate.
struct JobFigures {
  double tokens = 0.0;  // of a step, or that come out of a batch; not of serving
  double accelerators = 1.0;
  double memory_capacity_bytes = 0.0;  // of one device
  // Rates that are bought, at the device's own clock: of its matrix units at the precision of the
  // linear layers, of its memory, of its share of the networks in one direction.
  double tensor_peak_flop_per_s = 0.0;
  double dram_bytes_per_s = 0.0;
  double scale_up_bytes_per_s = 0.0;
  double scale_out_bytes_per_s = 0.0;
  double clock_hz = 0.0;  // of the device, before any power limit of the step
  // Of the system; nothing: the columns of cost and carbon are NaN.
  std::optional<technology::Ownership> ownership = std::nullopt;
  technology::Shares shares = {};  // of a derived device, NaN of a catalogued one
};

Status status_of(const estimator::ServingEstimate& estimate);

// Replace what the row holds.
void fill_row(EstimateRow& row, const estimator::TrainingEstimate& estimate, const JobFigures& job);
void fill_row(EstimateRow& row, const estimator::InferenceEstimate& estimate,
              const JobFigures& job);
void fill_row(EstimateRow& row, const estimator::ServingEstimate& estimate, const JobFigures& job);

}  // namespace scalesweep::study
