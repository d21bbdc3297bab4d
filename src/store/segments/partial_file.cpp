#include "store/segments/partial_file.hpp"

#include <fcntl.h>  // renameat2 and its flags
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <system_error>

#include "core/host/files.hpp"
#include "core/host/host_name.hpp"
#include "store/seal/descriptor_bytes.hpp"

namespace scalesweep::store {
namespace {

using h5::check;
using h5::Hid;
using h5::owned;

std::string errno_text(int code) {
  return std::generic_category().message(code);
}

int create_descriptor(const std::filesystem::path& path) {
  const int fd = create_afresh(path);
  if (fd < 0) {
    const std::string why = errno_text(errno);
    throw Failure(ExitCode::cannot_create,
                  fmt::format("{}: cannot create: {}", path.string(), why));
  }
  return fd;
}

[[noreturn]] void refuse_to_replace(const std::filesystem::path& to) {
  throw Failure(ExitCode::cannot_create,
                fmt::format("{}: a file of this name has appeared meanwhile; it is left as it is",
                            to.string()));
}

[[noreturn]] void fail_writing(const std::filesystem::path& path, int fd) {
  const std::string why = errno_text(errno);
  if (fd >= 0) {
    ::close(fd);
    ::unlink(path.c_str());
  }
  throw Failure(ExitCode::io, fmt::format("{}: cannot write: {}", path.string(), why));
}

}  // namespace

Hid create_file(OutputSink& sink, H5F_libver_t version) {
  const std::string what = "cannot create";
  const Hid access = h5::file_access();
  check(H5Pset_libver_bounds(access.get(), version, version), what);
  set_output_driver(access.get(), sink);
  const Hid creation = owned(H5Pcreate(H5P_FILE_CREATE), H5Pclose, what);
  check(H5Pset_obj_track_times(creation.get(), false), what);
  return owned(H5Fcreate("output", H5F_ACC_TRUNC, creation.get(), access.get()), H5Fclose, what);
}

std::filesystem::path temporary_name(const std::filesystem::path& target) {
  return fmt::format("{}.{}-{}.tmp", target.string(), host_name(), ::getpid());
}

void write_bytes(const std::filesystem::path& target, std::span<const std::uint8_t> bytes,
                 Durability durability) {
  const std::filesystem::path path = temporary_name(target);
  const int fd = create_afresh(path);
  if (fd < 0) {
    fail_writing(path, fd);
  }
  errno = write_whole(fd, 0, bytes);
  if (errno != 0) {
    fail_writing(path, fd);
  }
  if (durability == Durability::synced && ::fsync(fd) != 0) {
    fail_writing(path, fd);
  }
  if (::close(fd) != 0) {
    fail_writing(path, -1);
  }
  rename_durably(path, target, Existing::replace, durability);
}

PartialFile::PartialFile(const std::filesystem::path& target, H5F_libver_t version)
    : target_(target), partial_(target.string() + ".partial") {
  h5::quiet();
  sink_.descriptor = create_descriptor(partial_);
  try {
    h5::with_file(partial_, ExitCode::cannot_create, [&] { file_ = create_file(sink_, version); });
  } catch (const Failure&) {
    discard();
    throw;
  }
}

PartialFile::~PartialFile() {
  file_.reset();
  if (!committed_) {
    discard();
  }
}

void PartialFile::discard() noexcept {
  close_descriptor();
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

void PartialFile::close_descriptor() noexcept {
  if (sink_.descriptor >= 0) {
    ::close(sink_.descriptor);
    sink_.descriptor = -1;
  }
}

void PartialFile::check_written() const {
  if (sink_.error != 0) {
    throw Failure(ExitCode::io,
                  fmt::format("{}: cannot write: {}", partial_.string(), errno_text(sink_.error)));
  }
}

void PartialFile::commit(Existing existing, Durability durability,
                         std::vector<SealedChunk> chunks) {
  h5::with_file(partial_, ExitCode::io,
                [this] { check(H5Fclose(file_.release()), "cannot close"); });
  check_written();
  sink_.error = append_seal(sink_.descriptor, std::move(chunks));
  check_written();
  if (durability == Durability::synced && ::fsync(sink_.descriptor) != 0) {
    sink_.error = errno;
    check_written();
  }
  close_descriptor();
  rename_durably(partial_, target_, existing, durability);
  committed_ = true;
}

void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to,
                    Existing existing, Durability durability) {
  int status = -1;
  if (existing == Existing::keep) {
    status = ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE);
    if (status != 0 && errno == EEXIST) {
      refuse_to_replace(to);
    }
    const bool unsupported = status != 0 && (errno == EINVAL || errno == ENOSYS);
    if (unsupported && std::filesystem::exists(std::filesystem::symlink_status(to))) {
      refuse_to_replace(to);
    }
    if (status != 0 && !unsupported) {
      throw Failure(ExitCode::io,
                    fmt::format("{}: cannot rename: {}", from.string(), errno_text(errno)));
    }
  }
  if (status != 0 && ::rename(from.c_str(), to.c_str()) != 0) {
    throw Failure(ExitCode::io,
                  fmt::format("{}: cannot rename: {}", from.string(), errno_text(errno)));
  }
  if (durability == Durability::synced) {
    sync_path(parent_folder(to));
  }
}

std::string timestamp() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace scalesweep::store
