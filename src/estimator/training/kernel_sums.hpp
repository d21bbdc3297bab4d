// The kernels of a block, summed: all of what layers cost that no network decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "estimator/parts/cost.hpp"
#include "estimator/parts/matmul.hpp"
#include "estimator/parts/rates.hpp"
#include "workload/layer.hpp"

namespace scalesweep::estimator {

// The operators of one block with the rates that each runs at.
struct BlockRates {
  Rates linear;      // low-precision GEMMs
  Rates attention;   // fused attention
  Rates activation;  // everything else

  const Rates& of(const workload::Operator& op) const {
    if (const auto* matmul = op.as<workload::MatMul>()) {
      return of(*matmul);
    }
    return op.is<workload::Pointwise>() ? activation : attention;
  }
  const Rates& of(const workload::MatMul& op) const {
    return op.low_precision ? linear : activation;
  }
  friend bool operator==(const BlockRates&, const BlockRates&) = default;
};

// Sums of the kernels of one block on one device.
struct KernelSums {
  Cost forward;
  Cost backward;
  Cost attention_core;
  Cost attention_core_backward;
  Cost selective_repeats;
  Cost full_omits;
  Cost data_gradients;
  Cost weight_gradients;
  // Of each column-parallel and each row-parallel GEMM: what its collectives hide behind.
  std::vector<Cost> column_forward;
  std::vector<Cost> column_repeats;  // as far as selective recomputation repeats it
  std::vector<Cost> row_forward;
  std::vector<Cost> column_data_gradients;
  std::vector<Cost> row_data_gradients;
  std::vector<Cost> column_weight_gradients;
  double forward_operators = 0.0;
  double backward_operators = 0.0;
  double weight_gradient_operators = 0.0;  // of them

  // Both passes, nothing repeated.
  double passes_s() const {
    return forward.time.total_s() + backward.time.total_s() + data_gradients.time.total_s() +
           weight_gradients.time.total_s();
  }
};

// GEMMs that were asked for, on one device at one clock: blocks that are sliced another way have
// most of them in common.
class MatMulMemo {
 public:
  // Holds until the next call; `rates` are always the same.
  const Cost& at(const workload::MatMul& op, const BlockRates& rates);

 private:
  std::unordered_map<workload::MatMul, Cost, MatMulHash> costs_;
};

KernelSums sum_kernels(const workload::LayerOperators& operators, const BlockRates& rates,
                       MatMulMemo& matmuls);

// What a block of a model is, beside how it is sliced.
struct BlockName {
  enum class Part : std::uint8_t { layer, embedding, head, prediction, projector };

  Part part = Part::layer;
  workload::LayerKind kind = workload::LayerKind::dense;  // of layers
  workload::Mixer mixer = workload::Mixer::attention;
  bool of_encoder = false;  // whose model is another one
  friend bool operator==(const BlockName&, const BlockName&) = default;
};

// The sums of blocks of one model that were asked for, on one device at some clocks.
class KernelMemo {
 public:
  // `operators()` gives those of the block where they are not summed yet. Holds until the next
  // call.
  template <typename Operators>
  const KernelSums& at(double clock_hz, const BlockRates& rates, const BlockName& name,
                       const workload::Slice& slice, Operators&& operators) {
    Known& known = of_rates(clock_hz, rates);
    const auto found = known.sums.find({name, slice});
    if (found != known.sums.end()) {
      return found->second;
    }
    ++size_;
    return known.sums.emplace(Key{name, slice}, sum_kernels(operators(), rates, known.matmuls))
        .first->second;
  }

 private:
  struct Key {
    BlockName name;
    workload::Slice slice;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  struct Known {
    BlockRates rates;
    std::unordered_map<Key, KernelSums, Hash> sums;
    MatMulMemo matmuls;
  };
  Known& of_rates(double clock_hz, const BlockRates& rates);

  std::unordered_map<double, Known> by_clock_;
  std::size_t size_ = 0;  // of all
};

}  // namespace scalesweep::estimator
