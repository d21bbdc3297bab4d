// The axes of [workload] and [system], in the canonical order of Space.
#pragma once

#include <vector>

#include "config/document.hpp"
#include "space/spec.hpp"

namespace scalesweep::space {

// Reports every mistake; axes that could not be read are left out.
std::vector<Axis> read_axes(const config::TableCursor& workload, const config::TableCursor& system);

}  // namespace scalesweep::space
