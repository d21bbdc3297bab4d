#include "catalog/load/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/failure.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

namespace fs = std::filesystem;

// Whoever reads a pipe waits for a writer, and all commands read the catalog.
void check_is_file(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    throw Failure(ExitCode::no_input,
                  fmt::format("'{}' in the catalog folder is {} and no file of entries; move it "
                              "elsewhere, or name it otherwise",
                              path.string(),
                              !fs::exists(path, error)        ? "a link to nothing"
                              : fs::is_directory(path, error) ? "a folder"
                              : fs::is_fifo(path, error)      ? "a pipe"
                                                              : "a device or a socket"));
  }
}

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
      check_is_file(item.path());
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

EntryTexts::EntryTexts(std::string_view file) {
  while (!file.empty()) {
    const std::size_t line_end = std::min(file.find('\n'), file.size() - 1) + 1;
    const std::string_view line = file.substr(0, line_end);
    if (line.starts_with("[")) {
      blocks_.push_back({file.substr(0, 0), 0});
    }
    if (!blocks_.empty()) {
      Block& block = blocks_.back();
      block.text = {block.text.data(), block.text.size() + line_end};
      if (!trim(line).empty() && !line.starts_with("#")) {
        block.own = block.text.size();
      }
    }
    file.remove_prefix(line_end);
  }
}

std::string EntryTexts::of(const std::string& path) const {
  const auto inside = [whole = "[" + path + "]", part = "[" + path + "."](const Block& block) {
    return block.text.starts_with(whole) || block.text.starts_with(part);
  };
  std::string text;
  for (auto block = blocks_.begin(); block != blocks_.end(); ++block) {
    if (inside(*block)) {
      const bool goes_on = block + 1 != blocks_.end() && inside(*(block + 1));
      text += goes_on ? block->text : block->text.substr(0, block->own);
    }
  }
  return text.empty() || text.ends_with("\n") ? text : text + "\n";
}

}  // namespace scalesweep::catalog
