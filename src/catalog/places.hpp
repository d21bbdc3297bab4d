// Where a catalog is read from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace scalesweep::catalog {

struct Places {
  std::filesystem::path folder;  // the catalog
  // Files, and folders of files, whose entries stand beside its own. In which order they are given
  // means nothing.
  std::vector<std::filesystem::path> overlays = {};
};

// Adds the entries of a project: those of nodes/ beside its spec, if there are any. Where that is a
// whole catalog, nothing is added; a note says so unless it is the catalog that is read anyway.
std::string add_project_entries(const std::filesystem::path& spec_file, Places& places);

}  // namespace scalesweep::catalog
