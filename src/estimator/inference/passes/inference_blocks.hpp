// What one device spends on a layer, the embedding and the output head in one iteration of an
// engine: kernels at the rates that the stack reaches, and messages.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "estimator/inference/passes/inference_messages.hpp"
#include "estimator/inference/passes/inference_setting.hpp"
#include "estimator/parts/cost.hpp"
#include "estimator/parts/matmul.hpp"
#include "workload/inference_layer.hpp"

namespace scalesweep::estimator {

Cost operator_cost(const workload::Operator& op, const InferenceSetting& setting);

// How a stack runs the operators of an iteration with these prompts, or without any.
struct IterationKernels {
  double interval_s = 0.0;  // of the host, to issue one
  double strip_rows = 0.0;  // of a GEMM, that read its weights together; 0: all
};
IterationKernels kernels_of(const InferenceSetting& setting, const workload::TokenGroup& prefill);

// Products that are estimated once: layers with experts and without begin alike, and passes that
// differ in the caches of their sequences have the same.
class KnownProducts {
 public:
  // As operator_cost; the rates of the setting are always the same.
  Cost cost(const workload::Operator& op, const InferenceSetting& setting);
  std::size_t size() const { return known_.size(); }

 private:
  std::unordered_map<workload::MatMul, Cost, MatMulHash> known_;
};

// What a block sends.
struct SentBlock {
  Cost communication;    // but for tokens to experts and back
  Cost exchange;         // that, as if nothing ran beside it
  double issue_s = 0.0;  // of the host

  void add(const InferenceSetting& setting, const std::vector<Message>& messages);
};

// Sums of a block.
struct InferenceBlock {
  Cost linear;
  Cost attention;
  Cost other;
  Cost communication;  // as of SentBlock
  Cost exchange;
  Charges shared_experts;  // of linear and other, what may run beside it
  double issue_s = 0.0;    // of the host

  Charges kernels() const { return linear.time + attention.time + other.time; }
  // `known`: of the same setting; null where products are not met again.
  void add(const InferenceSetting& setting, const std::vector<workload::Operator>& operators,
           const IterationKernels& kernels, KnownProducts* known = nullptr);
  void add(const InferenceSetting& setting, const std::vector<Message>& messages);
  InferenceBlock& operator+=(const SentBlock& sent);
};

// How long the exchange of an iteration outlasts what hides it. Its kernels take cores from those
// beside them in iterations with prompts; those of decode alone leave messages to the network
// (DeepEP, normal and low-latency kernels).
struct ExchangeCover {
  workload::ExchangeOverlap beside = workload::ExchangeOverlap::nothing;
  double core_share = 0.0;
  double hidden_share = 1.0;  // of the exchange: the rest waits for what it brings

  Cost open(const InferenceBlock& block) const;
};
ExchangeCover cover_of(const InferenceSetting& setting, workload::ExchangeOverlap beside,
                       const workload::TokenGroup& prefill);

}  // namespace scalesweep::estimator
