// Where the chunks of a merged file come from: segments, whose whole chunks are taken as they are,
// or a table. Private to src/store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "store/hdf5/chunk_file.hpp"
#include "store/merge/merge_journal.hpp"
#include "store/read/study_file.hpp"
#include "store/segments/segment.hpp"

namespace scalesweep::store {

// One chunk of one column on its way: values, which are yet to be encoded, or an encoded chunk,
// whose checksum is yet to be compared.
struct PendingChunk {
  std::vector<std::uint8_t> bytes;
  ChunkSum sum;  // once it is encoded
  bool encoded = false;
  std::size_t segment = 0;  // that an encoded one comes from
  std::int64_t row = 0;     // where it starts there
};

// The chunks of a block: block.last - block.first for each column, column by column.
using PendingBlock = std::vector<PendingChunk>;
using BlockReader = std::function<void(ChunkBlock block, PendingBlock& chunks)>;

// What is to be known of a segment to read its rows.
struct SourceSegment {
  IdRange ids;
  std::filesystem::path path;
  std::int64_t rows = 0;
};
std::vector<SourceSegment> sources_of(const std::vector<Segment>& segments);

// Reads the rows of disjoint segments in order. The study must outlive it.
class SegmentSource {
 public:
  // The segments begin at row `first_row` of the merged file.
  SegmentSource(std::vector<SourceSegment> segments, const StudyDescription& study,
                const ChunkGrid& grid, std::int64_t first_row = 0);
  // Others instead; the file that was read last stays open.
  void follow(std::vector<SourceSegment> segments, std::int64_t first_row);
  const std::vector<SourceSegment>& segments() const { return segments_; }
  // Throws DamagedSegment naming the segment that cannot be read.
  void read(ChunkBlock block, PendingBlock& chunks);

 private:
  struct Piece {
    std::int64_t chunk = 0;      // of the merged file
    std::int64_t first_row = 0;  // in the segment
    std::int64_t last_row = 0;
    std::int64_t offset = 0;  // rows of the chunk that come before
    bool whole = false;       // a chunk of the segment is the chunk of the merged file
  };
  void read_segment(std::size_t segment, ChunkBlock block, PendingBlock& chunks);
  std::vector<Piece> pieces(std::size_t segment, ChunkBlock block) const;
  void open(std::size_t segment);

  std::vector<SourceSegment> segments_;
  const StudyDescription& study_;
  ChunkGrid grid_;
  std::vector<std::int64_t> first_rows_;  // of each segment in the merged file, and the end
  std::filesystem::path opened_;
  std::optional<SegmentFile> file_;
};

// What the journal says of block b, once it is encoded.
JournalEntry entry_of(std::int64_t b, const ChunkGrid& grid, const PendingBlock& block);

// The values of a block out of a table that has them and begins at `first_row` of the file.
void take_chunks(const Table& table, std::int64_t first_row, const StudyDescription& study,
                 const ChunkGrid& grid, ChunkBlock block, PendingBlock& chunks);

// Both must outlive the reader.
BlockReader read_table(const Table& table, const StudyDescription& study, const ChunkGrid& grid);

// Encodes values and compares checksums, in so many threads (0: one for every processor, up to
// 8). Throws DamagedSegment naming the segment of a damaged chunk.
void encode_block(PendingBlock& block, const StudyDescription& study, const ChunkGrid& grid,
                  const std::vector<SourceSegment>& segments, unsigned threads = 0);

}  // namespace scalesweep::store
