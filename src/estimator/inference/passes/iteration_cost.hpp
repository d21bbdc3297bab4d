// What a pass of an iteration takes, by what it is spent on.
#pragma once

#include "estimator/parts/cost.hpp"

namespace scalesweep::estimator {

// Seconds of the pass by what they are spent on; sums to total().
struct IterationCost {
  Cost linear;
  Cost attention;
  Cost other;
  Cost communication;     // tensor, context, expert
  Cost encoder;           // of images, all of it
  Cost pipeline;          // sends between stages
  Cost host;              // issue that outlasts the device, scheduling, sampling
  Charges slowest_stage;  // what the next micro-batch waits for

  Cost total() const;
  IterationCost& operator+=(const IterationCost& o);
  IterationCost& add(double n, const IterationCost& o);
  friend IterationCost operator*(double n, const IterationCost& c);
};

}  // namespace scalesweep::estimator
