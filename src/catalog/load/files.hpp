// The files that a catalog is read from, and the text of an entry in one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/places.hpp"

namespace scalesweep::catalog {

struct CatalogFile {
  std::filesystem::path path;
  std::filesystem::path overlay;  // by which it was found, a file or folder; "": the catalog itself

  bool operator==(const CatalogFile&) const = default;
};

// Those of the catalog in the order of their names, and those of overlays, each once whatever leads
// to it. Throws Failure(no_input) where there is none.
std::vector<CatalogFile> files_of(const Places& places);

// The texts of the entries of one file. Sees the text of the file, which has to outlive it.
class EntryTexts {
 public:
  EntryTexts() = default;
  explicit EntryTexts(std::string_view file);

  // The lines of an entry: from its headers to the next header that is not inside it, without the
  // comments and blank lines that lead up to that one. `path`: its header, "device.x". Empty where
  // it has no such header.
  std::string of(const std::string& path) const;

 private:
  // A header and what follows it up to the next.
  struct Block {
    std::string_view text;
    std::size_t own = 0;  // characters of it without what leads up to another entry
  };
  std::vector<Block> blocks_;
};

}  // namespace scalesweep::catalog
