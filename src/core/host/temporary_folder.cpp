#include "core/host/temporary_folder.hpp"

#include <fmt/core.h>
#include <stdlib.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "core/failure.hpp"

namespace scalesweep {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& parent, const std::string& why) {
  throw Failure(ExitCode::cannot_create,
                fmt::format("cannot make a folder in {}: {}; set TMPDIR to one that can be written",
                            parent, why));
}

fs::path folder_of_temporary_files() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) {
    const char* const named = ::getenv("TMPDIR");
    fail(named == nullptr ? "the folder of temporary files" : named, error.message());
  }
  return parent;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  const fs::path parent = folder_of_temporary_files();
  std::string pattern = (parent / "scalesweep-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    fail(parent.string(), std::generic_category().message(errno));
  }
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace scalesweep
