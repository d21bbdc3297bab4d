// Segments put together to the file of a whole study, and what is left of them removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "store/read/study_file.hpp"
#include "store/share/merge_ranks.hpp"

namespace scalesweep::store {

// Removes NAME.h5.d of a run that computed nothing yet, whatever its study, and says whether it
// did: not where anything else lies there. Nobody may be at work on it.
bool discard_unstarted(const std::filesystem::path& output);

// Of a finished study: removes NAME.h5.d where nothing lies in it, as a kill at the very end leaves
// it. No link to a folder.
void remove_emptied(const std::filesystem::path& output);

// Verifies coverage, merges, fsyncs, renames to `output`, removes NAME.h5.d (unless the layout
// needs it). Memory does not grow with the number of rows; with a selector it holds what is chosen
// and the next segments. Does nothing but remove NAME.h5.d if the finished study is there already.
// A finished study by segments becomes a merged one. Throws Failure: internal if ids were never
// evaluated, io if segments are damaged, cannot be written or do not fit on the disk,
// cannot_create if something else stands at `output`, usage for a selector with by_segment.
// Ranks that `sharing` names do parts of it, where all rows are kept; the file is the same.
FinishReport finish(const std::filesystem::path& output, const StudyDescription& study,
                    const std::optional<RowSelector>& selector, const FinishOptions& options = {},
                    MergeSharing* sharing = nullptr);

// How many ranks can do something of a merge of so many rows at most, at least 1.
std::int64_t most_merging_ranks(const StudyDescription& study, std::int64_t rows);

}  // namespace scalesweep::store
