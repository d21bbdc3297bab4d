// A small catalog of made-up entries, whole and valid, for tests to load and to spoil.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "catalog/catalog.hpp"
#include "support/temporary_folder.hpp"

namespace scalesweep::catalog::test {

// tests/cases/catalog/example.toml.
inline std::string read_example() {
  const char* const root = std::getenv("SCALESWEEP_SOURCE_DIR");
  std::ifstream in(std::string(root != nullptr ? root : ".") + "/tests/cases/catalog/example.toml");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
inline const std::string example_text = read_example();

inline void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

// The example with the first occurrence of `from` replaced.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) {
    throw std::invalid_argument("the example has no '" + from + "'");
  }
  return text.replace(at, from.size(), to);
}

// The catalog that the text makes.
inline Catalog load_text(const std::string& text) {
  const scalesweep::test::TemporaryFolder folder;
  write(folder / "a.toml", text);
  Diagnostics diagnostics;
  std::optional<Catalog> catalog = Catalog::load(folder.path(), diagnostics);
  if (!catalog) {
    throw std::runtime_error(diagnostics.text());
  }
  return *catalog;
}

// What loading the text says, with the path of the file left out: "12:3: error: ...".
inline std::string complaints(const std::string& text) {
  const scalesweep::test::TemporaryFolder folder;
  write(folder / "a.toml", text);
  Diagnostics diagnostics;
  const bool loaded = Catalog::load(folder.path(), diagnostics).has_value();
  std::string all = diagnostics.text();
  if (loaded != all.empty()) {
    return "loaded in spite of: " + all;
  }
  const std::string prefix = (folder / "a.toml").string() + ":";
  for (std::size_t at = all.find(prefix); at != std::string::npos; at = all.find(prefix)) {
    all.erase(at, prefix.size());
  }
  return all;
}

}  // namespace scalesweep::catalog::test
