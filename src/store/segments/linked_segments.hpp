// The rows of a finished study that lie in its segments. Private to src/store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "store/hdf5/hdf5.hpp"
#include "store/read/study_file.hpp"

namespace scalesweep::store {

// A segment that holds rows [first_row, last_row) of a study.
struct LinkedSegment {
  h5::Hid file;  // may be left closed where there are too many: opened for every read then
  std::filesystem::path path;
  std::int64_t first_row = 0;
  std::int64_t last_row = 0;
};

// Opens all segments that a file is made of. Throws Hdf5Error that names what is missing or another
// one. Rows are read from them directly: through a virtual dataset HDF5 gives fill values, without
// a word, for what it cannot open.
std::vector<LinkedSegment> open_linked_segments(hid_t file, const std::filesystem::path& output);

// Rows [first, last) of a column into memory. Throws Failure(io) naming the segment.
void read_linked(const std::vector<LinkedSegment>& segments, const Column& column,
                 std::int64_t first, std::int64_t last, std::uint8_t* values);

// Their number and size on disk.
struct LinkedSegments {
  std::int64_t segments = 0;
  std::int64_t bytes = 0;
};
LinkedSegments linked_segments(hid_t file, const std::filesystem::path& output);

}  // namespace scalesweep::store
