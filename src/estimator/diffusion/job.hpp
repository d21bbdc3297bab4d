// What a batch of a diffusion model is: the model, what comes out, the formats and the stack.
#pragma once

#include <cstdint>

#include "technology/precision.hpp"
#include "workload/diffusion/diffusion.hpp"
#include "workload/framework.hpp"

namespace scalesweep::estimator {

struct DiffusionJob {
  workload::DiffusionModel model;  // with its steps and passes as they are asked for
  workload::Picture picture;
  std::int64_t batch = 1;  // pictures or videos, over all devices
  technology::Precision operands = technology::Precision::bf16;  // of linear layers
  workload::Framework framework;

  // Pictures times guided passes: what replicas share in a step.
  std::int64_t passes() const { return batch * model.passes; }
  // Activations, attention and the decoder are never narrower.
  technology::Precision activations() const {
    return technology::element_bytes(operands) < 2.0 ? technology::Precision::bf16 : operands;
  }
  double activation_bytes() const { return technology::element_bytes(activations()); }

  friend bool operator==(const DiffusionJob&, const DiffusionJob&) = default;
};

}  // namespace scalesweep::estimator
