// Where keys and values of prompts stay when their requests are done, so that a later request that
// begins alike need not compute them again.
//
// Three tiers: the memory of the device, that of its host, storage. Device memory is shared by all
// that begin alike; what is found in the host or in storage is loaded over the link to the host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/enum_names.hpp"

namespace scalesweep::estimator {

enum class PrefixTier : std::uint8_t { device, host, storage };
inline constexpr auto prefix_tier_names = enum_names<PrefixTier>("device", "host", "storage");
inline constexpr std::size_t prefix_tier_count = prefix_tier_names.size();
using ByPrefixTier = std::array<double, prefix_tier_count>;
constexpr std::size_t index_of(PrefixTier tier) {
  return static_cast<std::size_t>(tier);
}

// When what is found in the host or in storage comes back: layer by layer while the layers before
// it work on the tokens that are new (CachedAttention, arXiv:2403.19708, calls it layer-wise
// pre-loading), or before its prompt is begun, while the device works on others.
enum class PrefixLoading : std::uint8_t { layerwise, before };
inline constexpr auto prefix_loading_names = enum_names<PrefixLoading>("layerwise", "before");

// The share of all tokens of prompts that a cache of so many tokens finds, where what was used
// longest ago makes room. Rising; linear between its points, nothing before the first, and behind
// the last what an endless cache finds.
struct HitCurve {
  struct Point {
    double tokens = 0.0;
    double share = 0.0;
  };
  std::vector<Point> points;

  double at(double tokens) const;
};

struct PrefixTiers {
  // Shares of a prompt; that of the device is InferenceJob::prefix_hits.
  double host_hits = 0.0;
  double storage_hits = 0.0;
  ByPrefixTier bytes{};              // that each device has of a tier; 0: not said
  double storage_bytes_per_s = 0.0;  // of each device
  PrefixLoading loading = PrefixLoading::layerwise;
  std::shared_ptr<const HitCurve> curve = {};  // the shares follow from it and the bytes

  double loaded_hits() const { return host_hits + storage_hits; }

  // Of two curves only those that are one.
  friend bool operator==(const PrefixTiers&, const PrefixTiers&) = default;
};

// What a mean request finds, and what loading it takes.
struct PrefixUse {
  ByPrefixTier found{};       // shares of its prompt
  double loaded_bytes = 0.0;  // by a device, a mean of the stages
  double load_s = 0.0;        // with nothing beside it
  double recompute_s = 0.0;   // instead, by a replica that does nothing else
};

}  // namespace scalesweep::estimator
