// Whether there is room for a study, before hours are spent on it and while it is written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "store/read/study_file.hpp"

namespace scalesweep::engine {

struct SpaceNeeded {
  double segments_bytes = 0.0;  // still to be written in NAME.h5.d
  double merged_bytes = 0.0;    // still to be written in NAME.h5.partial, beside the segments
  double total() const { return segments_bytes + merged_bytes; }
};

struct SpaceQuestion {
  double bytes_per_id = 0.0;      // on disk
  std::int64_t ids_to_do = 0;     // of this run
  std::int64_t ids_of_study = 0;  // all, done or not
  double partial_bytes = 0.0;     // what an earlier merge has copied already
  bool merges = true;             // this run, at its end: no shard
  store::Layout layout = store::Layout::merged;
};

// Segments and merged file stand side by side until the end; what is there needs no room any more.
SpaceNeeded space_needed(const SpaceQuestion& question);

// Bytes that this user may still write on the file system of `path`; nothing where it cannot tell.
std::optional<double> free_bytes(const std::filesystem::path& path);

// Throws Failure(cannot_create) that says what is needed, what there is and what one can do.
void expect_room(const std::filesystem::path& output, const SpaceNeeded& needed, double free_bytes);

// What ranks may write before a stop takes effect: below it a run had better stop. Of each rank the
// segment that it holds, as far as rates tell, and never more than `most_per_rank` bytes.
double reserve_bytes(int live_ranks, double bytes_per_id, double ids_per_second_per_rank,
                     double segment_seconds, double most_per_rank);

}  // namespace scalesweep::engine
