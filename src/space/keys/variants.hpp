// Which keys go with which: rows of a table may be of kinds of workload or of forms of a device.
#pragma once

#include "config/key.hpp"
#include "parallel/enumerate.hpp"

namespace scalesweep::space {

using config::Key;
using parallel::WorkloadKind;

// Rows of [workload] and [keep] are of kinds of workload.
constexpr config::Variants of(WorkloadKind kind) {
  return static_cast<config::Variants>(1U << static_cast<unsigned>(kind));
}
// Rows of [system] are of a form of its key `device`.
inline constexpr config::Variants derived_device = 1;
inline constexpr config::Variants catalogued_device = 2;

}  // namespace scalesweep::space
