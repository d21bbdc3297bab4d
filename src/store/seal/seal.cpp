#include "store/seal/seal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/contracts.hpp"
#include "core/failure.hpp"
#include "core/hash.hpp"
#include "core/host/system_problem.hpp"
#include "store/hdf5/file_problem.hpp"
#include "store/hdf5/hdf5_error.hpp"
#include "store/seal/descriptor_bytes.hpp"

namespace scalesweep::store {
namespace {

constexpr std::string_view magic = "SCSWseal";
constexpr std::size_t digest_bytes = 64;  // as hexadecimal digits
constexpr std::size_t word_bytes = sizeof(std::uint64_t);
constexpr std::size_t extent_bytes = 2 * word_bytes;
constexpr std::size_t foot_bytes = 8 + 2 * word_bytes + digest_bytes;

// Bytes of a file from a place on; false where they are not there.
using Read = std::function<bool(std::uint64_t at, std::span<char> bytes)>;

void append_word(std::string& text, std::uint64_t value) {
  for (std::size_t i = 0; i < word_bytes; ++i) {
    text += static_cast<char>(value >> (8 * i) & 0xff);
  }
}

std::uint64_t word_at(std::string_view text, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = word_bytes; i > 0; --i) {
    value = value << 8 | static_cast<unsigned char>(text[at + i - 1]);
  }
  return value;
}

// In order, those that touch as one.
void join_neighbours(std::vector<ChunkExtent>& extents) {
  std::erase_if(extents, [](const ChunkExtent& extent) { return extent.bytes == 0; });
  std::sort(extents.begin(), extents.end(),
            [](const ChunkExtent& a, const ChunkExtent& b) { return a.first < b.first; });
  std::vector<ChunkExtent> joined;
  for (const ChunkExtent& extent : extents) {
    if (!joined.empty() && joined.back().first + joined.back().bytes == extent.first) {
      joined.back().bytes += extent.bytes;
    } else {
      joined.push_back(extent);
    }
  }
  extents = std::move(joined);
}

// All of the seal but its digest: what is under it, too.
std::string head_of(const std::vector<ChunkExtent>& extents, std::uint64_t file_bytes) {
  std::string head;
  for (const ChunkExtent& extent : extents) {
    append_word(head, extent.first);
    append_word(head, extent.bytes);
  }
  head += magic;
  append_word(head, extents.size());
  append_word(head, file_bytes);
  return head;
}

// Nothing where bytes are missing.
std::optional<std::string> digest_of(const Read& read, const std::vector<ChunkExtent>& extents,
                                     std::uint64_t file_bytes) {
  Sha256 hash;
  std::vector<char> buffer(std::size_t{1} << 18);
  const auto add = [&](std::uint64_t at, std::uint64_t end) {
    while (at < end) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), end - at));
      if (!read(at, {buffer.data(), size})) {
        return false;
      }
      hash.add({buffer.data(), size});
      at += size;
    }
    return true;
  };
  std::uint64_t at = 0;
  for (const ChunkExtent& extent : extents) {
    if (!add(at, extent.first)) {
      return std::nullopt;
    }
    at = extent.first + extent.bytes;
  }
  if (!add(at, file_bytes)) {
    return std::nullopt;
  }
  hash.add(head_of(extents, file_bytes));
  return hash.digest();
}

std::vector<std::uint8_t> seal_by(const Read& read, std::vector<ChunkExtent> extents,
                                  std::uint64_t file_bytes) {
  join_neighbours(extents);
  const auto digest = digest_of(read, extents, file_bytes);
  if (!digest) {
    return {};
  }
  const std::string seal = head_of(extents, file_bytes) + *digest;
  return {seal.begin(), seal.end()};
}

Read reader_of(int descriptor) {
  return [descriptor](std::uint64_t at, std::span<char> bytes) {
    return read_whole(descriptor, at, bytes);
  };
}

// As they stand in a seal; nothing where they are not in order and within the file.
std::optional<std::vector<ChunkExtent>> extents_in(std::string_view text,
                                                   std::uint64_t file_bytes) {
  std::vector<ChunkExtent> extents;
  std::uint64_t end = 0;
  for (std::size_t at = 0; at < text.size(); at += extent_bytes) {
    const ChunkExtent extent{word_at(text, at), word_at(text, at + word_bytes)};
    if (extent.first < end || extent.first > file_bytes ||
        extent.bytes > file_bytes - extent.first) {
      return std::nullopt;
    }
    end = extent.first + extent.bytes;
    extents.push_back(extent);
  }
  return extents;
}

// False where it does not hold.
bool holds(const Read& read, std::uint64_t size, std::string_view foot) {
  const std::uint64_t count = word_at(foot, magic.size());
  const std::uint64_t file_bytes = word_at(foot, magic.size() + word_bytes);
  const std::uint64_t room = size - foot_bytes;
  if (count > room / extent_bytes || file_bytes != room - count * extent_bytes) {
    return false;
  }
  std::string list(static_cast<std::size_t>(count) * extent_bytes, '\0');
  if (!read(file_bytes, {list.data(), list.size()})) {
    return false;
  }
  const auto extents = extents_in(list, file_bytes);
  if (!extents) {
    return false;
  }
  const auto digest = digest_of(read, *extents, file_bytes);
  return digest && *digest == foot.substr(foot_bytes - digest_bytes);
}

class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& path)
      : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

std::vector<std::uint8_t> seal_of(std::span<const std::uint8_t> file,
                                  std::vector<ChunkExtent> extents) {
  const auto read = [&](std::uint64_t at, std::span<char> bytes) {
    SCALESWEEP_EXPECT(at + bytes.size() <= file.size());
    std::memcpy(bytes.data(), file.data() + at, bytes.size());
    return true;
  };
  return seal_by(read, std::move(extents), file.size());
}

int append_seal(int descriptor, const std::vector<ChunkExtent>& extents) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) {
    return errno;
  }
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  const std::vector<std::uint8_t> seal = seal_by(reader_of(descriptor), extents, bytes);
  return seal.empty() ? EIO : write_whole(descriptor, bytes, seal);
}

Seal check_seal(const std::filesystem::path& path) {
  const Descriptor file(path);
  if (file.number() < 0 && is_shortage(errno)) {
    throw Failure(ExitCode::io,
                  fmt::format("{}: cannot be opened: {}; nothing is known to be wrong "
                              "with it (ulimit -n, ulimit -v)",
                              path.string(), std::generic_category().message(errno)));
  }
  struct stat status = {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<std::uint64_t>(status.st_size) < foot_bytes) {
    return Seal::none;
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const Read read = reader_of(file.number());
  std::string foot(foot_bytes, '\0');
  if (!read(size - foot_bytes, {foot.data(), foot.size()}) || !foot.starts_with(magic)) {
    return Seal::none;
  }
  if (!holds(read, size, foot)) {
    throw h5::Hdf5Error(
        "it is damaged: what it says of itself is not what was written (its seal does not hold)",
        damaged_way_out);
  }
  return Seal::whole;
}

}  // namespace scalesweep::store
