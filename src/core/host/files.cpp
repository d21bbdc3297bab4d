#include "core/host/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "core/failure.hpp"
#include "core/host/system_problem.hpp"

namespace scalesweep {
namespace {

std::string errno_text() {
  return std::generic_category().message(errno);
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) {
    throw Failure(ExitCode::no_input, fmt::format("{}: is a directory, not a file", path.string()));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw Failure(is_shortage(errno) ? ExitCode::io : ExitCode::no_input,
                  fmt::format("{}: {}", path.string(), errno_text()));
  }
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) {
    throw Failure(ExitCode::io, fmt::format("{}: {}", path.string(), errno_text()));
  }
  return std::move(text).str();
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

void write_file_durably(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::path partial = path;
  partial += ".partial";
  ::unlink(partial.c_str());  // it may be a link that leads elsewhere; a folder stays
  {
    std::ofstream out(partial, std::ios::binary | std::ios::trunc);
    if (!out) {
      throw Failure(ExitCode::cannot_create, fmt::format("{}: {}", partial.string(), errno_text()));
    }
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.flush();
    if (!out) {
      throw Failure(ExitCode::io, fmt::format("{}: {}", partial.string(), errno_text()));
    }
  }
  sync_path(partial);
  std::error_code code;
  std::filesystem::rename(partial, path, code);
  if (code) {
    throw Failure(ExitCode::io, fmt::format("{}: {}", path.string(), code.message()));
  }
  sync_path(parent_folder(path));
}

}  // namespace scalesweep
