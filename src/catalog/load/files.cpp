#include "catalog/load/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "core/failure.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> toml_files(const fs::path& folder) {
  std::error_code error;
  fs::directory_iterator listing(folder, error);
  if (error) {
    throw Failure(ExitCode::no_input, fmt::format("cannot read the catalog folder '{}': {}",
                                                  folder.string(), error.message()));
  }
  std::vector<fs::path> files;
  for (const auto& item : listing) {
    if (item.path().extension() == ".toml") {
      files.push_back(item.path());
    }
  }
  if (files.empty()) {
    throw Failure(ExitCode::no_input,
                  fmt::format("the catalog folder '{}' holds no .toml file", folder.string()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The same of a file, by whatever way it is reached.
fs::path place_of(const fs::path& file) {
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(file, error);
  return error ? file : canonical;
}

std::vector<fs::path> overlay_files(const fs::path& overlay) {
  if (fs::is_directory(overlay)) {
    return toml_files(overlay);
  }
  if (!fs::is_regular_file(overlay)) {
    throw Failure(ExitCode::no_input,
                  fmt::format("the overlay '{}' is not there; give a .toml file of entries, or a "
                              "folder of such files",
                              overlay.string()));
  }
  return {overlay};
}

// Lines that begin a table of the entry.
std::ptrdiff_t headers_of(const std::string& text, const std::string& path) {
  const std::vector<std::string> lines = split(text, '\n');
  return std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.starts_with("[" + path + "]") || line.starts_with("[" + path + ".");
  });
}

}  // namespace

std::vector<CatalogFile> files_of(const Places& places) {
  std::vector<CatalogFile> files;
  std::set<fs::path> seen;
  for (const fs::path& file : toml_files(places.folder)) {
    seen.insert(place_of(file));
    files.push_back({file, {}});
  }
  for (const fs::path& overlay : places.overlays) {
    for (const fs::path& file : overlay_files(overlay)) {
      if (seen.insert(place_of(file)).second) {
        files.push_back({file, overlay});
      }
    }
  }
  return files;
}

std::string header_key(const std::string& key) {
  const bool bare = std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  });
  return bare ? key : "\"" + key + "\"";
}

std::string entry_text(const std::string& file_text, int first_line, const std::string& path) {
  std::vector<std::string> lines;
  std::istringstream stream(file_text);
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (number < first_line) {
      continue;
    }
    const bool header = number > first_line && line.starts_with("[");
    if (header && !line.starts_with("[" + path + ".")) {
      break;
    }
    lines.push_back(line);
  }
  while (!lines.empty() && (trim(lines.back()).empty() || lines.back().starts_with("#"))) {
    lines.pop_back();
  }
  return join(lines, "\n") + "\n";
}

bool is_whole(const std::string& file_text, const std::string& entry_text,
              const std::string& path) {
  const std::string first = entry_text.substr(0, entry_text.find('\n') + 1);
  return headers_of(first, path) == 1 && headers_of(entry_text, path) == headers_of(file_text, path);
}

}  // namespace scalesweep::catalog
