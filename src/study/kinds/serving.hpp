// Statuses that only a study of serving has.
#pragma once

#include "study/columns/schema.hpp"

namespace scalesweep::study {

// Estimated: a single request already takes longer than the limits allow, or more arrive.
inline constexpr Status misses_limits = own_status(0);
// No two pools; not estimated.
inline constexpr Status too_few_replicas = own_status(1);
inline constexpr std::array<KindStatus, 2> serving_statuses = {
    {{"misses_limits", true}, {"too_few_replicas", false}}};

}  // namespace scalesweep::study
