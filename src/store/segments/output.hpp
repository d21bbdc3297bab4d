// What stands where a study is to be written, and what is written there: NAME.h5.d, its description
// and segments.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/id_range.hpp"
#include "store/read/study_file.hpp"

namespace scalesweep::store {

enum class OutputState { absent, resumable, finished, other_study, foreign };

struct OutputReport {
  OutputState state = OutputState::absent;
  std::string detail = {};  // for other_study: what differs; for foreign: what the file is
  std::vector<Segment> segments = {};  // for resumable: valid ones, in id order, disjoint
  std::vector<std::string> ignored =
      {};                          // for resumable: files in NAME.h5.d that do not count, and why
  Layout layout = Layout::merged;  // for finished
};

// What stands at `output`: never changes anything. Reads every segment whole, to verify it, that
// has some of `ids` (all, if not given); others are not reported.
OutputReport inspect_output(const std::filesystem::path& output, const StudyDescription& study,
                            std::optional<IdRange> ids = std::nullopt,
                            const PassProgress& progress = {});

// Creates NAME.h5.d with study.json if absent. Throws Failure(cannot_create), also if another
// study is already there.
void prepare_output(const std::filesystem::path& output, const StudyDescription& study,
                    Durability durability = Durability::synced);

// Durable when it returns. `rows` are in ascending order of id, all within `ids`. Throws
// Failure(io) naming the file and the reason (disk full, ...), and leaves nothing behind then.
// Without outcomes those of the whole study will not be known.
Segment write_segment(const std::filesystem::path& output, const StudyDescription& study,
                      IdRange ids, const Table& rows, const Counts& counts,
                      Durability durability = Durability::synced,
                      const std::optional<Outcomes>& outcomes = std::nullopt);

}  // namespace scalesweep::store
