// Which traits a point has that error bars ask for (technology/uncertainty.hpp).
#pragma once

#include "parallel/strategy.hpp"
#include "technology/device.hpp"
#include "technology/uncertainty.hpp"

namespace scalesweep::estimator {

struct InferenceJob;
struct Setting;

// Longer ones than nearly all that were measured: attention takes over.
inline constexpr double long_sequence = 32768.0;  // tokens

technology::Traits traits_of(const Setting& setting);

// `longest`: tokens of the longest request. With prefill and decode on devices of their own:
// `separate_pools`.
technology::Traits traits_of(const InferenceJob& job, const technology::System& system,
                             const parallel::Strategy& strategy, double longest,
                             bool separate_pools = false);

}  // namespace scalesweep::estimator
