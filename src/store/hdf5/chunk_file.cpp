#include "store/hdf5/chunk_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "core/contracts.hpp"
#include "store/seal/descriptor_bytes.hpp"
#include "store/seal/seal.hpp"
#include "store/segments/partial_file.hpp"
#include "store/segments/stored_study.hpp"

namespace scalesweep::store {
namespace {

using h5::check;
using h5::Hid;

constexpr std::uint64_t page_bytes = 4096;

std::uint64_t next_page(std::uint64_t at) {
  return (at + page_bytes - 1) / page_bytes * page_bytes;
}

std::uint64_t bytes_of(std::span<const ChunkSum> chunks) {
  std::uint64_t bytes = 0;
  for (const ChunkSum& chunk : chunks) {
    bytes += chunk.bytes;
  }
  return bytes;
}

// Behind the last of these chunks, the first ones of the grid.
std::uint64_t end_of(const ChunkGrid& grid, const ChunkSums& chunks) {
  std::uint64_t end = superblock_room;
  std::span<const ChunkSum> rest = chunks;
  for (std::int64_t b = 0; !rest.empty(); ++b) {
    const std::size_t size = std::min(grid.block_size(b), rest.size());
    end = next_page(end) + bytes_of(rest.first(size));
    rest = rest.subspan(size);
  }
  return end;
}

}  // namespace

ChunkBlock ChunkGrid::block(std::int64_t b) const {
  return {b * block_chunks, std::min((b + 1) * block_chunks, chunks())};
}

std::size_t ChunkGrid::block_size(std::int64_t b) const {
  const ChunkBlock chunks_of_b = block(b);
  return static_cast<std::size_t>(chunks_of_b.last - chunks_of_b.first) * columns;
}

std::int64_t ChunkGrid::last_row(std::int64_t chunk) const {
  return std::min((chunk + 1) * chunk_rows, rows);
}

ChunkGrid grid_of(const StudyDescription& study, std::int64_t rows, std::int64_t block_bytes) {
  const std::int64_t row_bytes = stored_row_bytes(study.schema);
  const std::int64_t chunk_rows = effective_chunk_rows(study);
  const std::int64_t block_chunks =
      std::max<std::int64_t>(block_bytes / (row_bytes * chunk_rows), 1);
  return {rows, chunk_rows, study.schema.size(), block_chunks};
}

ChunkFile::ChunkFile(const std::filesystem::path& path, const ChunkGrid& grid)
    : path_(path), grid_(grid) {
  sink_.descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  struct stat status = {};
  if (sink_.descriptor < 0 || ::fstat(sink_.descriptor, &status) != 0) {
    const std::string why = errno == ELOOP
                                ? "a symbolic link is in the way, which is not followed; remove it"
                                : std::generic_category().message(errno);
    close();
    throw Failure(ExitCode::cannot_create,
                  fmt::format("{}: cannot create: {}", path.string(), why));
  }
  inode_ = status.st_ino;
}

ChunkFile::~ChunkFile() {
  close();
}

void ChunkFile::close() {
  if (sink_.descriptor >= 0) {
    ::close(sink_.descriptor);
    sink_.descriptor = -1;
  }
}

void ChunkFile::fail(const char* what, int error) const {
  fail_writing(path_, what, error);
}

bool ChunkFile::holds(const ChunkSums& chunks) const {
  struct stat status = {};
  return ::fstat(sink_.descriptor, &status) == 0 &&
         static_cast<std::uint64_t>(status.st_size) >= end_of(grid_, chunks);
}

void ChunkFile::go_on_behind(ChunkSums chunks) {
  chunks_ = std::move(chunks);
  end_ = end_of(grid_, chunks_);
  next_block_ = 0;
  left_in_block_ = 0;
  for (std::size_t there = chunks_.size(); there > 0; ++next_block_) {
    const std::size_t taken = std::min(grid_.block_size(next_block_), there);
    left_in_block_ = grid_.block_size(next_block_) - taken;
    there -= taken;
  }
  // Nothing of an earlier attempt stays, before the chunks or behind them.
  if (::ftruncate(sink_.descriptor, static_cast<off_t>(chunks_.empty() ? 0 : end_)) != 0) {
    fail("cannot write", errno);
  }
  write_at(0, std::array<std::uint8_t, superblock_room>{});
}

void ChunkFile::write_at(std::uint64_t at, std::span<const std::uint8_t> bytes) {
  if (const int error = write_whole(sink_.descriptor, at, bytes)) {
    fail("cannot write", error);
  }
}

// Of the next chunk.
std::uint64_t ChunkFile::next_place() const {
  return left_in_block_ == 0 ? next_page(end_) : end_;
}

void ChunkFile::append(std::span<const std::uint8_t> chunk, const ChunkSum& sum) {
  SCALESWEEP_EXPECT(sum.bytes == chunk.size());
  const std::uint64_t at = next_place();
  write_at(at, chunk);
  end_ = at + chunk.size();
  if (left_in_block_ == 0) {
    left_in_block_ = grid_.block_size(next_block_++);
  }
  --left_in_block_;
  chunks_.push_back(sum);
}

std::uint64_t ChunkFile::reserve(const ChunkSums& block) {
  SCALESWEEP_EXPECT(left_in_block_ == 0 && block.size() == grid_.block_size(next_block_));
  ++next_block_;
  const std::uint64_t at = next_place();
  end_ = at + bytes_of(block);
  chunks_.insert(chunks_.end(), block.begin(), block.end());
  return at;
}

void ChunkFile::mark(std::string_view word) {
  word = word.substr(0, most_mark_bytes);
  write_at(0, {reinterpret_cast<const std::uint8_t*>(word.data()), word.size()});
}

void ChunkFile::sync() {
  if (::fsync(sink_.descriptor) != 0) {
    fail("cannot write", errno);
  }
}

void ChunkFile::place(const std::vector<hid_t>& datasets) {
  SCALESWEEP_EXPECT(datasets.size() == grid_.columns);
  // HDF5 passes the bytes on to the driver, which has them already.
  std::uint32_t largest = 0;
  for (const ChunkSum& chunk : chunks_) {
    largest = std::max(largest, chunk.bytes);
  }
  const std::vector<std::uint8_t> nothing(largest);
  placed_.clear();
  sink_.next_chunk = superblock_room;
  std::uint64_t expected = superblock_room;
  auto next = chunks_.begin();
  for (std::int64_t b = 0; b < grid_.blocks(); ++b) {
    const ChunkBlock block = grid_.block(b);
    sink_.next_chunk = expected = next_page(expected);
    for (const hid_t dataset : datasets) {
      for (std::int64_t chunk = block.first; chunk < block.last; ++chunk, ++next) {
        const auto offset = static_cast<hsize_t>(grid_.first_row(chunk));
        constexpr std::uint32_t all_filters_applied = 0;
        sink_.placing = true;
        const herr_t status = H5Dwrite_chunk(dataset, H5P_DEFAULT, all_filters_applied, &offset,
                                             next->bytes, nothing.data());
        sink_.placing = false;
        check(status, "cannot place a chunk");
        placed_.push_back({expected, *next});
        expected += next->bytes;
        if (sink_.next_chunk != expected) {
          throw h5::Hdf5Error("this version of HDF5 puts chunks elsewhere than it was told");
        }
      }
    }
  }
}

void ChunkFile::describe(H5F_libver_t version,
                         const std::function<void(hid_t, const Place&)>& describe) {
  SCALESWEEP_EXPECT(chunks_.size() == static_cast<std::size_t>(grid_.chunks()) * grid_.columns);
  write_at(0, std::array<std::uint8_t, most_mark_bytes>{});
  sink_.region_first = superblock_room;
  sink_.region_last = next_page(end_);
  h5::with_file(path_, ExitCode::io, [&] {
    Hid file = create_file(sink_, version);
    describe(file.get(), [&](const std::vector<hid_t>& datasets) { place(datasets); });
    check(H5Fclose(file.release()), "cannot close");
  });
  if (sink_.error != 0) {
    fail("cannot write", sink_.error);
  }
  const ChunkExtent region{sink_.region_first, sink_.region_last - sink_.region_first};
  if (const int error = append_seal(sink_.descriptor, std::move(placed_), region)) {
    fail("cannot write", error);
  }
}

bool has_mark(int descriptor, std::string_view word) {
  std::array<char, most_mark_bytes> there{};
  const ssize_t got = ::pread(descriptor, there.data(), there.size(), 0);
  word = word.substr(0, most_mark_bytes);
  return got >= static_cast<ssize_t>(word.size()) &&
         std::string_view(there.data(), word.size()) == word;
}

bool is_no_room(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

void fail_writing(const std::filesystem::path& path, const char* what, int error) {
  const std::string message = fmt::format("{}: {}: {}{}", path.string(), what,
                                          std::generic_category().message(error), way_out(error));
  if (is_no_room(error)) {
    throw NoRoom(message);
  }
  throw Failure(ExitCode::io, message);
}

std::string way_out(int error) {
  if (!is_no_room(error)) {
    return "";
  }
  return "; the segments are safe: make room, and the same command goes on; --layout virtual needs "
         "no copy of them";
}

}  // namespace scalesweep::store
