// Matrix multiplication on a tiled processor: hierarchical roofline with wave quantisation.
//
// Ardalani et al., DeepFlow (arXiv:2211.03309) and Kundu et al. (arXiv:2407.14645) for the roofline
// over tiles at every level; Zhang et al., LLMCompass (ISCA 2024) for the search over tiles. Levels
// do not overlap perfectly: their times t_i combine to (sum of t_i^3)^(1/3), which is the longest
// where one stands out and 2^(1/3) of it where two are equal. The charge of a level is then
// t_i^3 / T^2: these sum to T, and t_i^3 / T^3 is the elasticity of T to the rate of level i.
#pragma once

#include <cstddef>

#include "estimator/parts/cost.hpp"
#include "estimator/parts/rates.hpp"
#include "workload/layer.hpp"
#include "workload/recipe.hpp"

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

// Of the sizes: products that are met again differ in these.
struct MatMulHash {
  std::size_t operator()(const workload::MatMul& op) const;
};

// Time of the fastest tiling, kernel latency included.
MatMulCost matmul_cost(const workload::MatMul& op, const Rates& rates);

// Converting rows x columns activations of 16 bit to the operand precision of `rates`, with scales:
// what a library's linear layer does before a GEMM of narrow operands unless another kernel did.
Cost quantize_cost(double rows, double columns, const workload::RecipeRow& recipe,
                   const Rates& rates);

}  // namespace scalesweep::estimator
