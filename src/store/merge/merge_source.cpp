#include "store/merge/merge_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "store/hdf5/chunk_codec.hpp"
#include "store/hdf5/columns.hpp"

namespace scalesweep::store {
namespace {

// Where column c of chunk k lies in a block.
std::size_t index_of(ChunkBlock block, std::size_t column, std::int64_t chunk) {
  return column * static_cast<std::size_t>(block.last - block.first) +
         static_cast<std::size_t>(chunk - block.first);
}

// Calls body(worker's own state, index) for every index, from so many threads.
template <typename State, typename Body>
void for_each_parallel(std::size_t count, unsigned threads, Body&& body) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr first_error;
  const auto work = [&] {
    try {
      State state;
      for (std::size_t i = next++; i < count; i = next++) {
        body(state, i);
      }
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      first_error = std::current_exception();
    }
  };
  std::vector<std::jthread> others;
  for (unsigned t = 1; t < threads && t < count; ++t) {
    others.emplace_back(work);
  }
  work();
  others.clear();
  if (first_error) {
    std::rethrow_exception(first_error);
  }
}

}  // namespace

std::vector<SourceSegment> sources_of(const std::vector<Segment>& segments) {
  std::vector<SourceSegment> sources;
  for (const Segment& segment : segments) {
    sources.push_back({segment.ids, segment.path, segment.rows});
  }
  return sources;
}

SegmentSource::SegmentSource(std::vector<SourceSegment> segments, const StudyDescription& study,
                             const ChunkGrid& grid, std::int64_t first_row)
    : study_(study), grid_(grid) {
  follow(std::move(segments), first_row);
}

void SegmentSource::follow(std::vector<SourceSegment> segments, std::int64_t first_row) {
  segments_ = std::move(segments);
  first_rows_ = {first_row};
  for (const SourceSegment& segment : segments_) {
    first_rows_.push_back(first_rows_.back() + segment.rows);
  }
}

void SegmentSource::open(std::size_t segment) {
  const std::filesystem::path& path = segments_[segment].path;
  if (file_ && opened_ == path) {
    return;
  }
  file_.reset();
  with_segment(path, [&] { file_.emplace(path, segments_[segment].ids, study_); });
  if (file_->rows() != segments_[segment].rows) {
    throw DamagedSegment(fmt::format("{}: it has changed meanwhile", path.string()));
  }
  opened_ = path;
}

std::vector<SegmentSource::Piece> SegmentSource::pieces(std::size_t segment,
                                                        ChunkBlock block) const {
  const std::int64_t begin = first_rows_[segment];
  const std::int64_t end = first_rows_[segment + 1];
  std::vector<Piece> result;
  const std::int64_t first = std::max(block.first, begin / grid_.chunk_rows);
  for (std::int64_t chunk = first; chunk < block.last && grid_.first_row(chunk) < end; ++chunk) {
    Piece piece;
    piece.chunk = chunk;
    piece.first_row = std::max(grid_.first_row(chunk), begin) - begin;
    piece.last_row = std::min(grid_.last_row(chunk), end) - begin;
    piece.offset = begin + piece.first_row - grid_.first_row(chunk);
    const std::int64_t rows = piece.last_row - piece.first_row;
    // A chunk that is not full is filled up with zeros, here and there.
    piece.whole = rows == grid_.last_row(chunk) - grid_.first_row(chunk) &&
                  piece.first_row % grid_.chunk_rows == 0 &&
                  (rows == grid_.chunk_rows || piece.last_row == end - begin);
    result.push_back(piece);
  }
  return result;
}

void SegmentSource::read_segment(std::size_t segment, ChunkBlock block, PendingBlock& chunks) {
  open(segment);
  const std::vector<Piece> all = pieces(segment, block);
  with_segment(segments_[segment].path, [&] {
    for (std::size_t c = 0; c < grid_.columns; ++c) {
      const std::string& name = study_.schema[c].name;
      const std::size_t width = stored_bytes(study_.schema[c]);
      for (const Piece& piece : all) {
        PendingChunk& chunk = chunks[index_of(block, c, piece.chunk)];
        chunk.encoded = piece.whole && file_->chunk_rows() == grid_.chunk_rows;
        if (chunk.encoded) {
          chunk.segment = segment;
          chunk.row = piece.first_row;
          load_encoded_chunk(file_->dataset(c), name, piece.first_row, chunk.bytes);
          continue;
        }
        chunk.bytes.resize(width * static_cast<std::size_t>(grid_.last_row(piece.chunk) -
                                                            grid_.first_row(piece.chunk)));
        read_stored_rows(file_->dataset(c), name, piece.first_row, piece.last_row,
                         chunk.bytes.data() + width * static_cast<std::size_t>(piece.offset));
      }
    }
  });
}

void SegmentSource::read(ChunkBlock block, PendingBlock& chunks) {
  chunks.resize(static_cast<std::size_t>(block.last - block.first) * grid_.columns);
  const std::int64_t first_row = grid_.first_row(block.first);
  const std::int64_t last_row = grid_.last_row(block.last - 1);
  // The last segment that begins at the row or before; empty ones begin where the next one does.
  const auto after = std::upper_bound(first_rows_.begin(), first_rows_.end(), first_row);
  auto segment = static_cast<std::size_t>(after - first_rows_.begin()) - 1;
  for (; segment < segments_.size() && first_rows_[segment] < last_row; ++segment) {
    if (segments_[segment].rows > 0) {
      read_segment(segment, block, chunks);
    }
  }
}

void take_chunks(const Table& table, std::int64_t first_row, const StudyDescription& study,
                 const ChunkGrid& grid, ChunkBlock block, PendingBlock& chunks) {
  chunks.resize(static_cast<std::size_t>(block.last - block.first) * grid.columns);
  std::vector<double> numbers;
  for (std::size_t c = 0; c < grid.columns; ++c) {
    const std::size_t width = stored_bytes(study.schema[c]);
    const auto values = stored_values(table, c, study.schema[c], numbers);
    for (std::int64_t k = block.first; k < block.last; ++k) {
      const auto first = static_cast<std::size_t>(grid.first_row(k) - first_row);
      const auto rows = static_cast<std::size_t>(grid.last_row(k) - grid.first_row(k));
      const auto part = values.subspan(first * width, rows * width);
      PendingChunk& chunk = chunks[index_of(block, c, k)];
      chunk.encoded = false;
      chunk.bytes.assign(part.begin(), part.end());
    }
  }
}

BlockReader read_table(const Table& table, const StudyDescription& study, const ChunkGrid& grid) {
  return [&](ChunkBlock block, PendingBlock& chunks) {
    take_chunks(table, 0, study, grid, block, chunks);
  };
}

void encode_block(PendingBlock& block, const StudyDescription& study, const ChunkGrid& grid,
                  const std::vector<SourceSegment>& segments, unsigned threads) {
  constexpr unsigned most_threads = 8;
  if (threads == 0) {
    threads = std::clamp(std::thread::hardware_concurrency(), 1U, most_threads);
  }
  const std::size_t in_column = block.size() / grid.columns;
  for_each_parallel<ChunkEncoder>(block.size(), threads, [&](ChunkEncoder& encoder, std::size_t i) {
    PendingChunk& chunk = block[i];
    const Column& column = study.schema[i / in_column];
    if (!chunk.encoded) {
      const auto encoded = encoder.encode(chunk.bytes, stored_bytes(column),
                                          static_cast<std::size_t>(grid.chunk_rows));
      chunk.bytes.assign(encoded.begin(), encoded.end());
    } else if (!checksum_holds(chunk.bytes)) {
      throw DamagedSegment(fmt::format("{}: {}", segments[chunk.segment].path.string(),
                                       damaged_chunk(column.name, chunk.row).what()));
    }
    chunk.sum = sum_of(chunk.bytes);
  });
}

JournalEntry entry_of(std::int64_t b, const ChunkGrid& grid, const PendingBlock& block) {
  JournalEntry entry;
  entry.block = b;
  for (const PendingChunk& chunk : block) {
    entry.chunks.push_back(chunk.sum);
    entry.copied_bytes += chunk.encoded ? static_cast<std::int64_t>(chunk.bytes.size()) : 0;
  }
  const ChunkBlock chunks = grid.block(b);
  for (std::int64_t chunk = chunks.first; chunk < chunks.last; ++chunk) {
    if (!block[static_cast<std::size_t>(chunk - chunks.first)].encoded) {
      entry.encoded_rows += grid.last_row(chunk) - grid.first_row(chunk);
    }
  }
  return entry;
}

}  // namespace scalesweep::store
