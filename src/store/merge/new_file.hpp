// A finished file in the making whose encoded chunks come block by block. Private to src/store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "store/hdf5/chunk_file.hpp"
#include "store/merge/merge_source.hpp"
#include "store/read/study_file.hpp"
#include "store/segments/partial_file.hpp"

namespace scalesweep::store {

struct Totals {
  std::int64_t rows = 0;
  Counts counts;
  std::optional<Outcomes> outcomes;  // nothing: a segment has none
};

// Puts all blocks that `read` gives values of into an empty file, encoded on all processors.
void append_blocks(ChunkFile& file, const ChunkGrid& grid, const StudyDescription& study,
                   const BlockReader& read, const PassProgress& progress = {});

// Writes the metadata behind the chunks, reads the file back and gives it its name. Throws
// Failure(io), or Failure(cannot_create) where `existing` keeps what has that name.
void complete_file(ChunkFile& file, const std::filesystem::path& output, const ChunkGrid& grid,
                   const StudyDescription& study, const Totals& totals, Durability durability,
                   Existing existing);

}  // namespace scalesweep::store
