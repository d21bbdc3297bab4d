// What a training step lasts longer because sequences differ in their images or audio.
#pragma once

#include <cstdint>

namespace scalesweep::estimator {

// An encoder in a pipeline, all of one replica and one micro-batch. Seconds.
struct UnevenInputs {
  double forward_s = 0.0;  // of the encoder, in the mean
  double backward_s = 0.0;
  double spread = 0.0;    // standard deviation of what a micro-batch has to encode over its mean
  double stage_s = 0.0;   // all that the stage of the encoder takes
  double others_s = 0.0;  // what the slowest other stage takes; 0: there is none
  double micro_batches = 1.0;
  std::int64_t replicas = 1;  // that wait for each other ...
  bool in_step = false;       // ... in every micro-batch, not at the end of the step alone

  // What the step lasts longer than with inputs all alike, in the mean: as long as the replica with
  // the most to encode takes. In the rhythm of a pipeline its stage does the forward pass of one
  // micro-batch and the backward pass of another, which vary independently; the others wait where
  // that takes longer than they do, and what it is shorter helps nobody. Stages of an encoder that
  // has several take one micro-batch together here. As derivatives by these times, of which it is
  // the sum (Euler's theorem); the step as a whole rises with each of them.
  struct Shares {
    double forward = 0.0;
    double backward = 0.0;
    double stage = 0.0;  // below 0: what others set instead
    double others = 0.0;
  };
  Shares shares() const;
};

// Of so many standard normal draws, the expected largest: up to 16 by Harter, Biometrika 48, 1961,
// table 1; then by Cramer, Mathematical Methods of Statistics, 1946, section 28.6.
double expected_largest(std::int64_t draws);

}  // namespace scalesweep::estimator
