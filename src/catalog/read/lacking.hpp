// What a template needs and nobody gives: all of it in one message, with what others have there.
#pragma once

#include "catalog/data.hpp"
#include "core/diagnostic.hpp"

namespace scalesweep::catalog {

// Once all entries are read. A value is shown of the template that the device is derived from which
// this one is calibrated on, else of the first that has it.
void report_lacking(const CatalogData& data, Diagnostics& diagnostics);

}  // namespace scalesweep::catalog
