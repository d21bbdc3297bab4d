// Entries that stand beside a spec.
#pragma once

#include <filesystem>
#include <string>

#include "catalog/places.hpp"

namespace scalesweep::catalog {

// Adds the entries of a project: those of nodes/ beside its spec, if there are any. Where that is a
// whole catalog, nothing is added; a note says so unless it is the catalog that is read anyway.
std::string add_project_entries(const std::filesystem::path& spec_file, Places& places);

}  // namespace scalesweep::catalog
