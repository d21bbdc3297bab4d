#include "publish/new_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

#include "core/failure.hpp"
#include "core/host/files.hpp"

namespace scalesweep::publish {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_existing(const fs::path& target) {
  throw Failure(
      ExitCode::cannot_create,
      fmt::format("{} is there already; move it or choose another name for -o", target.string()));
}

// What mkdtemp makes is its owner's alone; a published folder is for everybody whom the mask lets.
void open_to_others(const fs::path& folder) {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::chmod(folder.c_str(), 0777 & ~mask);
}

}  // namespace

void expect_no_folder(const fs::path& target) {
  if (fs::exists(fs::symlink_status(without_slash(target)))) {
    refuse_existing(without_slash(target));
  }
}

NewFolder::NewFolder(const fs::path& target) : target_(without_slash(target)) {
  expect_no_folder(target_);
  std::string name = target_.string() + ".partial-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    throw Failure(ExitCode::cannot_create, fmt::format("cannot make the folder {}: {}",
                                                       target_.string(), std::strerror(errno)));
  }
  partial_ = name;
  open_to_others(partial_);
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!partial_.empty()) {
    fs::remove_all(partial_, ignored);
  }
}

void NewFolder::write(const std::string& name, std::string_view text) const {
  const fs::path path = partial_ / name;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) {
    throw Failure(ExitCode::cannot_create,
                  fmt::format("cannot create {}: {}", path.string(), std::strerror(errno)));
  }
  out << text;
  out.flush();
  if (!out) {
    throw Failure(ExitCode::io,
                  fmt::format("{} cannot be written; is the disk full?", path.string()));
  }
}

void NewFolder::commit() {
  std::vector<fs::path> folders = {partial_};
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(partial_)) {
    if (entry.is_directory()) {
      folders.push_back(entry.path());
    } else {
      sync_path(entry.path());
    }
  }
  for (const fs::path& folder : folders) {
    sync_path(folder);
  }
  int status = ::renameat2(AT_FDCWD, partial_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE);
  if (status != 0 && (errno == EINVAL || errno == ENOSYS)) {  // a file system that cannot
    expect_no_folder(target_);
    status = ::rename(partial_.c_str(), target_.c_str());
  }
  if (status != 0 && (errno == EEXIST || errno == ENOTEMPTY)) {
    refuse_existing(target_);
  }
  if (status != 0) {
    throw Failure(ExitCode::io, fmt::format("{}: {}", target_.string(), std::strerror(errno)));
  }
  partial_.clear();
  sync_path(parent_folder(target_));
}

}  // namespace scalesweep::publish
