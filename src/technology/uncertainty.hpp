// How far estimates of times were from measurements, and what that says of a point.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/enum_names.hpp"

namespace scalesweep::technology {

// What a model, a layout or a workload may have that others lack, and that an estimator can be
// wrong about however well it knows device and framework. Which of them a point has:
// estimator/traits.hpp. What estimates of them were off by: calibration/uncertainty.md. The first
// ones (evidence_count) are what nobody measured of its device, framework and scale themselves,
// which the catalog says; where several hold, the first is what is told of a point.
enum class Trait : std::uint8_t {
  maker_not_measured,
  architecture_not_measured,
  device_not_measured,
  claimed_peak,
  stack_not_measured,
  version_not_measured,
  scale_not_measured,
  pair_not_measured,
  power_limit_not_measured,  // what it adds follows from the limit (estimator/error_bar.hpp)
  expert_parallelism,
  whole_experts,
  experts_over_tensor,
  context_parallelism,
  sharded_weights,
  hybrid_sharding,
  pipeline,
  interleaved_pipeline,
  zero_bubble,
  dual_pipe,
  tensor_between_domains,
  offload,
  eight_bit_operands,
  four_bit_operands,
  narrow_weights,
  long_sequences,
  latent_attention,
  sparse_attention,
  local_attention,
  linear_attention,
  speculation,
  prefix_tiers,
  adapters,
  separate_pools,
  expert_devices,
};
inline constexpr auto trait_names = enum_names<Trait>(
    "maker not measured", "architecture not measured", "device not measured", "claimed peak",
    "stack not measured", "version not measured", "scale not measured",
    "device and stack not measured together", "power limit not measured", "expert parallelism",
    "experts without expert parallelism", "experts over tensor-parallel ranks",
    "context parallelism", "sharded weights", "hybrid sharding", "pipeline parallelism",
    "interleaved pipelines", "zero-bubble pipelines", "DualPipe",
    "tensor parallelism between domains", "offload to hosts", "8-bit operands", "4-bit operands",
    "weights narrower than operands", "sequences beyond 32 Ki tokens", "latent attention",
    "sparse attention", "local attention", "linear attention", "speculative decoding",
    "prefixes in hosts or storage", "adapters", "separate pools for prefill and decode",
    "experts on devices of their own");
inline constexpr std::size_t trait_count = trait_names.size();
inline constexpr std::size_t evidence_count =
    static_cast<std::size_t>(Trait::pair_not_measured) + 1;
constexpr std::string_view name_of(Trait trait) {
  return trait_names[trait];
}

// Of what was measured of a point's device, framework and scale, which no case can have.
constexpr bool is_evidence(Trait trait) {
  return static_cast<std::size_t>(trait) < evidence_count;
}

using Traits = std::bitset<trait_count>;

inline bool has(const Traits& traits, Trait trait) {
  return traits[static_cast<std::size_t>(trait)];
}

// Where a trait was measured, of one kind of work.
enum class Known : std::uint8_t { nowhere, elsewhere, here };  // elsewhere: in other frameworks

struct TraitUncertainty {
  Known known = Known::nowhere;
  // Error of the cases with it over the usual one of their devices, frameworks and scales: of the
  // framework, else of all.
  double factor = 1.0;
  // Of a trait that was measured nowhere: what it adds, relative, as an independent error.
  double added = 0.0;

  friend bool operator==(const TraitUncertainty&, const TraitUncertainty&) = default;
};

// Of one device and framework at one scale.
struct ScaleUncertainty {
  // Two of three measured cases are within it, and where the others are far off up to 76 of 100, so
  // that 95 of 100 are within twice as much (nodes/calibration/uncertainty.md). 0: nothing is
  // known.
  double relative = 0.0;
  // What was not measured of them: `relative` is that of the next best that was, and each adds.
  Traits lacks;

  bool is_measured() const { return relative > 0.0 && lacks.none(); }

  friend bool operator==(const ScaleUncertainty&, const ScaleUncertainty&) = default;
};

struct Uncertainty {
  ScaleUncertainty single_node;
  ScaleUncertainty multi_node;
  std::array<TraitUncertainty, trait_count> traits{};

  friend bool operator==(const Uncertainty&, const Uncertainty&) = default;
};

// Devices of a node in the measured clusters, by which scales are told apart.
inline constexpr double devices_per_node = 8.0;

inline const ScaleUncertainty& at_scale(const Uncertainty& uncertainty, double devices) {
  return devices <= devices_per_node ? uncertainty.single_node : uncertainty.multi_node;
}

// Of a point with these traits: the error of its device, framework and scale, times the largest
// factor of its traits where that is above 1, so that nothing known of a trait makes it smaller; of
// those measured nowhere, and of what was not measured of device, framework and scale, what each
// adds. 0: nothing is known.
double relative_uncertainty(const Uncertainty& uncertainty, double devices, const Traits& traits);

// The first of these, or of what its device, framework and scale lack, that was measured nowhere;
// trait_count: none, or nobody knows.
std::size_t least_known(const Uncertainty& uncertainty, double devices, const Traits& traits);

// In the order of the enumerators.
std::vector<std::string_view> names_of(const Traits& traits);

// Of these, those that were measured nowhere, or in other frameworks.
Traits known_as(const Uncertainty& uncertainty, const Traits& traits, Known known);

}  // namespace scalesweep::technology
