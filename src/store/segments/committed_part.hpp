// What an unfinished study has so far: the segments of NAME.h5.d that count, read as one table.
// Private to src/store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/hdf5/hdf5.hpp"
#include "store/read/study_file.hpp"
#include "store/segments/linked_segments.hpp"

namespace scalesweep::store {

struct CommittedPart {
  h5::Hid description_file;
  StudyDescription description;
  std::vector<LinkedSegment> segments;  // disjoint, in order of id
  std::int64_t done = 0;                // ids covered
  Counts counts;                        // of these ids
  std::optional<Outcomes> outcomes;     // likewise; nothing: a segment has none
  std::vector<std::string> ignored;     // "<name>: <why>"
};

// Verifies every segment whole. A run may be at work on the study meanwhile: what it writes later
// is not seen, and what it joins stays readable. Throws Failure(bad_input) if there is no
// description of ours in this format version, Hdf5Error otherwise.
CommittedPart open_committed(const std::filesystem::path& output, const PassProgress& progress);

std::map<std::string, std::int64_t> counts_by_name(const CommittedPart& part);
std::vector<StoredHistogram> histograms_of(const CommittedPart& part);

}  // namespace scalesweep::store
