// What can be told of a study on disk, finished or not, by whoever did not begin it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/id_range.hpp"
#include "store/read/study_file.hpp"

namespace scalesweep::store {

// The description that prepare_output wrote to NAME.h5.d, or that of a finished file: all but
// provenance of later runs. Throws as read_progress does.
StudyDescription read_description(const std::filesystem::path& output);

// What can be told of an output without knowing its study.
struct OutputProgress {
  bool finished = false;
  std::string title;
  std::string identity;
  std::int64_t points = 0;  // of the whole study
  std::int64_t done = 0;    // ids evaluated
  std::int64_t rows = 0;    // rows kept
  std::int64_t segments = 0;
  Layout layout = Layout::merged;  // of a finished one
  std::vector<std::string> count_names;
  Counts counts;           // so far, in the order of count_names; without histograms
  std::int64_t bytes = 0;  // on disk
  // Of an unfinished one: ids a second over the last minutes of writing, by the times of its
  // segments; and how long ago the last one was written. 0 where there are too few to tell.
  double recent_rate = 0.0;
  double seconds_since_last = 0.0;
  std::vector<IdRange> missing;      // disjoint, in order
  std::vector<std::string> ignored;  // files of it that do not count: "<name>: <why>"
};

// Reads NAME.h5, or else NAME.h5.d. Throws Failure(no_input) if neither is there,
// Failure(bad_input) if they are not ours.
OutputProgress read_progress(const std::filesystem::path& output,
                             const PassProgress& progress = {});

}  // namespace scalesweep::store
