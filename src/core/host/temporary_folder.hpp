// A folder that nobody else has, gone with what is in it.
#pragma once

#include <filesystem>
#include <string>

namespace scalesweep {

class TemporaryFolder {
 public:
  // In TMPDIR, else the system's; throws Failure(cannot_create) if none can be made there.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace scalesweep
