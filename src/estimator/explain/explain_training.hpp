// Every term of one estimate, for people: which kernel or message runs how often, what it costs and
// what bounds it. The terms are those at the clock that the estimate settles at, and sum to the
// step time.
#pragma once

#include <string>
#include <vector>

#include "estimator/parts/cost.hpp"
#include "estimator/training/estimate.hpp"

namespace scalesweep::estimator {

struct Setting;

struct Term {
  std::string group;   // "layer forward", "tensor communication", ...
  std::string name;    // "mlp up"
  std::string detail;  // shape and tiling, or bytes and algorithm
  double times = 0.0;  // on the critical path of one step, pipeline bubble included
  Cost once;           // one execution on one device; of messages: what is not hidden
  Resource bound = Resource::tensor_compute;

  double step_s() const { return times * once.time.total_s(); }
};

struct Explanation {
  TrainingEstimate estimate;
  std::vector<Term> terms;  // sum of step_s() is the step time
  MemoryUse first_stage;
  MemoryUse last_stage;
  double usable_bytes = 0.0;             // device memory that tensors may use
  bool first_stage_slowest = false;      // which stage sets the rhythm; else the last
  double micro_batches_in_flight = 0.0;  // on the first stage
  double dropped_copies = 0.0;           // of those to experts, the share beyond their capacity
};

Explanation explain_training(const Setting& setting);

}  // namespace scalesweep::estimator
