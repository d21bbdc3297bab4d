// The formats of a training job.
#pragma once

#include <optional>

#include "technology/precision.hpp"
#include "workload/recipe.hpp"

namespace scalesweep::estimator {

// The format of each class of tensors. Below 16 bits only the operands of linear layers are
// quantised; weights are stored and everything else is computed in 16 bits (Micikevicius et al.,
// arXiv:2209.05433; NVIDIA Transformer Engine).
struct PrecisionPolicy {
  technology::Precision linear = technology::Precision::bf16;       // operands of the linear layers
  technology::Precision activations = technology::Precision::bf16;  // and of attention
  technology::Precision weights = technology::Precision::bf16;
  technology::Precision gradients = technology::Precision::fp32;  // accumulated over micro-batches
  technology::Precision gradient_communication = technology::Precision::fp32;
  double gradient_compression = 1.0;  // bytes sent over bytes of gradients
  technology::Precision master_weights = technology::Precision::fp32;
  technology::Precision moments = technology::Precision::fp32;  // of the optimizer
  // How operands of the linear layers are scaled; nothing: as the framework does.
  std::optional<workload::Recipe> recipe = std::nullopt;

  friend bool operator==(const PrecisionPolicy&, const PrecisionPolicy&) = default;
};

// The usual policy for linear layers in this format. Gradients are accumulated and sent in
// `gradients`.
inline PrecisionPolicy mixed_precision(
    technology::Precision linear, technology::Precision gradients = technology::Precision::fp32) {
  const bool quantised = technology::element_bytes(linear) < 2.0;
  PrecisionPolicy policy;
  policy.linear = linear;
  policy.activations = policy.weights = quantised ? technology::Precision::bf16 : linear;
  policy.gradients = policy.gradient_communication = gradients;
  return policy;
}

}  // namespace scalesweep::estimator
