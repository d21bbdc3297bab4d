#include "store/seal/descriptor_bytes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace scalesweep::store {

// Does not wait for who writes to a pipe of that name.
Descriptor::Descriptor(const char* path)
    : number_(::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}

Descriptor::~Descriptor() {
  if (number_ >= 0) {
    ::close(number_);
  }
}

int create_afresh(const std::filesystem::path& path) {
  ::unlink(path.c_str());
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

int write_whole(int descriptor, std::uint64_t at, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (put < 0 && errno != EINTR) {
      return errno;
    }
    if (put > 0) {
      at += static_cast<std::uint64_t>(put);
      bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
  }
  return 0;
}

std::uint64_t word_at(std::span<const char> bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = sizeof value; i > 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
  }
  return value;
}

bool read_whole(int descriptor, std::uint64_t at, std::span<char> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (got == 0 || (got < 0 && errno != EINTR)) {
      return false;
    }
    if (got > 0) {
      at += static_cast<std::uint64_t>(got);
      bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
  }
  return true;
}

}  // namespace scalesweep::store
