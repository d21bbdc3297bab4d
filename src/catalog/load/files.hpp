// The files that a catalog is read from, and the text of an entry in one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "catalog/places.hpp"

namespace scalesweep::catalog {

struct CatalogFile {
  std::filesystem::path path;
  std::filesystem::path overlay;  // by which it was found, a file or folder; "": the catalog itself
};

// Those of the catalog in the order of their names, and those of overlays, each once whatever leads
// to it. Throws Failure(no_input) where there is none.
std::vector<CatalogFile> files_of(const Places& places);

// The lines of an entry: from its headers to the next header that is not inside it, without the
// comments and blank lines that lead up to that one. `path`: its header, "device.x". Empty where it
// has no such header.
std::string entry_text(const std::string& file_text, const std::string& path);

}  // namespace scalesweep::catalog
