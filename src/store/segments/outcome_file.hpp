// Outcomes by group as they lie in a segment, and in a finished file or a description. Private to
// src/store.
#pragma once

#include <optional>
#include <vector>

#include "store/hdf5/hdf5.hpp"
#include "store/read/outcomes.hpp"
#include "store/read/study_file.hpp"

namespace scalesweep::store {

void write_segment_outcomes(hid_t file, const Outcomes& outcomes);
// Nothing where the segment has none. Throws Hdf5Error where they are damaged.
std::optional<Outcomes> read_segment_outcomes(hid_t file);

// Into the group `summary`. Nothing where the study has no outcome tables.
void write_outcomes(hid_t summary, const StudyDescription& study, const Outcomes& outcomes);
// Of an open finished file or description; without tables where it has none.
OutcomeTables read_outcome_tables(hid_t file);
std::vector<StoredOutcomes> read_outcomes(hid_t file);

}  // namespace scalesweep::store
