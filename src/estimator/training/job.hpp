// What a training step is: the model, the batch, the formats and the stack.
#pragma once

#include <cstdint>
#include <optional>

#include "estimator/parts/collective.hpp"
#include "estimator/training/precision_policy.hpp"
#include "parallel/placement.hpp"
#include "technology/device.hpp"
#include "technology/uncertainty.hpp"
#include "workload/model.hpp"
#include "workload/training/optimizer.hpp"
#include "workload/training/training_stack.hpp"
#include "workload/training/tuning.hpp"

namespace scalesweep::estimator {

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
