#include "catalog/places.hpp"

#include <system_error>

namespace scalesweep::catalog {
namespace {

namespace fs = std::filesystem;

bool holds_entries(const fs::path& folder) {
  std::error_code error;
  for (const auto& item : fs::directory_iterator(folder, error)) {
    if (item.path().extension() == ".toml") {
      return true;
    }
  }
  return false;
}

}  // namespace

void add_project_entries(const fs::path& spec_file, Places& places) {
  const fs::path nodes = spec_file.parent_path() / "nodes";
  std::error_code error;
  if (holds_entries(nodes) && !fs::equivalent(nodes, places.folder, error)) {
    places.overlays.push_back(nodes);
  }
}

}  // namespace scalesweep::catalog
