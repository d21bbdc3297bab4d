// Which keys go with which: rows of a table may be of kinds of workload or of forms of a device.
#pragma once

#include "config/key.hpp"
#include "parallel/enumerate.hpp"

namespace scalesweep::keys {

using config::Key;
using config::Variants;
using parallel::WorkloadKind;

// Rows of [workload] and [keep] are of kinds of workload.
constexpr Variants of(WorkloadKind kind) {
  return static_cast<Variants>(1U << static_cast<unsigned>(kind));
}
inline constexpr Variants training = of(WorkloadKind::training);
inline constexpr Variants inference = of(WorkloadKind::inference);
inline constexpr Variants serving = of(WorkloadKind::serving);
inline constexpr Variants requests = inference | serving;
inline constexpr Variants recommendation = of(WorkloadKind::recommendation);
inline constexpr Variants diffusion = of(WorkloadKind::diffusion);
inline constexpr Variants reinforcement = of(WorkloadKind::reinforcement_learning);

// Rows of [system] are of a form of its key `device`.
inline constexpr Variants derived_device = 1;
inline constexpr Variants catalogued_device = 2;

}  // namespace scalesweep::keys
