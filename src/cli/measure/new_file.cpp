#include "cli/measure/new_file.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include <filesystem>

#include "core/host/files.hpp"

namespace scalesweep::cli {

namespace fs = std::filesystem;

void check_new_file(const std::string& command, const std::string& path) {
  if (path.empty()) {
    return;
  }
  if (fs::exists(path)) {
    throw Failure(
        ExitCode::cannot_create,
        fmt::format("{} exists, and {} overwrites nothing; name a new file", path, command));
  }
  const fs::path folder = fs::absolute(path).parent_path();
  if (!fs::is_directory(folder)) {
    throw Failure(ExitCode::cannot_create,
                  fmt::format("cannot create {}: there is no folder {}", path, folder.string()));
  }
}

void write_new_file(const std::string& path, const std::string& text, const Streams& streams) {
  if (path.empty()) {
    fmt::print(streams.out, "{}", text);
  } else {
    write_file_durably(path, text);
  }
}

std::string known_entry(const catalog::Catalog& catalog, catalog::Section section,
                        const std::string& option, const std::string& what,
                        const std::string& name) {
  const auto found = catalog.canonical(section, name);
  if (!found) {
    throw Failure(ExitCode::usage, fmt::format("{}: the catalog has no {} '{}'{}", option, what,
                                               name, catalog.suggestion(section, name)));
  }
  return *found;
}

}  // namespace scalesweep::cli
