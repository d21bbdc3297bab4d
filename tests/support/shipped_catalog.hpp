// The catalog that ships (nodes/), loaded once for a test program.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "catalog/catalog.hpp"

namespace scalesweep::test {

// Looks in the folder of sources that CTest names, else in the current folder.
inline const catalog::Catalog& shipped_catalog() {
  static const catalog::Catalog shipped = [] {
    const char* source = std::getenv("SCALESWEEP_SOURCE_DIR");
    const std::filesystem::path folder = source == nullptr ? "." : source;
    Diagnostics diagnostics;
    std::optional<catalog::Catalog> loaded = catalog::Catalog::load(folder / "nodes", diagnostics);
    if (!loaded) {
      throw std::runtime_error(diagnostics.text());
    }
    return *loaded;
  }();
  return shipped;
}

}  // namespace scalesweep::test
