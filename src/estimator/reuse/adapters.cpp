#include "estimator/reuse/adapters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "technology/precision.hpp"

namespace scalesweep::estimator {
namespace {

using workload::LayerKind;
using workload::MatMul;
using workload::Operator;

// A linear layer by its name in workload/inference_layer.cpp.
struct AdaptedLayer {
  std::string_view name;
  AdapterLayers of = AdapterLayers::attention;
  double joined = 1.0;  // linear layers that its GEMM joins, where the MLP is gated
};
constexpr std::array<AdaptedLayer, 12> adapted_layers = {{
    {"query key value", AdapterLayers::attention, 3.0},
    {"query", AdapterLayers::attention},
    {"query down", AdapterLayers::attention},
    {"query up", AdapterLayers::attention},
    {"key value down", AdapterLayers::attention},
    {"attention projection", AdapterLayers::attention},
    {"linear input", AdapterLayers::attention},
    {"linear output", AdapterLayers::attention},
    {"mlp up", AdapterLayers::mlp, 2.0},
    {"mlp down", AdapterLayers::mlp},
    {"shared expert up", AdapterLayers::mlp, 2.0},
    {"shared expert down", AdapterLayers::mlp},
}};

// The linear layers that its GEMM joins; 0 of one without adapters.
double joined_in(const MatMul& op, const InferenceJob& job) {
  const auto* found =
      std::find_if(adapted_layers.begin(), adapted_layers.end(),
                   [&](const AdaptedLayer& layer) { return layer.name == op.name; });
  const AdapterLayers wanted = job.adapters.layers;
  if (found == adapted_layers.end() || (wanted != AdapterLayers::all && wanted != found->of)) {
    return 0.0;
  }
  return found->of == AdapterLayers::mlp && !job.model.gated_ffn ? 1.0 : found->joined;
}

// Calls add(op, joined) for each linear layer with adapters.
template <typename Add>
void for_each_adapted(const InferenceJob& job, const std::vector<Operator>& layer, const Add& add) {
  for (const Operator& op : layer) {
    if (const auto* matmul = op.as<MatMul>()) {
      if (const double joined = joined_in(*matmul, job); joined > 0.0) {
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
  workload::InferenceSlice slice;
  slice.tensor_shards = strategy.tensor_parallel;
  slice.prefill = {.sequences = 1.0, .new_tokens = 1.0, .cached_tokens = 0.0};
  double parameters = 0.0;
  for_each_adapted(
      job, inference_layer_operators(job.model, slice, kind, workload::AttentionSpan::whole, mixer),
      [&](const MatMul& op, double joined) { parameters += joined * op.k + op.n; });
  return parameters * static_cast<double>(job.adapters.rank);
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
