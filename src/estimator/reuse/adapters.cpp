#include "estimator/reuse/adapters.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "technology/precision.hpp"
#include "workload/training/linear_shapes.hpp"

namespace scalesweep::estimator {
namespace {

using workload::LayerKind;
using workload::MatMul;
using workload::Operator;

// Calls add(op, joined) for each linear layer with adapters.
template <typename Add>
void for_each_adapted(const InferenceJob& job, const std::vector<Operator>& layer, const Add& add) {
  for (const Operator& op : layer) {
    if (const auto* matmul = op.as<MatMul>()) {
      const double joined =
          workload::adapted_layers(matmul->name, job.adapters.layers, job.model.gated_ffn);
      if (joined > 0.0) {
        add(*matmul, joined);
      }
    }
  }
}

// The sum of x^-skew over the ranks from `first` to `last`, by the integral around them where they
// are several.
double popularity(double first, double last, double skew) {
  if (first == last) {
    return std::pow(first, -skew);
  }
  const double from = first - 0.5, to = last + 0.5;
  return skew == 1.0 ? std::log(to / from)
                     : (std::pow(to, 1.0 - skew) - std::pow(from, 1.0 - skew)) / (1.0 - skew);
}

// Calls add(adapters, popularity of all of them) for groups of ranks next to each other.
template <typename Add>
void for_each_group(const AdapterSet& adapters, const Add& add) {
  constexpr double alone = 16.0;
  constexpr double growth = 0.125;
  const auto count = static_cast<double>(adapters.count);
  for (double first = 1.0; first <= count;) {
    const double width = first <= alone ? 1.0 : std::floor(growth * first);
    const double last = std::min(count, first + width - 1.0);
    add(last - first + 1.0, popularity(first, last, adapters.skew));
    first = last + 1.0;
  }
}

}  // namespace

double distinct_adapters(const AdapterSet& adapters, double sequences) {
  const auto count = static_cast<double>(adapters.count);
  const double drawn = std::max(1.0, sequences);
  const auto reached = [drawn](double chance) {
    return chance >= 1.0 ? 1.0 : -std::expm1(drawn * std::log1p(-chance));
  };
  if (adapters.skew == 0.0) {
    return count * reached(1.0 / count);
  }
  double all = 0.0;
  for_each_group(adapters, [&](double, double weight) { all += weight; });
  double distinct = 0.0;
  for_each_group(adapters, [&](double size, double weight) {
    distinct += size * reached(weight / (size * all));
  });
  return distinct;
}

std::vector<Operator> adapter_operators(const InferenceJob& job,
                                        const workload::InferenceSlice& slice,
                                        const std::vector<Operator>& layer) {
  std::vector<Operator> operators;
  if (!job.adapters.on()) {
    return operators;
  }
  const auto rank = static_cast<double>(job.adapters.rank);
  const double distinct =
      distinct_adapters(job.adapters, slice.prefill.sequences + slice.decode.sequences);
  for_each_adapted(job, layer, [&](const MatMul& op, double joined) {
    MatMul shrink;
    shrink.name = "adapters, shrink";
    shrink.m = op.m / distinct;
    shrink.n = joined * rank;
    shrink.k = op.k;
    shrink.batch = distinct;
    shrink.input_bytes = shrink.output_bytes = slice.activation_bytes;
    MatMul expand = shrink;
    expand.name = "adapters, expand";
    expand.n = op.n;
    expand.k = rank;
    expand.accumulates = true;
    operators.push_back({workload::Block::other, shrink});
    operators.push_back({workload::Block::other, expand});
  });
  return operators;
}

double adapter_parameters(const InferenceJob& job, const parallel::Strategy& strategy,
                          LayerKind kind, workload::Mixer mixer) {
  workload::Slice slice;
  slice.tensor_shards = strategy.tensor_parallel;
  return workload::adapter_parameters(
      job.model, {.rank = job.adapters.rank, .layers = job.adapters.layers}, slice, kind, mixer);
}

double adapters_bytes(const InferenceJob& job, const parallel::Strategy& strategy,
                      const StageShare& share) {
  if (!job.adapters.on()) {
    return 0.0;
  }
  double parameters = 0.0;
  for (const auto& [kind, layers] : {std::pair{LayerKind::dense, share.layers},
                                     std::pair{LayerKind::experts, share.expert_layers}}) {
    if (layers > 0.0) {
      for (const workload::LayerVariant& variant : workload::LayerVariants(job.model, kind)) {
        parameters +=
            layers * variant.share * adapter_parameters(job, strategy, variant.kind, variant.mixer);
      }
    }
  }
  return static_cast<double>(job.adapters.count) * parameters *
         technology::element_bytes(job.precision.activations);
}

}  // namespace scalesweep::estimator
