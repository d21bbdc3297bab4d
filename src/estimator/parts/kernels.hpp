// Cost of any operator of a layer: dispatches to the matrix model, the streaming model and the
// fused attention model.
#pragma once

#include "estimator/parts/cost.hpp"
#include "estimator/parts/rates.hpp"
#include "workload/layer.hpp"

namespace scalesweep::estimator {

// A kernel that streams: max(FLOP / vector rate, bytes / DRAM rate) and the kernel latency.
Cost pointwise_cost(const workload::Pointwise& op, const Rates& rates);

// Fused attention (Dao, FlashAttention-2, arXiv:2307.08691): matrix multiplications of what the
// mask leaves, whole blocks on the diagonal, and the exponentials one after the other on one core.
Cost flash_attention_cost(const workload::FlashAttention& op, const Rates& rates);

// The same, forward, as an inference library runs it for a prompt: queries and keys are rotated and
// keys and values written to the cache by a kernel before it.
Cost prefill_attention_cost(const workload::PrefillAttention& op, const Rates& rates);

// One new token over a cache. Query heads that share a cache read it together through shared memory
// where the library's kernel can, else each for itself on the vector units; few sequences and heads
// split the context over the cores (Dao et al., Flash-Decoding, 2023).
Cost decode_attention_cost(const workload::DecodeAttention& op, const Rates& rates);

// The recurrence of a layer with a state: products of matrices at the rate of fused attention and
// what the vector units do, or what is streamed, and the launches of its kernels. Sequences, heads
// and chunks are independent but for a sum over chunks that streams.
Cost linear_scan_cost(const workload::LinearScan& op, const Rates& rates);

Cost operator_cost(const workload::Operator& op, const Rates& rates);

}  // namespace scalesweep::estimator
