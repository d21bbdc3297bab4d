// The [economics] table of a spec.
#pragma once

#include "config/document.hpp"
#include "space/spec/axis_reader.hpp"

namespace scalesweep::space {

// Assumptions of the catalog by name, and values that replace single ones: axes, each only if it is
// written.
void read_economics(AxisReader& reader, const config::TableCursor& economics);

}  // namespace scalesweep::space
