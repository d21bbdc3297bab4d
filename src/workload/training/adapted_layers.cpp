#include <algorithm>
#include <array>

#include "workload/training/tuning.hpp"

namespace scalesweep::workload {
namespace {

struct AdaptedLayer {
  std::string_view gemm;
  AdapterLayers of = AdapterLayers::attention;
  double joined = 1.0;  // where the MLP is gated
};
constexpr std::array<AdaptedLayer, 12> rows = {{
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

}  // namespace

double adapted_layers(std::string_view gemm, AdapterLayers wanted, bool gated_ffn) {
  const auto* found = std::find_if(rows.begin(), rows.end(),
                                   [&](const AdaptedLayer& row) { return row.gemm == gemm; });
  if (found == rows.end() || (wanted != AdapterLayers::all && wanted != found->of)) {
    return 0.0;
  }
  return found->of == AdapterLayers::mlp && !gated_ffn ? 1.0 : found->joined;
}

}  // namespace scalesweep::workload
