// How a software stack runs diffusion models: properties of neither the device nor the model.
#pragma once

#include "workload/training/replica_stack.hpp"

namespace scalesweep::workload {

struct DiffusionStack {
  // Host time to issue one kernel or collective; 0 where launches are captured in graphs.
  double issue_interval_s = 0.0;
  // Fixed time of a denoising step, and of a batch, that no kernel accounts for: scheduler,
  // prompts, images as files.
  double step_overhead_s = 0.0;
  double batch_overhead_s = 0.0;
  // Neighbouring pointwise steps of a layer are one kernel (a compiler), or one each (eager).
  bool fused_pointwise = false;
  // Rates of GEMMs and of fused attention in a step over those of the same kernels alone.
  double kernel_share = 1.0;
  double attention_share = 1.0;
  // Its fused attention where that is not the device's own library: the most FLOP that it does in a
  // clock of a core, 0 without such a limit; and what it leaves of the work of a softmax that the
  // other does not hide behind its products.
  double attention_core_flop = 0.0;
  double softmax_share = 1.0;
  // Of the sustained rate of the matrix units, what the convolutions of a decoder reach.
  double convolution_share = 0.25;
  ReplicaStack replicas = {};  // of training

  friend bool operator==(const DiffusionStack&, const DiffusionStack&) = default;
};

}  // namespace scalesweep::workload
