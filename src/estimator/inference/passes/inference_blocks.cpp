#include "estimator/inference/passes/inference_blocks.hpp"

#include <cmath>

#include "estimator/parts/kernels.hpp"

namespace scalesweep::estimator {
namespace {

using workload::LinearPart;
using workload::Operator;

}  // namespace

Cost operator_cost(const Operator& op, const InferenceSetting& setting) {
  Cost cost = operator_cost(op, setting.of(op));
  cost.time += Charges::of(Resource::latency, setting.job.stack.kernel_gap_s);
  const auto* matmul = op.as<workload::MatMul>();
  if (setting.experts && matmul != nullptr && matmul->part == LinearPart::experts) {
    constexpr double products = 2.0;  // of a layer
    cost.time += Charges::of(Resource::latency, setting.experts->layer_latency.si() / products);
  }
  return cost;
}

IterationKernels kernels_of(const InferenceSetting& setting, const workload::TokenGroup& prefill) {
  const workload::ServingStack& stack = setting.job.stack;
  return prefill.tokens() > 0.0
             ? IterationKernels{stack.prefill_issue_interval_s, 0.0}
             : IterationKernels{stack.decode_issue_interval_s, stack.decode_strip_rows};
}

namespace {

// The same products with the rows in strips, each of which reads all of its weights. Those of
// experts, and scores of an indexer, have kernels of their own.
Operator in_strips(const Operator& op, double strip_rows) {
  const auto* matmul = op.as<workload::MatMul>();
  const bool of_experts = matmul != nullptr && matmul->part == LinearPart::experts;
  const bool indexes =
      op.block == workload::Block::attention_core && matmul != nullptr && matmul->low_precision;
  if (matmul == nullptr || of_experts || indexes || strip_rows <= 0.0 || matmul->m <= strip_rows) {
    return op;
  }
  workload::MatMul strips = *matmul;
  const double count = std::ceil(matmul->m / strip_rows);
  strips.m /= count;
  strips.batch *= count;
  return {op.block, strips};
}

}  // namespace

Cost KnownProducts::cost(const Operator& op, const InferenceSetting& setting) {
  const auto* product = op.as<workload::MatMul>();
  if (product == nullptr) {
    return operator_cost(op, setting);
  }
  const auto found = known_.find(*product);
  if (found != known_.end()) {
    return found->second;
  }
  return known_.emplace(*product, operator_cost(op, setting)).first->second;
}

void InferenceBlock::add(const InferenceSetting& setting, const std::vector<Operator>& operators,
                         const IterationKernels& kernels, KnownProducts* known) {
  for (const Operator& op : operators) {
    const Operator run = in_strips(op, kernels.strip_rows);
    const Cost cost = known != nullptr ? known->cost(run, setting) : operator_cost(run, setting);
    if (op.block == workload::Block::attention_core) {
      attention += cost;
    } else {
      (op.is<workload::MatMul>() ? linear : other) += cost;
    }
    if (op.block == workload::Block::shared_experts) {
      shared_experts += cost.time;
    }
  }
  issue_s += kernels.interval_s * static_cast<double>(operators.size());
}

void SentBlock::add(const InferenceSetting& setting, const std::vector<Message>& messages) {
  for (const Message& message : messages) {
    (message.of_experts ? exchange : communication) += message_cost(message, setting).cost;
  }
  issue_s += setting.job.stack.collective_issue_interval_s * static_cast<double>(messages.size());
}

void InferenceBlock::add(const InferenceSetting& setting, const std::vector<Message>& messages) {
  SentBlock sent;
  sent.add(setting, messages);
  *this += sent;
}

InferenceBlock& InferenceBlock::operator+=(const SentBlock& sent) {
  communication += sent.communication;
  exchange += sent.exchange;
  issue_s += sent.issue_s;
  return *this;
}

Cost ExchangeCover::open(const InferenceBlock& block) const {
  const auto beyond_kernels = [&](const Charges& kernels) {
    return hidden_share < 1.0 ? beyond(kernels, hidden_share * block.exchange, core_share) +
                                    (1.0 - hidden_share) * block.exchange
                              : beyond(kernels, block.exchange, core_share);
  };
  switch (beside) {
    case workload::ExchangeOverlap::nothing:
      break;
    case workload::ExchangeOverlap::shared_experts:
      return beyond_kernels(block.shared_experts);
    case workload::ExchangeOverlap::two_batches:
      return beyond_kernels(block.kernels());
  }
  return block.exchange;
}

ExchangeCover cover_of(const InferenceSetting& setting, workload::ExchangeOverlap beside,
                       const workload::TokenGroup& prefill) {
  return {beside, prefill.tokens() > 0.0 ? setting.system.scale_up().core_share : 0.0,
          setting.job.stack.exchange_hidden_share};
}

}  // namespace scalesweep::estimator
