// Models of published shape, and sums over operators.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "support/examples.hpp"
#include "workload/layer.hpp"

namespace scalesweep::workload::test {

inline TransformerModel deepseek_v3() {
  TransformerModel model = scalesweep::test::llama(7168, 61, 128, 128, 18432, 129280);
  model.latent = {1536, 512, 64, 128, 128};
  model.experts.count = 256;
  model.experts.top_k = 8;
  model.experts.ffn = 2048;
  model.experts.shared_ffn = 2048;
  model.experts.dense_layers = 3;
  return model;
}

inline TransformerModel mixtral() {
  TransformerModel model = scalesweep::test::llama(4096, 32, 32, 8, 14336, 32000);
  model.experts.count = 8;
  model.experts.top_k = 2;
  model.experts.ffn = 14336;
  return model;
}

inline Slice slice_of(std::int64_t sequence, std::int64_t micro_batch) {
  Slice slice;
  slice.sequence = sequence;
  slice.micro_batch = micro_batch;
  return slice;
}

inline double matmul_flop(const std::vector<Operator>& operators) {
  double flop = 0.0;
  for (const Operator& op : operators) {
    flop += op.is<MatMul>() ? op.as<MatMul>()->flop() : 0.0;
  }
  return flop;
}

inline double matmul_flop(const std::vector<MatMul>& gemms) {
  double flop = 0.0;
  for (const MatMul& op : gemms) {
    flop += op.flop();
  }
  return flop;
}

inline double traffic(const std::vector<Operator>& operators) {
  double bytes = 0.0;
  for (const Operator& op : operators) {
    bytes += op.is<Pointwise>() ? op.as<Pointwise>()->traffic_bytes : 0.0;
  }
  return bytes;
}

inline std::vector<std::string> names(const std::vector<Operator>& operators) {
  std::vector<std::string> result;
  for (const Operator& op : operators) {
    result.emplace_back(op.name());
  }
  return result;
}

// The operator of that name; the test stops where there is none.
inline const Operator& named(const std::vector<Operator>& operators, const std::string& name) {
  return *std::find_if(operators.begin(), operators.end(),
                       [&](const Operator& op) { return op.name() == name; });
}

template <class Kernel>
const Kernel& named(const std::vector<Operator>& operators, const std::string& name) {
  return std::get<Kernel>(named(operators, name).kernel);
}

inline double saved(const TransformerModel& model, const Slice& slice,
                    LayerKind kind = LayerKind::dense) {
  const SavedActivations sums = saved_activations(model, slice, kind);
  return sums.dropped_bytes + sums.kept_bytes;
}

}  // namespace scalesweep::workload::test
