#include "estimator/training/kernel_sums.hpp"

#include "estimator/parts/kernels.hpp"
#include "estimator/parts/mixed_hash.hpp"

namespace scalesweep::estimator {
namespace {

using workload::MatMul;
using workload::Operator;

// Some kB each.
constexpr std::size_t most_sums = 16384;

void keep_parallel(const MatMul& op, const Cost& cost, std::vector<Cost>& columns,
                   std::vector<Cost>& rows) {
  if (op.column_parallel) {
    columns.push_back(cost);
  } else if (op.row_parallel) {
    rows.push_back(cost);
  }
}

}  // namespace

const Cost& MatMulMemo::at(const MatMul& op, const BlockRates& rates) {
  const auto found = costs_.find(op);
  if (found != costs_.end()) {
    return found->second;
  }
  return costs_.emplace(op, matmul_cost(op, rates.of(op)).cost).first->second;
}

KernelSums sum_kernels(const workload::LayerOperators& operators, const BlockRates& rates,
                       MatMulMemo& matmuls) {
  KernelSums sums;
  const auto cost_of = [&](const Operator& op) {
    const MatMul* gemm = op.as<MatMul>();
    return op.share *
           (gemm != nullptr ? matmuls.at(*gemm, rates) : operator_cost(op, rates.of(op)));
  };
  for (const Operator& op : operators.forward) {
    const Cost cost = cost_of(op);
    sums.forward += cost;
    sums.forward_operators += op.share;
    if (op.selective_repeats > 0.0) {
      sums.selective_repeats += op.selective_repeats * cost;
    }
    if (op.full_repeats < 1.0) {
      sums.full_omits += (1.0 - op.full_repeats) * cost;
    }
    if (op.block == workload::Block::attention_core) {
      sums.attention_core += cost;
    }
    if (const MatMul* gemm = op.as<MatMul>()) {
      keep_parallel(*gemm, cost, sums.column_forward, sums.row_forward);
      if (gemm->column_parallel) {
        sums.column_repeats.push_back(op.selective_repeats * cost);
      }
    }
  }
  for (const Operator& op : operators.backward) {
    const Cost cost = cost_of(op);
    sums.backward += cost;
    sums.backward_operators += op.share;
    if (op.is<workload::FlashAttention>()) {
      sums.attention_core_backward += cost;
    }
  }
  for (const MatMul& op : operators.data_gradients) {
    const Cost& cost = matmuls.at(op, rates);
    sums.data_gradients += cost;
    keep_parallel(op, cost, sums.column_data_gradients, sums.row_data_gradients);
  }
  for (const MatMul& op : operators.weight_gradients) {
    const Cost& cost = matmuls.at(op, rates);
    sums.weight_gradients += cost;
    if (op.column_parallel) {
      sums.column_weight_gradients.push_back(cost);
    }
  }
  sums.weight_gradient_operators = static_cast<double>(operators.weight_gradients.size());
  sums.backward_operators +=
      static_cast<double>(operators.data_gradients.size()) + sums.weight_gradient_operators;
  return sums;
}

// Of fields that strategies vary; the others are nearly always the same.
std::size_t KernelMemo::Hash::operator()(const Key& key) const {
  const workload::Slice& slice = key.slice;
  std::size_t hash = static_cast<std::size_t>(key.name.part) * 16 +
                     static_cast<std::size_t>(key.name.kind) * 4 +
                     static_cast<std::size_t>(key.name.mixer);
  for (const std::int64_t size :
       {slice.micro_batch, slice.tensor_shards, slice.context_shards, slice.expert_shards,
        std::int64_t{slice.sequence_shards}, std::int64_t{slice.experts_over_tensor}}) {
    hash = mixed(hash, static_cast<std::uint64_t>(size));
  }
  return hash;
}

KernelMemo::Known& KernelMemo::of_rates(double clock_hz, const BlockRates& rates) {
  if (size_ >= most_sums) {
    by_clock_.clear();
    size_ = 0;
  }
  Known& known = by_clock_[clock_hz];
  if (!(known.rates == rates)) {
    known = {.rates = rates, .sums = {}, .matmuls = {}};
  }
  return known;
}

}  // namespace scalesweep::estimator
