// A strategy whose stages take turns, for tests of schedules.
#pragma once

#include "parallel/strategy.hpp"

namespace scalesweep::test {

inline parallel::Strategy strategy_of(int stages, int chunks, int micro_batches) {
  parallel::Strategy strategy;
  strategy.tensor_parallel = 8;
  strategy.pipeline_parallel = stages;
  strategy.chunks = chunks;
  strategy.micro_batches = micro_batches;
  return strategy;
}

}  // namespace scalesweep::test
