// Where the chunks of a merged file come from: segments, whose whole chunks are taken as they are,
// or a table. Private to src/store.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "store/hdf5/chunk_file.hpp"
#include "store/read/study_file.hpp"
#include "store/segments/segment.hpp"

namespace scalesweep::store {

// One chunk of one column on its way: values, which are yet to be encoded, or an encoded chunk,
// whose checksum is yet to be compared.
struct PendingChunk {
  std::vector<std::uint8_t> bytes;
  bool encoded = false;
  std::size_t segment = 0;  // that an encoded one comes from
  std::int64_t row = 0;     // where it starts there
};

// The chunks of a block: block.last - block.first for each column, column by column.
using PendingBlock = std::vector<PendingChunk>;
using BlockReader = std::function<void(ChunkBlock block, PendingBlock& chunks)>;

// Reads the rows of disjoint segments in order. All must outlive it. Throws Failure(io) naming the
// segment that cannot be read.
class SegmentSource {
 public:
  SegmentSource(const std::vector<Segment>& segments, const StudyDescription& study,
                const ChunkGrid& grid);
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

  const std::vector<Segment>& segments_;
  const StudyDescription& study_;
  const ChunkGrid& grid_;
  std::vector<std::int64_t> first_rows_;  // of each segment in the merged file, and the end
  std::size_t opened_ = 0;
  std::optional<SegmentFile> file_;
};

// The values of a block out of a table that has them and begins at `first_row` of the file.
void take_chunks(const Table& table, std::int64_t first_row, const StudyDescription& study,
                 const ChunkGrid& grid, ChunkBlock block, PendingBlock& chunks);

// Both must outlive the reader.
BlockReader read_table(const Table& table, const StudyDescription& study, const ChunkGrid& grid);

// Encodes values and compares checksums, on all processors. Throws Failure(io) naming the segment
// of a damaged chunk.
void encode_block(PendingBlock& block, const StudyDescription& study, const ChunkGrid& grid,
                  const std::vector<Segment>& segments);

}  // namespace scalesweep::store
