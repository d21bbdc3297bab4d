#include "core/host/temporary_folder.hpp"

#include <fmt/core.h>
#include <stdlib.h>

#include <system_error>

#include "core/failure.hpp"

namespace scalesweep {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "scalesweep-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw Failure(ExitCode::cannot_create,
                  fmt::format("cannot make a folder in {}; set TMPDIR to one that can be written",
                              fs::temp_directory_path().string()));
  }
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace scalesweep
