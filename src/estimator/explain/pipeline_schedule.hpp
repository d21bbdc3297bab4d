// The passes of every stage of a pipeline, in the order of its schedule, each at its time: what the
// closed forms of training/step.hpp are the sums of.
//
// Orders of 1F1B and the interleaved schedule as in Megatron-LM (Narayanan et al. 2021,
// arXiv:2104.04473, section 2.2), of ZB-H1 as in Qi et al. (arXiv:2401.10241, figure 2): stage s
// puts off the weight gradients of s micro-batches, which fill its gaps at the end.
#pragma once

#include <cstdint>
#include <vector>

#include "parallel/strategy.hpp"

namespace scalesweep::estimator {

enum class PassKind : std::uint8_t {
  forward,
  backward,  // all of it; where weight gradients wait, the gradients of inputs
  weights,   // the gradients of weights, where they wait
};

// Of one micro-batch through one chunk of a stage.
struct PassSeconds {
  double forward_s = 0.0;
  double backward_s = 0.0;
  double weights_s = 0.0;
};

struct StagePass {
  PassKind kind = PassKind::forward;
  int chunk = 0;
  int micro_batch = 0;
  double start_s = 0.0;
};

// False of DualPipe, whose stages run passes of two micro-batches at a time.
bool has_order(parallel::Schedule schedule);

// Every stage's passes, by stage, in the order in which they run. `stages` has what a pass takes on
// each; of a schedule that has_order(), and a strategy that is valid.
std::vector<std::vector<StagePass>> scheduled_passes(const parallel::Strategy& strategy,
                                                     const std::vector<PassSeconds>& stages);

}  // namespace scalesweep::estimator
