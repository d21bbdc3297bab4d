// A folder that has its name once it is complete: made beside, fsynced, renamed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace scalesweep::publish {

class NewFolder {
 public:
  // Throws Failure(cannot_create) if something stands at `target` or nothing can be made beside it.
  explicit NewFolder(const std::filesystem::path& target);
  // Without commit() nothing is left behind.
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  const std::filesystem::path& path() const { return partial_; }
  // A file of it. Throws Failure(cannot_create or io).
  void write(const std::string& name, std::string_view text) const;

  // Throws Failure(cannot_create) if something stands at the target by now, Failure(io) otherwise.
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path partial_;
};

// Throws Failure(cannot_create) if something stands there.
void expect_no_folder(const std::filesystem::path& target);

}  // namespace scalesweep::publish
