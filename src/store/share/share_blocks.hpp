// The blocks of a merge, dealt out to ranks. Private to src/store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "store/merge/merge_journal.hpp"
#include "store/read/study_file.hpp"
#include "store/share/merge_ranks.hpp"

namespace scalesweep::store {

// What is merged into what.
struct BlocksToShare {
  const std::filesystem::path& output;
  const StudyDescription& study;
  const std::vector<Segment>& segments;
  const ChunkGrid& grid;
  std::int64_t first = 0;  // block that is not in the file yet
};

// False if it was stopped; the journal then says where. Whatever other ranks do or leave undone,
// what comes out is what this rank alone would make. Throws as a merge does; where others may still
// write to the file then, it and its journal are gone.
bool share_blocks(ChunkFile& file, MergeJournal& journal, const BlocksToShare& blocks,
                  const FinishOptions& options, MergeSharing& sharing, FinishReport& report);

}  // namespace scalesweep::store
