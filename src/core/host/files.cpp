#include "core/host/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/failure.hpp"
#include "core/host/system_problem.hpp"

namespace scalesweep {
namespace {

std::string errno_text() {
  return std::generic_category().message(errno);
}

}  // namespace

std::ifstream open_to_read(const std::filesystem::path& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) {
    throw Failure(ExitCode::no_input, fmt::format("{}: is a directory, not a file", path.string()));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw Failure(is_shortage(errno) ? ExitCode::io : ExitCode::no_input,
                  fmt::format("{}: {}", path.string(), errno_text()));
  }
  return in;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in = open_to_read(path);
  constexpr std::size_t least_room = 1 << 16;
  std::error_code unknown;  // of pipes and the like
  const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
  // One more than there is, so that the end is met.
  std::size_t room = unknown || bytes == 0 ? least_room : static_cast<std::size_t>(bytes) + 1;
  std::string text;
  while (in) {
    const std::size_t read = text.size();
    text.resize(read + room);
    in.read(text.data() + read, static_cast<std::streamsize>(room));
    text.resize(read + static_cast<std::size_t>(in.gcount()));
    room = std::max(text.size(), least_room);
  }
  if (in.bad()) {
    throw Failure(ExitCode::io, fmt::format("{}: {}", path.string(), errno_text()));
  }
  return text;
}

std::filesystem::path parent_folder(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

std::filesystem::path without_slash(const std::filesystem::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

void sync_path(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    throw Failure(ExitCode::io, fmt::format("{}: {}", path.string(), errno_text()));
  }
  const int status = ::fsync(fd);
  const std::string why = errno_text();
  ::close(fd);
  if (status != 0) {
    throw Failure(ExitCode::io, fmt::format("{}: cannot sync: {}", path.string(), why));
  }
}

DurableFile::DurableFile(std::filesystem::path path) : path_(std::move(path)), partial_(path_) {
  partial_ += ".partial";
  ::unlink(partial_.c_str());  // it may be a link that leads elsewhere; a folder stays
  out_.open(partial_, std::ios::binary | std::ios::trunc);
  if (!out_) {
    throw Failure(ExitCode::cannot_create, fmt::format("{}: {}", partial_.string(), errno_text()));
  }
}

DurableFile::~DurableFile() {
  if (out_.is_open()) {
    out_.close();
    ::unlink(partial_.c_str());
  }
}

void DurableFile::write(std::string_view text) {
  out_.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!out_) {
    throw Failure(ExitCode::io, fmt::format("{}: {}", partial_.string(), errno_text()));
  }
}

void DurableFile::commit() {
  out_.flush();
  if (!out_) {
    throw Failure(ExitCode::io, fmt::format("{}: {}", partial_.string(), errno_text()));
  }
  sync_path(partial_);
  std::error_code code;
  std::filesystem::rename(partial_, path_, code);
  if (code) {
    throw Failure(ExitCode::io, fmt::format("{}: {}", path_.string(), code.message()));
  }
  out_.close();
  sync_path(parent_folder(path_));
}

void write_file_durably(const std::filesystem::path& path, std::string_view text) {
  DurableFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace scalesweep
