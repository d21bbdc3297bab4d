// Matrix multiplication on a tiled processor: hierarchical roofline with wave quantisation.
//
// Ardalani et al., DeepFlow (arXiv:2211.03309) and Kundu et al. (arXiv:2407.14645) for the roofline
// over tiles at every level; Zhang et al., LLMCompass (ISCA 2024) for the search over tiles.
#pragma once

#include "estimator/cost.hpp"
#include "estimator/rates.hpp"
#include "workload/layer.hpp"

namespace scalesweep::estimator {

// The tile of C that one core holds and how often K is split, as the search chose them.
struct Tiling {
  int m = 0;
  int n = 0;
  int split_k = 1;
};

struct MatMulCost {
  Cost cost;
  Tiling tiling;
  Resource bound = Resource::tensor_compute;
};

// Time of the fastest tiling, kernel latency included.
MatMulCost matmul_cost(const workload::MatMul& op, const Rates& rates);

}  // namespace scalesweep::estimator
