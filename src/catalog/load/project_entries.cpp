#include "catalog/load/project_entries.hpp"

#include <fmt/format.h>

#include <system_error>

#include "catalog/catalog.hpp"

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

std::string add_project_entries(const fs::path& spec_file, Places& places) {
  const fs::path nodes = spec_file.parent_path() / "nodes";
  std::error_code error;
  if (!holds_entries(nodes) || fs::equivalent(nodes, places.folder, error)) {
    return "";
  }
  if (is_catalog(nodes)) {
    return fmt::format(
        "note: {} is a catalog of its own and was not read; name it with --catalog\n",
        nodes.string());
  }
  places.overlays.push_back(nodes);
  return "";
}

}  // namespace scalesweep::catalog
