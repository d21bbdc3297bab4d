// The two phases of a batch: prompts, and the tokens after the first; what the passes of each take
// at the clock that the power leaves them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>

#include "estimator/inference/job.hpp"
#include "estimator/inference/passes/inference_blocks.hpp"
#include "estimator/inference/passes/iteration.hpp"
#include "parallel/strategy.hpp"

namespace scalesweep::estimator {

struct RequestLengths {  // tokens
  double prompt = 0.0;
  double hits = 0.0;  // of the prompt, what the cache has; never the last token
  double output = 0.0;
};
RequestLengths lengths_of(const InferenceJob& job);

// How the prompts of a replica go through its stages.
struct PromptGroups {
  double sequences = 1.0;  // of one micro-batch
  double count = 1.0;
};
PromptGroups prompt_groups(const InferenceJob& job, const parallel::Strategy& strategy);

// All passes of a phase for one micro-batch; of a device, without what the stages are put together
// from.
PassParts prefill_passes(const Replica& replica);
PassParts decode_passes(const Replica& replica);
// The iteration that gives the first token where that of the prompt does not
// (ServingStack::decodes_last_prompt_token).
Iteration last_prompt_token(const InferenceJob& job, const parallel::Strategy& strategy);

// Of a device while a pass goes through its stage, however many stages there are.
Cost pass_cost(const InferenceJob& job, const PassParts& parts);

// A setting, which outlives it, at the clocks that were tried.
class InferenceClocks {
 public:
  explicit InferenceClocks(const InferenceSetting& full) : full_(full) {}

  const InferenceSetting& full() const { return full_; }
  // Holds until what was tried is forgotten.
  const InferenceSetting& at(int step);
  void forget_if_many();

 private:
  const InferenceSetting& full_;
  std::map<int, InferenceSetting> slower_;
};

struct PhaseParts {
  PassParts parts;
  int clock_step = 0;
  double unkept_w = 0.0;  // of a device whose limit no clock keeps (power_limit.hpp); else 0
};
using PhasePasses = std::function<PassParts(const Replica&)>;

// A phase lasts longer than a power limit takes to act, and sets its own clock.
PhaseParts settled(InferenceClocks& clocks, const parallel::Strategy& strategy,
                   const PhasePasses& passes);

struct InferenceParts {
  PhaseParts prefill;
  PhaseParts decode;
};
// Of both phases, what `settled` finds of the limit.
double unkept_power_w(InferenceClocks& clocks, const parallel::Strategy& strategy);
InferenceParts settled_parts(InferenceClocks& clocks, const parallel::Strategy& strategy);

}  // namespace scalesweep::estimator
