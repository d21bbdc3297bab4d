// Names on the axes of a spec become those of the catalog's entries: the file then holds one name
// for one thing, whatever the spec calls it.
#pragma once

#include <vector>

#include "catalog/catalog.hpp"
#include "core/diagnostic.hpp"
#include "space/read/spec_types.hpp"

namespace scalesweep::study {

// Takes names in any letter case, aliases and beginnings that only one entry has; formats of
// numbers in any letter case. Reports at their places those that may be several entries or none,
// and two that are one entry.
void settle_names(std::vector<space::Axis>& axes, const catalog::Catalog& catalog,
                  Diagnostics& diagnostics);

}  // namespace scalesweep::study
