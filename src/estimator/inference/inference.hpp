// Inference of a transformer: time to the first token, time per output token, latency,
// throughput, memory, energy.
//
// A static batch: all requests have the same prompt and output and start together. The batch that
// an engine keeps filled is in serving.hpp; both are sums of iterations (iteration.hpp).
//
// Pure: the same arguments give the same bits.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "estimator/inference/bounds/least_batch.hpp"
#include "estimator/inference/estimate.hpp"
#include "estimator/inference/job.hpp"
#include "estimator/parts/closeness.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// data_parallel replicas with micro_batch * micro_batches requests each; micro_batches of them
// follow each other through the stages of a pipeline. With experts, expert_parallel of the replicas
// share them (attention data-parallel, experts spread).
//
// Closed in the output length: a sum over few lengths that is exact where an iteration is affine in
// the length (decode_parts in iteration.hpp).
InferenceEstimate estimate_inference(const InferenceJob& job, const technology::System& system,
                                     const parallel::Strategy& strategy);

// The same with one iteration for each output token: the oracle.
InferenceEstimate estimate_inference_by_token(const InferenceJob& job,
                                              const technology::System& system,
                                              const parallel::Strategy& strategy);

// The factored path: what one layer takes is computed once for all strategies that cut it alike.
// Same bits as the plain path. One per thread; holds a bounded memo.
class InferenceEstimator {
 public:
  // `before`: one of another system or job, whose kernels are used as far as they hold here; may be
  // null.
  InferenceEstimator(InferenceJob job, const technology::System& system,
                     const InferenceEstimator* before = nullptr);
  ~InferenceEstimator();
  InferenceEstimator(InferenceEstimator&&) noexcept;
  InferenceEstimator& operator=(InferenceEstimator&&) noexcept;

  InferenceEstimate operator()(const parallel::Strategy& strategy);
  // The same of a strategy that fits. Of another there is only the verdict and the memory.
  InferenceEstimate if_fits(const parallel::Strategy& strategy);
  // The memory of strategies[index], which decides whether it fits; nothing else is estimated. This
  // and what the next three give holds until the next call; `strategies` must stay where it is.
  const InferenceEstimate& settle(std::span<const parallel::Strategy> strategies,
                                  std::size_t index);
  // Of all that fit, what no network makes less; the fastest first.
  std::span<const LeastBatch> least_batches(std::span<const parallel::Strategy> strategies);
  // As at_least(), from one of these: farther from the estimate, and at once.
  const InferenceEstimate& at_least(std::span<const parallel::Strategy> strategies,
                                    const LeastBatch& bound);
  // What the estimate of strategies[index], if it fits, is never below: in the latency, the time to
  // the first token, the time of the others and the energy, nor above in the throughput; the memory
  // is the same. All else is left open. Of a strategy that does not fit as above.
  const InferenceEstimate& at_least(std::span<const parallel::Strategy> strategies,
                                    std::size_t index, Closeness closeness = Closeness::near);
  // Both of every system of the envelope, of whose fastest one this is, with its networks. From far
  // nothing is known of the energy.
  const InferenceEstimate& at_least(std::span<const parallel::Strategy> strategies,
                                    const LeastBatch& bound, const technology::Envelope& envelope);
  const InferenceEstimate& at_least(std::span<const parallel::Strategy> strategies,
                                    std::size_t index, const technology::Envelope& envelope);

 private:
  struct Memo;
  std::unique_ptr<Memo> memo_;
};

}  // namespace scalesweep::estimator
