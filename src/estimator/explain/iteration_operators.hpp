// The operators and messages of an iteration one by one, for people.
#pragma once

#include <string>
#include <vector>

#include "estimator/inference/passes/iteration.hpp"

namespace scalesweep::estimator {

// One operator of an iteration, for people.
struct IterationOperator {
  std::string block;  // "embedding", "layer", "expert layer", "head"
  std::string name;
  std::string shape;   // "m 8, n 4096, k 4096", "bytes 65536, one_shot"
  std::string format;  // of what is multiplied, "bf16 x mxfp4" where weights are stored in others
  double times = 0.0;  // in one pass
  double flop = 0.0;   // of one execution on one device
  double bytes = 0.0;  // to and from DRAM; of messages what a device sends
  Cost once;
  Resource bound = Resource::tensor_compute;
  bool message = false;  // between devices

  double intensity() const { return bytes > 0.0 ? flop / bytes : 0.0; }  // FLOP per byte
};

// Every operator and message of the pass; sum of times * once is the cost without pipeline and
// host.
std::vector<IterationOperator> iteration_operators(const Replica& replica,
                                                   const Iteration& iteration);

}  // namespace scalesweep::estimator
