// Who a study on disk is: read from study.json or from a finished file, and compared with the one
// at hand. Private to src/store.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "store/hdf5/hdf5.hpp"
#include "store/hdf5/names.hpp"
#include "store/read/study_file.hpp"

namespace scalesweep::store {

// Value of the root attribute `layout` where the rows lie in the segments.
constexpr const char* by_segment_layout = "by_segment";

struct StoredStudy {
  std::int64_t format_version = 0;
  std::string identity;
  std::map<std::string, std::string> identity_parts;
  std::int64_t points = 0;
  std::int64_t chunk_rows = 0;
  std::string title;
};

// The text of NAME.h5.d/study.json.
std::string study_json(const StudyDescription& study);

// Throws std::runtime_error with what is wrong if the text is no such file.
StoredStudy parse_study_json(const std::string& text);

// Of an open finished file. Throws Hdf5Error if it is not one of ours.
StoredStudy read_stored_study(hid_t file);

// Throws Hdf5Error that says what the open file is where its root attribute `format` is another.
void expect_format(hid_t file, const std::string& expected);

// Whether rows of a file of that format version can be read here; check_readable throws Hdf5Error
// where they cannot.
bool is_readable(std::int64_t version);
void check_readable(std::int64_t version);

// Of an open finished file.
Layout layout_of(hid_t file);

// The names of the counts of an open finished file. Throws Hdf5Error if they are damaged: texts are
// not under a checksum of HDF5's.
std::vector<std::string> read_count_names(hid_t file);

// In words what makes the stored study another one than the study at hand; empty if nothing does.
std::string difference(const StoredStudy& stored, const StudyDescription& study);

// Chunks are never longer than the study.
std::int64_t effective_chunk_rows(const StudyDescription& study);

// Says that so many of all steps of a pass are done, if anybody listens.
template <typename Count>
void tell(const PassProgress& progress, std::string_view pass, Count done, Count all) {
  if (progress) {
    progress(pass, static_cast<double>(done) / static_cast<double>(all));
  }
}

// Contracts of a description: names, labels, point_id first.
bool is_well_formed(const StudyDescription& study);

}  // namespace scalesweep::store
