#include "estimator/inference/inference_precision.hpp"

namespace scalesweep::estimator {

using technology::Precision;

InferencePrecision of_checkpoint(const technology::CheckpointFormats& checkpoint,
                                 Precision operands, Precision weights, Precision sixteen) {
  // What is kept in 16 bits has those that the device multiplies.
  const auto kept = [&](std::optional<Precision> format) {
    return format && technology::element_bytes(*format) == 2.0 ? std::optional(sixteen) : format;
  };
  InferencePrecision precision;
  precision.operands = operands;
  precision.weights = weights;
  precision.activations = precision.cache = sixteen;
  precision.head = kept(checkpoint.head).value_or(sixteen);
  precision.attention = kept(checkpoint.attention);
  precision.attention_output = kept(checkpoint.attention_output);
  precision.shared = kept(checkpoint.shared);
  if (const std::optional<Precision> mlp = kept(checkpoint.mlp)) {
    precision.experts = operands;
    precision.expert_weights = weights;
    precision.operands = precision.weights = *mlp;
  }
  return precision;
}

}  // namespace scalesweep::estimator
