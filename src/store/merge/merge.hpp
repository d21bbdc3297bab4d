// Segments into one file, resumably. Private to src/store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "store/merge/new_file.hpp"
#include "store/read/study_file.hpp"
#include "store/segments/partial_file.hpp"
#include "store/segments/segment.hpp"
#include "store/share/merge_ranks.hpp"

namespace scalesweep::store {

Totals total_of(const std::vector<Segment>& segments, const StudyDescription& study);

// The grid of the merged file where all rows are kept. Smaller blocks where rows are few, so that
// many ranks can share them, but large enough for reading one column. The same whoever merges, and
// so are the bytes of the file.
ChunkGrid merged_grid(const StudyDescription& study, std::int64_t rows,
                      const FinishOptions& options);

// The rows that a selector chooses from those of segments, in order of id, with memory for what is
// chosen and some of the next segments. Nothing if it was stopped.
std::optional<Table> select_rows(const std::vector<Segment>& segments,
                                 const StudyDescription& study, const RowSelector& selector,
                                 const FinishOptions& options);

// One segment in place of two or more that follow each other without a gap; those are removed.
// Throws Failure(io).
Segment join_segments(const std::filesystem::path& output, const StudyDescription& study,
                      const std::vector<Segment>& parts, const std::optional<RowSelector>& selector,
                      Durability durability);

// Disjoint segments in order, of the whole study; the file gets its name when it is complete.
// Throws DamagedSegment, NoRoom, or else Failure(io), and then leaves the segments alone; what has
// been merged stays for the next call, unless there is no room for it. Where all rows are kept,
// ranks that share it do blocks of it, too.
FinishReport merge(const std::filesystem::path& output, const StudyDescription& study,
                   const std::vector<Segment>& segments, const std::optional<RowSelector>& selector,
                   const FinishOptions& options, Existing existing,
                   MergeSharing* sharing = nullptr);

}  // namespace scalesweep::store
