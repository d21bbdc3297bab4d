// What one device of every stage of a pipeline holds over a training step: the parts of the memory
// estimate, of which activations come with each forward pass and go with the pass that needs them
// last.
#pragma once

#include <vector>

#include "estimator/explain/step_timeline.hpp"
#include "estimator/training/estimate.hpp"

namespace scalesweep::estimator {

// Micro-batches whose activations are held from a moment on until the next level, in units of a
// whole stage: one that has passed through a chunk of v counts 1/v.
struct HeldLevel {
  double start_s = 0.0;
  double micro_batches = 0.0;
};

struct StageMemory {
  MemoryUse estimate;  // of this stage, at its peak by the closed form of the estimate
  // What a micro-batch keeps that went through all chunks of the stage; 0 where it is offloaded.
  double kept_bytes = 0.0;
  // Of the activations of the estimate what does not come and go: the layer in work, logits, what
  // the framework holds.
  double beside_bytes = 0.0;
  double estimated_micro_batches = 0.0;  // in flight at most, by the closed form
  std::vector<HeldLevel> levels;         // in the order of time, starting with the step

  double peak_micro_batches() const;
  // Weights, gradients and optimizer states, held throughout the step.
  double states_bytes() const {
    return estimate.weights_bytes + estimate.gradients_bytes + estimate.optimizer_bytes;
  }
  double bytes_with(double micro_batches) const {
    return states_bytes() + beside_bytes + micro_batches * kept_bytes;
  }
};

// The levels of one stage of a timeline. Activations are there from the start of a forward pass to
// the end of the backward pass, where weight gradients wait to the end of the pass that computes
// them.
std::vector<HeldLevel> held_levels(const std::vector<TimelineSlice>& stage, int chunks);

// By stage, of the timeline of the same setting.
std::vector<StageMemory> step_memory(const Setting& setting, const StepTimeline& timeline);

}  // namespace scalesweep::estimator
