// The formats of a job of inference.
#pragma once

#include <optional>

#include "technology/precision.hpp"
#include "workload/recipe.hpp"

namespace scalesweep::estimator {

// The format of each class of tensors.
struct InferencePrecision {
  technology::Precision operands = technology::Precision::bf16;  // of linear layers, as multiplied
  technology::Precision weights = technology::Precision::bf16;   // of linear layers, in memory
  technology::Precision activations = technology::Precision::bf16;  // and of attention
  technology::Precision cache = technology::Precision::bf16;        // keys and values
  technology::Precision head = technology::Precision::bf16;         // embedding and output head
  // How operands of linear layers are scaled; nothing: as the framework does.
  std::optional<workload::Recipe> recipe = std::nullopt;

  friend bool operator==(const InferencePrecision&, const InferencePrecision&) = default;
};

// Operands and weights of linear layers in this format, the rest in 16 bits.
inline InferencePrecision quantised(technology::Precision linear) {
  InferencePrecision precision;
  precision.operands = precision.weights = linear;
  return precision;
}

// Weights in this format, multiplied in 16 bits.
inline InferencePrecision weight_only(technology::Precision weights) {
  InferencePrecision precision;
  precision.weights = weights;
  return precision;
}

}  // namespace scalesweep::estimator
