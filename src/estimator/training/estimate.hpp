// What is estimated of a training step. A term of its time is an enumerator of Phase and its name
// here, its cost in step.cpp and its line in explain/explain_training.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/enum_names.hpp"
#include "estimator/parts/capacity.hpp"
#include "estimator/parts/charges.hpp"
#include "estimator/parts/power/energy.hpp"
#include "technology/uncertainty.hpp"

namespace scalesweep::estimator {

// The same seconds as Charges, split by what the device is busy with.
enum class Phase {
  forward,
  backward,
  recompute,
  encoder,               // of images or audio, both passes and all that they communicate
  tensor_communication,  // sequence-parallel communication included
  context_communication,
  expert_communication,
  pipeline_communication,
  data_communication,
  optimizer,
  bubble,
  offload,
  stragglers,
  uneven_inputs,  // waiting for stages and replicas that have more images or audio to encode
};
inline constexpr auto phase_names = enum_names<Phase>(
    "forward", "backward", "recompute", "encoder", "tensor_communication", "context_communication",
    "expert_communication", "pipeline_communication", "data_communication", "optimizer", "bubble",
    "offload", "stragglers", "uneven_inputs");
inline constexpr std::size_t phase_count = phase_names.size();

struct MemoryUse {  // bytes on the fullest device
  double weights_bytes = 0.0;
  double gradients_bytes = 0.0;
  double optimizer_bytes = 0.0;
  double activations_bytes = 0.0;
  double reserved_bytes = 0.0;  // what the allocator holds at the peak: tensors and slack
  // Weights, gradients and optimizer states while the optimizer runs.
  double states_bytes = 0.0;
  // Tensors at the peak of the step.
  double total_bytes() const {
    return weights_bytes + gradients_bytes + optimizer_bytes + activations_bytes;
  }
};

struct TrainingEstimate {
  Verdict verdict = Verdict::fits;
  Charges step;                               // sums to the step time
  std::array<double, phase_count> phase_s{};  // sums to the step time
  MemoryUse memory;
  EnergyUse energy;
  double device_power_w = 0.0;  // average of one device, networks beyond it not counted
  double busy_power_w =
      0.0;  // the same between its waits, at least the average: what sets the clock
  double unkept_power_w = 0.0;  // of a device whose limit no clock keeps (power_limit.hpp); else 0
  double clock_fraction = 1.0;  // below 1: the clock at which the power is the limit
  double model_flop_utilization = 0.0;  // fraction of tensor peak, recomputation not counted
  technology::Traits traits;            // that its error bar heeds
  std::size_t least_known = technology::trait_count;  // a trait measured nowhere; trait_count: none
  double relative_uncertainty = 0.0;  // of the step time at this scale; 0: not known
  double limit_uncertainty = 0.0;     // the part of it that the power limit adds (error_bar.hpp)
  double step_time_s() const { return step.total_s(); }
};

}  // namespace scalesweep::estimator
