// What a training step is: the model, the batch, the formats and the stack.
#pragma once

#include <cstdint>
#include <optional>

#include "estimator/parts/collective.hpp"
#include "parallel/placement.hpp"
#include "technology/device.hpp"
#include "technology/uncertainty.hpp"
#include "workload/model.hpp"
#include "workload/training/optimizer.hpp"
#include "workload/training/training_stack.hpp"
#include "workload/training/tuning.hpp"

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

struct TrainingJob {
  workload::TransformerModel model;
  std::int64_t sequence = 2048;   // tokens
  std::int64_t global_batch = 1;  // sequences a step
  PrecisionPolicy precision;
  bool flash_attention = true;
  workload::TrainingStack stack;
  workload::Optimizer optimizer = {};
  workload::Tuning tuning = {};              // which weights are trained
  technology::Uncertainty uncertainty = {};  // of estimates for this framework and the device

  // Of the linear layers; nothing from 16 bits on.
  std::optional<workload::Recipe> recipe() const {
    return workload::recipe_for(technology::name_of(precision.linear), precision.recipe,
                                stack.replicas.fp8_recipe);
  }
  friend bool operator==(const TrainingJob&, const TrainingJob&) = default;
};

// A job on a system by a strategy: what nearly everything of a step is computed from. Names what
// others hold: it is handed down, never kept.
struct Setting {
  const TrainingJob& job;
  const technology::System& system;
  const parallel::Strategy& strategy;

  parallel::Group group(parallel::Dimension dimension) const {
    return parallel::group_of(strategy, dimension, levels_of(system));
  }
};

}  // namespace scalesweep::estimator
