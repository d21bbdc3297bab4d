// A service of a small model, and layouts of it, for tests of the estimator.
#pragma once

#include "estimator/inference/job.hpp"
#include "parallel/strategy.hpp"
#include "support/examples.hpp"

namespace scalesweep::test {

// One class of requests with 200 tokens of output.
inline estimator::ServingJob small_service(double prompt) {
  estimator::ServingJob job;
  job.inference.model = llama(4096, 32, 32, 8, 14336, 128256);
  job.inference.stack.page_tokens = 16;
  job.inference.stack.iteration_overhead_s = 3e-4;
  job.inference.prefill_chunk = 2048;
  job.requests = {{.prompt = prompt, .output = 200, .share = 1}};
  return job;
}

inline parallel::Strategy layout_of(int tp, int dp = 1, int pp = 1, int groups = 1) {
  parallel::Strategy strategy;
  strategy.tensor_parallel = tp;
  strategy.data_parallel = dp;
  strategy.pipeline_parallel = pp;
  strategy.micro_batches = groups;
  return strategy;
}

}  // namespace scalesweep::test
