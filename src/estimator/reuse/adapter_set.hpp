// Adapters of low rank beside the linear layers of a model (LoRA, Hu et al., arXiv:2106.09685), of
// which requests use different ones at the same time.
#pragma once

#include <cstdint>

#include "core/enum_names.hpp"

namespace scalesweep::estimator {

// Linear layers that have them: of attention (and of what stands in its place in layers with a
// state), of the MLP and of shared experts. Routed experts, embedding and head have none.
enum class AdapterLayers : std::uint8_t { all, attention, mlp };
inline constexpr auto adapter_layers_names = enum_names<AdapterLayers>("all", "attention", "mlp");

struct AdapterSet {
  std::int64_t count = 0;  // in device memory; each request uses one of them; 0: none
  std::int64_t rank = 0;
  AdapterLayers layers = AdapterLayers::all;
  double skew = 0.0;  // the i-th is as popular as i^-skew (Zipf)

  bool on() const { return count > 0 && rank > 0; }

  friend bool operator==(const AdapterSet&, const AdapterSet&) = default;
};

}  // namespace scalesweep::estimator
