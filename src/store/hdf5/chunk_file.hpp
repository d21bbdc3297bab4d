// A file whose encoded chunks are written first, one behind the other, and whose metadata is
// written by HDF5 at the end, behind them. Until then everything that is known of it is the sums
// of its chunks, so that writing can be taken up again wherever it stopped. Blocks and what comes
// behind them begin at pages: two machines may write them, and none of their caches then holds a
// page that the other one writes, too. Private to src/store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/hdf5/chunk_codec.hpp"
#include "store/hdf5/hdf5.hpp"
#include "store/hdf5/output_driver.hpp"
#include "store/read/study_file.hpp"
#include "store/seal/seal.hpp"

namespace scalesweep::store {

// Chunks [first, last) of every column.
struct ChunkBlock {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

// The order of the chunks: block by block, in a block column by column, so that a block needs
// little memory and a reader of one column does not jump for every chunk.
struct ChunkGrid {
  std::int64_t rows = 0;
  std::int64_t chunk_rows = 1;
  std::size_t columns = 0;
  std::int64_t block_chunks = 1;

  std::int64_t chunks() const { return (rows + chunk_rows - 1) / chunk_rows; }
  std::int64_t blocks() const { return (chunks() + block_chunks - 1) / block_chunks; }
  ChunkBlock block(std::int64_t b) const;
  // Chunks in block b, of all columns.
  std::size_t block_size(std::int64_t b) const;
  std::int64_t first_row(std::int64_t chunk) const { return chunk * chunk_rows; }
  std::int64_t last_row(std::int64_t chunk) const;
};

// Blocks of at most about `block_bytes` of values.
ChunkGrid grid_of(const StudyDescription& study, std::int64_t rows, std::int64_t block_bytes);

class ChunkFile {
 public:
  // Opens or creates, and follows no link. Throws Failure(cannot_create).
  ChunkFile(const std::filesystem::path& path, const ChunkGrid& grid);
  ~ChunkFile();
  ChunkFile(const ChunkFile&) = delete;
  ChunkFile& operator=(const ChunkFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Of the file on its file system: another file of the same name has another one.
  std::uint64_t inode() const { return inode_; }
  // Chunks are given in the order of the grid.
  // Whether all of these can be in the file.
  bool holds(const ChunkSums& chunks) const;
  // Drops what lies behind these, the first ones.
  void go_on_behind(ChunkSums chunks);
  // `sum` is that of the chunk.
  void append(std::span<const std::uint8_t> chunk, const ChunkSum& sum);
  // Where the next block begins, whose chunks others write there, one behind the other. Only
  // between blocks.
  std::uint64_t reserve(const ChunkSums& block);
  // Puts a word at the beginning, by which another process knows the file again (has_mark), until
  // describe() takes it away.
  void mark(std::string_view word);
  void sync();
  std::int64_t chunk_bytes() const { return static_cast<std::int64_t>(end_ - superblock_room); }

  // Tells HDF5 of the chunks of `datasets`, one for each column of the grid.
  using Place = std::function<void(const std::vector<hid_t>& datasets)>;
  // Writes everything but the chunks, and seals the file: `describe` creates it, and calls its
  // argument once. In the metadata of HDF5 `version`. Throws Failure(io).
  void describe(H5F_libver_t version,
                const std::function<void(hid_t file, const Place& place)>& describe);
  void close();

 private:
  void write_at(std::uint64_t at, std::span<const std::uint8_t> bytes);
  void place(const std::vector<hid_t>& datasets);
  std::uint64_t next_place() const;
  [[noreturn]] void fail(const char* what, int error) const;

  std::filesystem::path path_;
  ChunkGrid grid_;
  OutputSink sink_;
  std::uint64_t inode_ = 0;
  std::uint64_t end_ = superblock_room;
  std::int64_t next_block_ = 0;    // that has no chunks yet
  std::size_t left_in_block_ = 0;  // chunks that the one before still lacks
  ChunkSums chunks_;
  std::vector<SealedChunk> placed_;  // by place()
};

// Longer ones are cut.
inline constexpr std::size_t most_mark_bytes = 256;
// Whether the open file begins with this mark.
bool has_mark(int descriptor, std::string_view word);

// The disk or a quota is full.
class NoRoom : public Failure {
 public:
  explicit NoRoom(const std::string& message) : Failure(ExitCode::io, message) {}
};
bool is_no_room(int error);
// Throws NoRoom, or else Failure(io).
[[noreturn]] void fail_writing(const std::filesystem::path& path, const char* what, int error);

// What a message about a disk that does not take a file adds to the system's words; "" for errors
// that more room would not help.
std::string way_out(int error);

}  // namespace scalesweep::store
