// Names in entries that must be those of others. Internal to the folder.
#pragma once

#include <vector>

#include "catalog/data.hpp"

namespace scalesweep::catalog {

// Reports a name that no entry has.
void check_reference(const Reference& reference, const CatalogData& data, Diagnostics& diagnostics);

// And entries that studies rest on where they name no other.
void check_references(const std::vector<Reference>& references, const CatalogData& data,
                      Diagnostics& diagnostics);

}  // namespace scalesweep::catalog
