// What a batch of a recommendation model is: the model, the samples, the formats and the stack.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/enum_names.hpp"
#include "technology/precision.hpp"
#include "workload/recommendation/recommendation.hpp"
#include "workload/recommendation/recommendation_stack.hpp"
#include "workload/training/batch_work.hpp"

namespace scalesweep::estimator {

inline constexpr double row_index_bytes = 8.0;  // of one entry of a list of rows
inline constexpr double full_bytes = 4.0;       // gradients, master weights and states: fp32

// State beside the weights: of each element, or of a whole row (row-wise AdaGrad, as FBGEMM has it;
// of the dense part it is AdaGrad).
enum class TableOptimizer : std::uint8_t { sgd, rowwise_adagrad, adagrad, adam };
inline constexpr auto table_optimizer_names =
    enum_names<TableOptimizer>("sgd", "rowwise_adagrad", "adagrad", "adam");

// Numbers of fp32 for an element, and for a row.
struct OptimizerState {
  double of_element = 0.0;
  double of_row = 0.0;
};
constexpr OptimizerState state_of(TableOptimizer optimizer) {
  constexpr std::array<OptimizerState, table_optimizer_names.size()> states = {
      {{0.0, 0.0}, {0.0, 1.0}, {1.0, 0.0}, {2.0, 0.0}}};
  return states[static_cast<std::size_t>(optimizer)];
}

struct RecommendationJob {
  workload::RecommendationModel model;
  std::int64_t batch = 1;  // samples, over all devices
  workload::BatchWork work = workload::BatchWork::training;
  technology::Precision operands = technology::Precision::fp16;  // of MLPs and interaction
  technology::Precision tables = technology::Precision::fp32;    // as rows are stored
  TableOptimizer table_optimizer = TableOptimizer::rowwise_adagrad;
  TableOptimizer dense_optimizer = TableOptimizer::sgd;
  // Of the rows of each table, the share that device memory holds, the most popular ones; the
  // others are read from host memory.
  double resident = 1.0;
  workload::RecommendationStack stack;

  bool trains() const { return work == workload::BatchWork::training; }
  // Of activations, and of what is sent of rows. Engines for inference keep those of 8 bits.
  technology::Precision activations() const {
    const bool narrow = technology::element_bytes(operands) < 2.0;
    return narrow && trains() ? technology::Precision::bf16 : operands;
  }
  double activation_bytes() const { return technology::element_bytes(activations()); }
  double table_bytes() const { return technology::element_bytes(tables); }

  friend bool operator==(const RecommendationJob&, const RecommendationJob&) = default;
};

}  // namespace scalesweep::estimator
