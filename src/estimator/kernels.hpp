// Cost of any operator of a layer: dispatches to the matrix model, the streaming model and the
// fused attention model.
#pragma once

#include "estimator/cost.hpp"
#include "estimator/rates.hpp"
#include "workload/layer.hpp"

namespace scalesweep::estimator {

// A kernel that streams: max(FLOP / vector rate, bytes / DRAM rate) and the kernel latency.
Cost pointwise_cost(const workload::Pointwise& op, const Rates& rates);

// Fused causal attention (Dao, FlashAttention-2, arXiv:2307.08691): matrix products of the causal
// half, whole blocks on the diagonal, and the exponentials one after the other on one core.
Cost flash_attention_cost(const workload::FlashAttention& op, const Rates& rates);

Cost operator_cost(const workload::Operator& op, const Rates& rates);

}  // namespace scalesweep::estimator
