// One segment file: the rows of a contiguous range of ids. Private to src/store.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "store/hdf5.hpp"
#include "store/study_file.hpp"

namespace scalesweep::store {

std::string segment_name(IdRange ids);

// The range in a segment's file name; nothing if it is not such a name.
std::optional<IdRange> parse_segment_name(const std::string& name);

struct SegmentHeader {
  std::string identity;  // of its study
  IdRange ids;
  std::int64_t rows = 0;
  Counts counts;
};

// Throws Hdf5Error for a file that is no complete segment of this format version.
SegmentHeader read_segment_header(hid_t file);

// An open segment of a given study. What is not exactly that throws Hdf5Error on construction.
class SegmentFile {
 public:
  SegmentFile(const std::filesystem::path& path, IdRange ids, const StudyDescription& study);

  std::int64_t rows() const { return header_.rows; }
  const Counts& counts() const { return header_.counts; }
  hid_t dataset(std::size_t column) const { return datasets_[column].get(); }

  // Checksums of all chunks. Throws Hdf5Error.
  void verify_values() const;
  // Adds all rows to a table of the study's schema.
  void append_to(Table& table) const;

 private:
  void check_columns(const StudyDescription& study);

  h5::Hid file_;
  SegmentHeader header_;
  std::int64_t chunk_rows_ = 0;
  Schema schema_;
  std::vector<h5::Hid> datasets_;
};

enum class Verify { structure, values };

struct SegmentScan {
  std::vector<Segment> segments;     // disjoint, in id order, covering as many ids as possible
  std::vector<std::string> ignored;  // "<name>: <why>"
};

// All segments in a folder that belong to the study. Changes nothing.
SegmentScan scan_segments(const std::filesystem::path& folder, const StudyDescription& study,
                          Verify verify);

// Of ranges that may overlap, disjoint ones that cover as many ids as possible, in order; ranges
// that contain the same ids hold the same values, so any choice will do.
std::vector<Segment> disjoint_cover(std::vector<Segment> segments);

}  // namespace scalesweep::store
