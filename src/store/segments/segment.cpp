#include "store/segments/segment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/contracts.hpp"
#include "store/hdf5/columns.hpp"
#include "store/read/outcomes.hpp"
#include "store/seal/open.hpp"
#include "store/segments/outcome_file.hpp"
#include "store/segments/partial_file.hpp"
#include "store/segments/stored_study.hpp"

namespace scalesweep::store {
namespace {

using h5::Hid;

std::optional<std::int64_t> parse_id(const std::string& digits) {
  constexpr std::size_t fewest = 12;
  constexpr std::size_t most = 18;
  const bool plain = digits.size() >= fewest && digits.size() <= most &&
                     digits.find_first_not_of("0123456789") == std::string::npos;
  return plain ? std::optional<std::int64_t>(std::stoll(digits)) : std::nullopt;
}

}  // namespace

std::string segment_name(IdRange ids) {
  return fmt::format("{:012}-{:012}.h5", ids.first, ids.last);
}

std::optional<IdRange> parse_segment_name(const std::string& name) {
  const auto dash = name.find('-');
  if (dash == std::string::npos || !name.ends_with(".h5")) {
    return std::nullopt;
  }
  const auto first = parse_id(name.substr(0, dash));
  const auto last = parse_id(name.substr(dash + 1, name.size() - dash - 4));
  if (!first || !last || *last <= *first) {
    return std::nullopt;
  }
  return IdRange{*first, *last};
}

std::int64_t segment_chunk_rows(const StudyDescription& study, IdRange ids, std::int64_t rows) {
  const std::int64_t chunk_rows = effective_chunk_rows(study);
  return rows < ids.size() ? std::clamp<std::int64_t>(rows, 1, chunk_rows) : chunk_rows;
}

void describe_segment(hid_t file, const StudyDescription& study, const SegmentHeader& header,
                      const std::function<void(std::vector<Hid>& datasets)>& fill) {
  h5::write_fixed_text_attribute(file, "format", segment_format);
  h5::write_int_attribute(file, "format_version", format_version);
  h5::write_fixed_text_attribute(file, "identity", header.identity);
  h5::write_int_attribute(file, "first_id", header.ids.first);
  h5::write_int_attribute(file, "last_id", header.ids.last);
  h5::write_ints_attribute(file, "counts", header.counts);
  {
    const Hid results = h5::create_group(file, "results");
    std::vector<Hid> datasets;
    const std::int64_t chunk_rows = segment_chunk_rows(study, header.ids, header.rows);
    for (const Column& column : study.schema) {
      const Hid type = file_type(column);
      datasets.push_back(create_column(results.get(), column, type.get(), header.rows, chunk_rows));
    }
    fill(datasets);
  }
  if (header.outcomes) {
    write_segment_outcomes(file, *header.outcomes);
  }
  // Last, so that a file without it is known to be unfinished.
  h5::write_int_attribute(file, "committed_rows", header.rows);
}

SegmentHeader read_segment_header(hid_t file) {
  if (h5::read_text_attribute_or(file, "format", "") != segment_format) {
    throw h5::Hdf5Error("it is an HDF5 file, but not a segment");
  }
  if (!is_readable(h5::read_int_attribute(file, "format_version"))) {
    throw h5::Hdf5Error("it is of another format version");
  }
  if (!h5::has_attribute(file, "committed_rows")) {
    throw h5::Hdf5Error("it was never completed");
  }
  SegmentHeader header;
  header.identity = h5::read_text_attribute(file, "identity");
  header.ids = {h5::read_int_attribute(file, "first_id"), h5::read_int_attribute(file, "last_id")};
  header.rows = h5::read_int_attribute(file, "committed_rows");
  header.counts = h5::read_ints_attribute(file, "counts");
  header.outcomes = read_segment_outcomes(file);
  return header;
}

void check_segment_header(const SegmentHeader& header, IdRange ids, const StudyDescription& study) {
  if (header.identity != study.identity) {
    throw h5::Hdf5Error("it belongs to another study");
  }
  if (header.ids != ids || ids.last > study.points) {
    throw h5::Hdf5Error(
        fmt::format("it holds ids {} to {}", header.ids.first, header.ids.last - 1));
  }
  if (header.counts.size() != zero_counts(study).size()) {
    throw h5::Hdf5Error("it counts other things than this study");
  }
  if (header.outcomes && !are_outcomes_of(study, *header.outcomes)) {
    throw h5::Hdf5Error("its outcomes are not those of this study");
  }
}

SegmentFile::SegmentFile(const std::filesystem::path& path, IdRange ids,
                         const StudyDescription& study)
    : file_(open_checked(path)),
      header_(read_segment_header(file_.get())),
      chunk_rows_(segment_chunk_rows(study, header_.ids, header_.rows)),
      schema_(study.schema) {
  check_segment_header(header_, ids, study);
  check_columns(study);
}

void SegmentFile::check_columns(const StudyDescription& study) {
  const Hid results = h5::open_group(file_.get(), "results");
  for (const Column& column : study.schema) {
    datasets_.push_back(h5::open_dataset(results.get(), column.name));
    const hid_t dataset = datasets_.back().get();
    const DatasetShape shape = shape_of(dataset, column.name);
    if (shape.rows != header_.rows || shape.chunk_rows != chunk_rows_ ||
        !is_stored_as(describe_column(dataset, column.name), column)) {
      throw h5::Hdf5Error(fmt::format("its column '{}' is not that of this study", column.name));
    }
  }
}

void SegmentFile::verify_values() const {
  std::vector<std::uint8_t> chunk;
  for (std::size_t c = 0; c < datasets_.size(); ++c) {
    for (std::int64_t row = 0; row < header_.rows; row += chunk_rows_) {
      read_encoded_chunk(datasets_[c].get(), schema_[c].name, row, chunk);
    }
  }
}

void SegmentFile::append_to(Table& table) const {
  const std::size_t before = table.rows();
  table.resize(before + static_cast<std::size_t>(header_.rows));
  for (std::size_t c = 0; c < datasets_.size(); ++c) {
    auto* values = static_cast<std::uint8_t*>(table.data(c));
    read_rows(datasets_[c].get(), schema_[c], 0, header_.rows,
              values + before * type_bytes(schema_[c].type));
  }
}

namespace {

// Whether a file that was listed was gone when it was to be opened.
bool read_listed(const std::filesystem::path& path, IdRange ids, const StudyDescription& study,
                 Verify verify, SegmentScan& scan) {
  try {
    if (verify == Verify::header) {
      const Hid file = open_checked(path);
      SegmentHeader header = read_segment_header(file.get());
      check_segment_header(header, ids, study);
      scan.segments.push_back(
          {ids, path, header.rows, std::move(header.counts), std::move(header.outcomes)});
      return false;
    }
    const SegmentFile segment(path, ids, study);
    if (verify == Verify::values) {
      segment.verify_values();
    }
    const SegmentHeader& header = segment.header();
    scan.segments.push_back({ids, path, header.rows, header.counts, header.outcomes});
  } catch (const h5::Hdf5Error& error) {
    std::error_code code;
    if (!std::filesystem::exists(std::filesystem::symlink_status(path, code))) {
      return true;
    }
    scan.ignored.push_back(fmt::format(
        "{}: {}{}", path.filename().string(), error.what(),
        error.way_out() == h5::for_memory ? " (memory was short, or the file is damaged)" : ""));
  }
  return false;
}

}  // namespace

SegmentScan scan_segments(const std::filesystem::path& folder, const StudyDescription& study,
                          Verify verify, const ScanOptions& options) {
  const auto counts = [&](IdRange ids) {
    if (!options.ids) {
      return true;
    }
    const IdRange& wanted = *options.ids;
    return options.extent == Extent::touching
               ? ids.last > wanted.first && ids.first < wanted.last
               : ids.first >= wanted.first && ids.last <= wanted.last;
  };
  SegmentScan scan;
  // What vanishes was compacted by another run, into a file that may not have been listed.
  constexpr int most_rounds = 100;
  bool vanished = true;
  for (int round = 0; vanished && round < most_rounds; ++round) {
    scan = {};
    vanished = false;
    const std::vector<ListedSegment> listed = listed_segments(folder);
    std::size_t looked_at = 0;
    for (const auto& [ids, path] : listed) {
      if (counts(ids)) {
        vanished = read_listed(path, ids, study, verify, scan) || vanished;
      }
      tell(options.progress, checking_segments, ++looked_at, listed.size());
    }
  }
  std::sort(scan.ignored.begin(), scan.ignored.end());
  scan.segments = disjoint_cover(std::move(scan.segments));
  return scan;
}

std::vector<ListedSegment> listed_segments(const std::filesystem::path& folder) {
  std::vector<ListedSegment> listed;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (const auto ids = parse_segment_name(entry.path().filename().string())) {
      listed.push_back({*ids, entry.path()});
    }
  }
  return listed;
}

// Weighted interval scheduling: best[i] is the most ids that the first i ranges, in order of their
// ends, can cover without overlap.
std::vector<Segment> disjoint_cover(std::vector<Segment> segments) {
  std::sort(segments.begin(), segments.end(), [](const Segment& a, const Segment& b) {
    return a.ids.last != b.ids.last ? a.ids.last < b.ids.last : a.ids.first < b.ids.first;
  });
  const std::size_t n = segments.size();
  std::vector<std::int64_t> best(n + 1, 0);
  std::vector<std::size_t> compatible(n, 0);  // how many ranges end before this one starts
  for (std::size_t i = 0; i < n; ++i) {
    const auto fits = std::upper_bound(
        segments.begin(), segments.end(), segments[i].ids.first,
        [](std::int64_t first, const Segment& other) { return first < other.ids.last; });
    compatible[i] = static_cast<std::size_t>(fits - segments.begin());
    best[i + 1] = std::max(best[i], best[compatible[i]] + segments[i].ids.size());
  }
  std::vector<Segment> chosen;
  for (std::size_t i = n; i > 0;) {
    if (best[i] == best[i - 1]) {
      --i;
      continue;
    }
    chosen.push_back(segments[i - 1]);
    i = compatible[i - 1];
  }
  std::reverse(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<IdRange> missing_ranges(const std::vector<IdRange>& covered, std::int64_t points) {
  std::vector<IdRange> missing;
  PointId next = 0;
  for (const IdRange& ids : covered) {
    if (ids.first > next) {
      missing.push_back({next, ids.first});
    }
    next = ids.last;
  }
  if (next < points) {
    missing.push_back({next, points});
  }
  return missing;
}

}  // namespace scalesweep::store
