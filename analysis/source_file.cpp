#include "analysis/source_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "core/failure.hpp"
#include "core/hash.hpp"

namespace scalesweep::analysis {
namespace {

class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& file) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (descriptor >= 0 && ::fstat(descriptor, &status) == 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      data_ = size_ == 0 ? nullptr : ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    }
    const int reason = errno;
    if (descriptor >= 0) {
      ::close(descriptor);
    }
    if (descriptor < 0 || data_ == MAP_FAILED) {
      throw Failure(ExitCode::no_input,
                    fmt::format("cannot read {}: {}", file.string(), std::strerror(reason)));
    }
  }
  ~MappedFile() {
    if (data_ != nullptr) {
      ::munmap(data_, size_);
    }
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace

std::string file_sha256(const std::filesystem::path& file) {
  const MappedFile mapped(file);
  return sha256(mapped.bytes());
}

}  // namespace scalesweep::analysis
