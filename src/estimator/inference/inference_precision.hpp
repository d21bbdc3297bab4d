// The formats of a job of inference.
#pragma once

#include <optional>

#include "technology/precision.hpp"
#include "workload/recipe.hpp"
#include "workload/serving/linear_formats.hpp"

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
  // Of linear layers that a checkpoint narrows apart from the others; nothing: as those.
  std::optional<technology::Precision> experts = std::nullopt;         // routed ones, as multiplied
  std::optional<technology::Precision> expert_weights = std::nullopt;  // nothing: as `experts`
  std::optional<technology::Precision> shared = std::nullopt;          // shared experts
  std::optional<technology::Precision> attention = std::nullopt;       // its projections
  std::optional<technology::Precision> attention_output = std::nullopt;  // nothing: as `attention`

  technology::Precision operands_of(workload::LinearPart part) const {
    return said_of(part).value_or(operands);
  }
  technology::Precision weights_of(workload::LinearPart part) const {
    const std::optional<technology::Precision> said = said_of(part);
    return part == workload::LinearPart::experts && expert_weights ? *expert_weights
                                                                   : said.value_or(weights);
  }
  // Whether all linear layers have the same formats.
  bool is_uniform() const {
    return !experts && !expert_weights && !shared && !attention && !attention_output;
  }

  friend bool operator==(const InferencePrecision&, const InferencePrecision&) = default;

 private:
  std::optional<technology::Precision> said_of(workload::LinearPart part) const {
    switch (part) {
      case workload::LinearPart::attention:
        return attention;
      case workload::LinearPart::attention_output:
        return attention_output ? attention_output : attention;
      case workload::LinearPart::experts:
        return experts;
      case workload::LinearPart::shared_experts:
        return shared;
      default:
        return std::nullopt;
    }
  }
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

// What a checkpoint narrows, multiplied in `operands` and stored in `weights`; below 16 bits the
// rest is in 16 bits.
InferencePrecision of_checkpoint(const technology::CheckpointFormats& checkpoint,
                                 technology::Precision operands, technology::Precision weights,
                                 technology::Precision sixteen = technology::Precision::bf16);

}  // namespace scalesweep::estimator
