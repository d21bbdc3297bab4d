// One segment file: the rows of a contiguous range of ids. Private to src/store.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/hdf5/hdf5.hpp"
#include "store/read/study_file.hpp"

namespace scalesweep::store {

std::string segment_name(IdRange ids);

// The range in a segment's file name; nothing if it is not such a name.
std::optional<IdRange> parse_segment_name(const std::string& name);

struct SegmentHeader {
  std::string identity;  // of its study
  IdRange ids;
  std::int64_t rows = 0;
  Counts counts;
  std::optional<Outcomes> outcomes = {};
};

// Rows of a chunk of its columns: as in the study, but where a policy dropped rows no more than
// there are, since a chunk is filled up before it is compressed.
std::int64_t segment_chunk_rows(const StudyDescription& study, IdRange ids, std::int64_t rows);

// Everything of a segment; `fill` gets its datasets, empty, and may keep them.
void describe_segment(hid_t file, const StudyDescription& study, const SegmentHeader& header,
                      const std::function<void(std::vector<h5::Hid>& datasets)>& fill);

// Throws Hdf5Error for a file that is no complete segment of this format version.
SegmentHeader read_segment_header(hid_t file);
// Throws Hdf5Error if it is not of these ids of this study.
void check_segment_header(const SegmentHeader& header, IdRange ids, const StudyDescription& study);

// An open segment of a given study. What is not exactly that throws Hdf5Error on construction.
class SegmentFile {
 public:
  SegmentFile(const std::filesystem::path& path, IdRange ids, const StudyDescription& study);

  std::int64_t rows() const { return header_.rows; }
  const SegmentHeader& header() const { return header_; }
  std::int64_t chunk_rows() const { return chunk_rows_; }
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

// A segment that cannot be read, or whose values are damaged: others may cover its ids.
class DamagedSegment : public Failure {
 public:
  explicit DamagedSegment(const std::string& message) : Failure(ExitCode::io, message) {}
};

// Runs the body; Hdf5Error becomes DamagedSegment and names the file.
template <typename Body>
auto with_segment(const std::filesystem::path& path, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const h5::Hdf5Error& error) {
    throw DamagedSegment(path.string() + ": " + error.what());
  }
}

// What is looked at: its header, which is quick; its columns too; or every value.
enum class Verify { header, structure, values };

inline constexpr std::string_view checking_segments = "checking segments";  // a pass

// Which segments count: those that have some of the ids, or those that have no others.
enum class Extent { touching, within };

struct SegmentScan {
  std::vector<Segment> segments;     // disjoint, in id order, covering as many ids as possible
  std::vector<std::string> ignored;  // "<name>: <why>"
};

struct ListedSegment {
  IdRange ids;
  std::filesystem::path path;
};
// By their names alone, in no order.
std::vector<ListedSegment> listed_segments(const std::filesystem::path& folder);

struct ScanOptions {
  std::optional<IdRange> ids = std::nullopt;  // nothing: all
  Extent extent = Extent::touching;
  PassProgress progress = {};
};

// The segments in a folder that belong to the study. Changes nothing.
SegmentScan scan_segments(const std::filesystem::path& folder, const StudyDescription& study,
                          Verify verify, const ScanOptions& options = {});

// Of ranges that may overlap, disjoint ones that cover as many ids as possible, in order; ranges
// that contain the same ids hold the same values, so any choice will do.
std::vector<Segment> disjoint_cover(std::vector<Segment> segments);

// What disjoint ranges in order leave of 0 ... points - 1.
std::vector<IdRange> missing_ranges(const std::vector<IdRange>& covered, std::int64_t points);

}  // namespace scalesweep::store
