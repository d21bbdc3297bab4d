// What rank 0 of a merge and those who help it say to each other, and how that becomes bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "core/id_range.hpp"
#include "store/hdf5/chunk_codec.hpp"

namespace scalesweep::store {

enum class MergeOrderKind : std::uint8_t {
  make,   // read block `block`, encode its chunks and keep them
  place,  // write them at byte `at` of the file
  drop,   // forget them
  sync,   // make durable what is written
};

// A run of segments that have rows of a block.
struct MergeSource {
  IdRange ids;
  std::int64_t rows = 0;
};

struct MergeOrder {
  MergeOrderKind kind = MergeOrderKind::make;
  std::int64_t block = 0;
  std::uint64_t at = 0;
  // The rest is of `make`. The study, and the mark that the file begins with: who sees others
  // cannot help.
  std::string identity = {};
  std::string mark = {};
  // The grid of the file (ChunkGrid).
  std::int64_t rows = 0;
  std::int64_t chunk_rows = 0;
  std::int64_t block_chunks = 0;
  // What the block is made of, and the row of the file at which the first of them begins.
  std::int64_t first_row = 0;
  std::vector<MergeSource> sources = {};
};

enum class MergeReplyKind : std::uint8_t {
  made,     // `chunks`; they wait for their place
  put,      // they are in the file, and no longer in memory
  durable,  // and survive a power cut, if that is asked for
  failed,   // `why`; the block is forgotten
};

struct MergeReply {
  MergeReplyKind kind = MergeReplyKind::failed;
  std::int64_t block = 0;
  std::int64_t copied_bytes = 0;
  std::int64_t encoded_rows = 0;
  ChunkSums chunks = {};  // in the order of the grid
  std::string why = {};
  std::exception_ptr error = nullptr;  // of this process; does not travel
};

// The decoders throw Failure(mpi_unavailable) for bytes that are no such message.
std::vector<std::byte> encode(const MergeOrder& order);
std::vector<std::byte> encode(const MergeReply& reply);
MergeOrder decode_merge_order(std::span<const std::byte> bytes);
MergeReply decode_merge_reply(std::span<const std::byte> bytes);

}  // namespace scalesweep::store
