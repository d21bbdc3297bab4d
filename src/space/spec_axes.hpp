// The axes of [workload] and [system], in the canonical order of Space.
#pragma once

#include <vector>

#include "config/document.hpp"
#include "space/spec.hpp"

namespace scalesweep::space {

// Every axis that there can be, in the canonical order: those that decide which strategies are
// valid are slowest, then the rest of the workload, the device, the networks.
const std::vector<std::string>& axis_names();

// In the canonical order. Reports every mistake; axes that could not be read are left out.
std::vector<Axis> read_axes(const config::TableCursor& workload, const config::TableCursor& system);

}  // namespace scalesweep::space
