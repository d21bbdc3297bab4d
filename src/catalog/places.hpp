// Where a catalog is read from.
#pragma once

#include <filesystem>
#include <vector>

namespace scalesweep::catalog {

struct Places {
  std::filesystem::path folder;  // the catalog
  // Files, and folders of files, whose entries stand beside its own. In which order they are given
  // means nothing.
  std::vector<std::filesystem::path> overlays = {};
};

}  // namespace scalesweep::catalog
