// What a batch of a diffusion model is: the model, the images that come out or that it is trained
// on, the formats and the stack.
#pragma once

#include <cstdint>

#include "parallel/strategy.hpp"
#include "technology/precision.hpp"
#include "workload/diffusion/diffusion.hpp"
#include "workload/diffusion/diffusion_stack.hpp"
#include "workload/training/batch_work.hpp"
#include "workload/training/optimizer.hpp"

namespace scalesweep::estimator {

// Of a training step, beside the batch.
struct DiffusionTraining {
  workload::Optimizer optimizer = {};
  bool states_as_weights = false;  // master weights, gradients and moments; else they are fp32
  bool averages_weights = true;    // a moving average of them is kept, in fp32
  bool encodes = true;  // latents and texts, by encoders that are not trained; else they are stored

  friend bool operator==(const DiffusionTraining&, const DiffusionTraining&) = default;
};

struct DiffusionJob {
  workload::DiffusionModel model;  // with its steps and passes as they are asked for
  workload::ImageSize image;
  std::int64_t batch = 1;  // images or videos, over all devices
  technology::Precision operands = technology::Precision::bf16;  // of linear layers
  workload::DiffusionStack stack;
  workload::BatchWork work = workload::BatchWork::inference;
  DiffusionTraining training = {};

  bool trains() const { return work == workload::BatchWork::training; }
  // Images times guided passes: what replicas share in a step. In training texts are left out at
  // random instead (arXiv:2207.12598, algorithm 1).
  std::int64_t passes() const { return trains() ? batch : batch * model.passes; }
  std::int64_t steps() const { return trains() ? 1 : model.steps; }
  // Activations, attention and the decoder are never narrower.
  technology::Precision activations() const {
    return technology::element_bytes(operands) < 2.0 ? technology::Precision::bf16 : operands;
  }
  double activation_bytes() const { return technology::element_bytes(activations()); }
  // Replicas that keep whole states compute with fp32 weights by automatic casts; those that shard
  // them gather weights in the format of activations (arXiv:2304.11277, section 4.4).
  bool casts_weights(const parallel::Strategy& strategy) const {
    return trains() && !training.states_as_weights && strategy.zero == 0 &&
           activation_bytes() < technology::element_bytes(technology::Precision::fp32);
  }

  friend bool operator==(const DiffusionJob&, const DiffusionJob&) = default;
};

}  // namespace scalesweep::estimator
