#include "store/seal/seal.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

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

constexpr std::string_view magic = "SCSWsea2";
constexpr std::size_t digest_bytes = 64;  // as hexadecimal digits
constexpr std::size_t word_bytes = sizeof(std::uint64_t);
// Of an extent, and of a chunk: its place, its length and its CRC.
constexpr std::size_t entry_bytes = 2 * word_bytes;
constexpr std::size_t foot_bytes = 8 + 3 * word_bytes + digest_bytes;

// Bytes of a file from a place on; false where they are not there.
using Read = std::function<bool(std::uint64_t at, std::span<char> bytes)>;

void append_word(std::string& text, std::uint64_t value) {
  for (std::size_t i = 0; i < word_bytes; ++i) {
    text += static_cast<char>(value >> (8 * i) & 0xff);
  }
}

// What a seal is made of besides its digest.
struct Parts {
  std::vector<ChunkExtent> extents;  // in order and apart, as are the chunks
  std::vector<SealedChunk> chunks;
  std::uint64_t file_bytes = 0;  // without the seal
};

// Chunks that touch are one extent.
std::vector<ChunkExtent> extents_of(const std::vector<SealedChunk>& chunks) {
  std::vector<ChunkExtent> extents;
  for (const SealedChunk& chunk : chunks) {
    if (!extents.empty() && extents.back().first + extents.back().bytes == chunk.first) {
      extents.back().bytes += chunk.sum.bytes;
    } else if (chunk.sum.bytes > 0) {
      extents.push_back({chunk.first, chunk.sum.bytes});
    }
  }
  return extents;
}

// All of the seal but its digest: what is under it, too.
std::string head_of(const Parts& parts) {
  std::string head;
  for (const ChunkExtent& extent : parts.extents) {
    append_word(head, extent.first);
    append_word(head, extent.bytes);
  }
  for (const SealedChunk& chunk : parts.chunks) {
    append_word(head, chunk.first);
    append_word(head, chunk.sum.bytes | std::uint64_t{chunk.sum.crc} << 32);
  }
  head += magic;
  append_word(head, parts.extents.size());
  append_word(head, parts.chunks.size());
  append_word(head, parts.file_bytes);
  return head;
}

// Nothing where bytes are missing.
std::optional<std::string> digest_of(const Read& read, const Parts& parts) {
  Sha256 hash;
  std::vector<char> buffer(std::size_t{1} << 16);
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
  for (const ChunkExtent& extent : parts.extents) {
    if (!add(at, extent.first)) {
      return std::nullopt;
    }
    at = extent.first + extent.bytes;
  }
  if (!add(at, parts.file_bytes)) {
    return std::nullopt;
  }
  hash.add(head_of(parts));
  return hash.digest();
}

std::vector<std::uint8_t> seal_by(const Read& read, std::vector<SealedChunk> chunks,
                                  ChunkExtent region, std::uint64_t file_bytes) {
  std::sort(chunks.begin(), chunks.end(),
            [](const SealedChunk& a, const SealedChunk& b) { return a.first < b.first; });
  Parts parts{region.bytes > 0 ? std::vector{region} : extents_of(chunks), std::move(chunks),
              file_bytes};
  const auto digest = digest_of(read, parts);
  if (!digest) {
    return {};
  }
  const std::string seal = head_of(parts) + *digest;
  return {seal.begin(), seal.end()};
}

Read reader_of(int descriptor) {
  return [descriptor](std::uint64_t at, std::span<char> bytes) {
    return read_whole(descriptor, at, bytes);
  };
}

// Whether it lies behind `end`, which becomes its own, and within the file.
bool follows(std::uint64_t first, std::uint64_t bytes, std::uint64_t file_bytes,
             std::uint64_t& end) {
  if (first < end || first > file_bytes || bytes > file_bytes - first) {
    return false;
  }
  end = first + bytes;
  return true;
}

// The last bytes of a file, if they are the end of a seal.
std::optional<std::string> foot_of(const Read& read, std::uint64_t size) {
  std::string foot(foot_bytes, '\0');
  if (size < foot_bytes || !read(size - foot_bytes, {foot.data(), foot.size()}) ||
      !foot.starts_with(magic)) {
    return std::nullopt;
  }
  return foot;
}

// Nothing where they are no parts of a seal.
std::optional<Parts> parts_of(const Read& read, std::uint64_t size, std::string_view foot) {
  const std::uint64_t extents = word_at(foot, magic.size());
  const std::uint64_t chunks = word_at(foot, magic.size() + word_bytes);
  Parts parts;
  parts.file_bytes = word_at(foot, magic.size() + 2 * word_bytes);
  const std::uint64_t room = size - foot_bytes;
  const std::uint64_t most = room / entry_bytes;
  if (extents > most || chunks > most - extents ||
      parts.file_bytes != room - (extents + chunks) * entry_bytes) {
    return std::nullopt;
  }
  std::string list(static_cast<std::size_t>(extents + chunks) * entry_bytes, '\0');
  if (!read(parts.file_bytes, {list.data(), list.size()})) {
    return std::nullopt;
  }
  std::size_t at = 0;
  std::uint64_t end = 0;
  for (; parts.extents.size() < extents; at += entry_bytes) {
    const ChunkExtent& extent =
        parts.extents.emplace_back(ChunkExtent{word_at(list, at), word_at(list, at + word_bytes)});
    if (!follows(extent.first, extent.bytes, parts.file_bytes, end)) {
      return std::nullopt;
    }
  }
  end = 0;
  for (; parts.chunks.size() < chunks; at += entry_bytes) {
    const std::uint64_t sum = word_at(list, at + word_bytes);
    const SealedChunk& chunk = parts.chunks.emplace_back(
        SealedChunk{word_at(list, at),
                    {static_cast<std::uint32_t>(sum), static_cast<std::uint32_t>(sum >> 32)}});
    if (!follows(chunk.first, chunk.sum.bytes, parts.file_bytes, end)) {
      return std::nullopt;
    }
  }
  return parts;
}

// Of a file; 0 where it is none, or cannot be asked.
std::uint64_t size_of(int descriptor) {
  struct stat status = {};
  const bool is_file =
      descriptor >= 0 && ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  return is_file ? static_cast<std::uint64_t>(status.st_size) : 0;
}

}  // namespace

std::vector<std::uint8_t> seal_of(std::span<const std::uint8_t> file,
                                  std::vector<SealedChunk> chunks) {
  const auto read = [&](std::uint64_t at, std::span<char> bytes) {
    SCALESWEEP_EXPECT(at + bytes.size() <= file.size());
    std::memcpy(bytes.data(), file.data() + at, bytes.size());
    return true;
  };
  return seal_by(read, std::move(chunks), {}, file.size());
}

int append_seal(int descriptor, std::vector<SealedChunk> chunks, ChunkExtent region) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) {
    return errno;
  }
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  const std::vector<std::uint8_t> seal =
      seal_by(reader_of(descriptor), std::move(chunks), region, bytes);
  return seal.empty() ? EIO : write_whole(descriptor, bytes, seal);
}

Seal check_seal(const std::filesystem::path& path) {
  const Descriptor file(path.c_str());
  if (file.number() < 0 && is_shortage(errno)) {
    throw Failure(ExitCode::io,
                  fmt::format("{}: cannot be opened: {}; nothing is known to be wrong "
                              "with it (ulimit -n, ulimit -v)",
                              path.string(), std::generic_category().message(errno)));
  }
  const Read read = reader_of(file.number());
  const std::uint64_t size = size_of(file.number());
  const auto foot = foot_of(read, size);
  if (!foot) {
    return Seal::none;
  }
  const auto parts = parts_of(read, size, *foot);
  if (!parts || digest_of(read, *parts) != foot->substr(foot_bytes - digest_bytes)) {
    throw h5::Hdf5Error(
        "it is damaged: what it says of itself is not what was written (its seal does not hold)",
        damaged_way_out);
  }
  return Seal::whole;
}

std::vector<SealedChunk> sealed_chunks(int descriptor) {
  const Read read = reader_of(descriptor);
  const std::uint64_t size = size_of(descriptor);
  const auto foot = foot_of(read, size);
  auto parts = foot ? parts_of(read, size, *foot) : std::nullopt;
  return parts ? std::move(parts->chunks) : std::vector<SealedChunk>{};
}

}  // namespace scalesweep::store
