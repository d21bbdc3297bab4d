// One entry out of its table into what a catalog holds. Internal to the folder.
#pragma once

#include <string>
#include <vector>

#include "catalog/data.hpp"

namespace scalesweep::catalog {

// Names in it that need checking against other entries go to `references`.
void store_record(Section section, EntryReader& reader, const std::string& name, CatalogData& data,
                  std::vector<Reference>& references);

}  // namespace scalesweep::catalog
