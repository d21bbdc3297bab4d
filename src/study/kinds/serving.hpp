// What only a study of serving has: statuses, and pools.
#pragma once

#include <array>
#include <optional>

#include "columns/roles.hpp"
#include "estimator/inference/service/serving.hpp"
#include "study/columns/schema.hpp"
#include "study/resolve/system.hpp"

namespace scalesweep::study {

// Estimated: a single request already takes longer than the limits allow, or more arrive.
inline constexpr Status misses_limits = own_status(0);
// No two pools; not estimated.
inline constexpr Status too_few_replicas = own_status(1);
// Where counts are bounded: left before its estimate was whole, as it cannot be kept.
inline constexpr Status pruned = own_status(2);
inline constexpr std::array<KindStatus, 3> serving_statuses = {
    {{"misses_limits", true}, {"too_few_replicas", false}, {columns::pruned_status, false}}};

// The devices that process prompts and nothing else, of a job that has some.
std::optional<estimator::PrefillPool> prefill_pool_of(const estimator::ServingJob& job,
                                                      const SystemChoice& systems);

// The power limit of a service that no clock keeps: of which devices, and what one takes at its
// slowest clock; 0: all are kept. `prefill`: the devices for prompts; null: those of all.
struct UnkeptLimit {
  const technology::Device* device;
  double power_w = 0.0;
};
UnkeptLimit unkept_limit(const estimator::ServingEstimate& estimate,
                         const technology::Device& device, const technology::Device* prefill);

}  // namespace scalesweep::study
