#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <functional>
#include <system_error>
#include <utility>

#include "core/contracts.hpp"
#include "core/text.hpp"
#include "store/columns.hpp"
#include "store/partial_file.hpp"
#include "store/segment.hpp"
#include "store/stored_study.hpp"
#include "store/study_file.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;
using h5::check;
using h5::Hid;
using h5::owned;

std::vector<IdRange> missing_ranges(const std::vector<Segment>& segments, std::int64_t points) {
  std::vector<IdRange> missing;
  PointId next = 0;
  for (const Segment& segment : segments) {
    if (segment.ids.first > next) {
      missing.push_back({next, segment.ids.first});
    }
    next = segment.ids.last;
  }
  if (next < points) {
    missing.push_back({next, points});
  }
  return missing;
}

void check_coverage(const fs::path& folder, const SegmentScan& scan, std::int64_t points) {
  const std::vector<IdRange> missing = missing_ranges(scan.segments, points);
  if (missing.empty()) {
    return;
  }
  constexpr std::size_t shown = 8;
  std::vector<std::string> words;
  std::int64_t ids = 0;
  for (const IdRange& range : missing) {
    ids += range.size();
    if (words.size() < shown) {
      words.push_back(fmt::format("{} to {}", range.first, range.last - 1));
    }
  }
  if (missing.size() > shown) {
    words.push_back(fmt::format("and {} more ranges", missing.size() - shown));
  }
  std::string message = fmt::format("{}: {} of {} ids are missing: {}", folder.string(),
                                    with_thousands(ids), with_thousands(points), join(words, ", "));
  if (!scan.ignored.empty()) {
    message += fmt::format("; these files do not count: {}", join(scan.ignored, ", "));
  }
  message += "; the same command again computes what is missing";
  throw Failure(scan.ignored.empty() ? ExitCode::internal : ExitCode::io, message);
}

// Everything of a finished file but the rows; `add` each segment's counts, then close.
class StudyWriter {
 public:
  StudyWriter(hid_t file, const StudyDescription& study, std::int64_t rows)
      : study_(study), file_(file), results_(h5::create_group(file, "results")) {
    write_root(rows);
    write_axes();
    write_provenance();
    const std::int64_t chunk_rows = effective_chunk_rows(study);
    std::vector<std::string> order;
    for (const Column& column : study.schema) {
      Hid dataset = create_column(results_.get(), column, rows, chunk_rows);
      annotate_column(dataset.get(), column);
      columns_.emplace_back(std::move(dataset), column.name, column.type, chunk_rows);
      order.push_back(column.name);
    }
    h5::write_texts_attribute(results_.get(), "columns", order);
  }

  ColumnWriter& column(std::size_t c) { return columns_[c]; }
  ChunkEncoder& encoder() { return encoder_; }

  void close(const Counts& counts) {
    for (ColumnWriter& column : columns_) {
      column.finish(encoder_);
    }
    const std::string what = "cannot attach the dimension scale";
    const hid_t scale = columns_.front().dataset();
    check(H5DSset_scale(scale, study_.schema.front().name.c_str()), what);
    for (std::size_t c = 1; c < columns_.size(); ++c) {
      check(H5DSattach_scale(columns_[c].dataset(), scale, 0), what);
    }
    write_summary(counts);
    columns_.clear();
    results_.reset();
  }

 private:
  void write_root(std::int64_t rows) {
    std::map<std::string, std::string> attributes = study_.root_attributes;
    attributes.try_emplace("Conventions", "ACDD-1.3");
    attributes.try_emplace("created", timestamp());
    attributes["format"] = study_format;
    attributes["identity"] = study_.identity;
    for (const auto& [name, text] : attributes) {
      h5::write_text_attribute(file_, name, text);
    }
    h5::write_int_attribute(file_, "format_version", format_version);
    h5::write_int_attribute(file_, "points", study_.points);
    h5::write_int_attribute(file_, "rows", rows);
    h5::write_int_attribute(file_, "chunk_rows", effective_chunk_rows(study_));
  }

  void write_axes() {
    const Hid axes = h5::create_group(file_, "axes");
    std::vector<std::string> order;
    for (const AxisValues& axis : study_.axes) {
      const Hid group = h5::create_group(axes.get(), axis.name);
      h5::write_text_attribute(group.get(), "units", axis.units);
      h5::write_text_attribute(group.get(), "description", axis.description);
      if (!axis.labels.empty()) {
        h5::write_texts(group.get(), "labels", axis.labels);
      }
      if (!axis.values.empty()) {
        h5::write_doubles(group.get(), "values", axis.values);
      }
      order.push_back(axis.name);
    }
    h5::write_texts_attribute(axes.get(), "axes", order);
  }

  void write_provenance() {
    const Hid provenance = h5::create_group(file_, "provenance");
    for (const auto& [name, text] : study_.provenance) {
      h5::write_text(provenance.get(), name, text);
    }
    const Hid identity = h5::create_group(provenance.get(), "identity");
    for (const auto& [name, text] : study_.identity_parts) {
      h5::write_text(identity.get(), name, text);
    }
  }

  void write_summary(const Counts& counts) {
    const Hid summary = h5::create_group(file_, "summary");
    h5::write_texts(summary.get(), "count_names", study_.count_names);
    const Hid dataset = h5::write_ints(summary.get(), "counts", counts);
    h5::write_text_attribute(dataset.get(), "units", "1");
    h5::write_text_attribute(dataset.get(), "long_name", "points by outcome");
    h5::write_text_attribute(dataset.get(), "description",
                             "How many ids ended as count_names says, stored as a row or not.");
    const std::string what = "cannot attach the names of the counts";
    const Hid names = h5::open_dataset(summary.get(), "count_names");
    check(H5DSset_scale(names.get(), "count_names"), what);
    check(H5DSattach_scale(dataset.get(), names.get(), 0), what);
  }

  const StudyDescription& study_;
  hid_t file_;
  Hid results_;
  ChunkEncoder encoder_;
  std::vector<ColumnWriter> columns_;
};

struct Totals {
  std::int64_t rows = 0;
  Counts counts;
};

Totals total_of(const std::vector<Segment>& segments, const StudyDescription& study) {
  Totals totals;
  totals.counts.assign(study.count_names.size(), 0);
  for (const Segment& segment : segments) {
    totals.rows += segment.rows;
    std::transform(totals.counts.begin(), totals.counts.end(), segment.counts.begin(),
                   totals.counts.begin(), std::plus<>());
  }
  return totals;
}

// Whole chunks that fall on chunks of the target are copied as they are; others go through memory,
// one chunk at a time. What cannot be read is the segment's fault, what cannot be written is not.
void copy_column(const SegmentFile& segment, const fs::path& path, std::size_t c,
                 const Column& column, std::int64_t chunk_rows, bool last_segment,
                 StudyWriter& out) {
  const std::size_t width = type_bytes(column.type);
  std::vector<std::uint8_t> buffer;
  for (std::int64_t row = 0; row < segment.rows(); row += chunk_rows) {
    const std::int64_t count = std::min(chunk_rows, segment.rows() - row);
    const bool closes_chunk = count == chunk_rows || last_segment;
    if (out.column(c).at_chunk_start() && closes_chunk) {
      h5::with_file(path, ExitCode::io,
                    [&] { read_encoded_chunk(segment.dataset(c), column.name, row, buffer); });
      out.column(c).append_encoded(buffer);
      continue;
    }
    buffer.resize(static_cast<std::size_t>(count) * width);
    h5::with_file(path, ExitCode::io, [&] {
      read_rows(segment.dataset(c), column.name, row, row + count, buffer.data());
    });
    out.column(c).append(buffer, out.encoder());
  }
}

void stream(const std::vector<Segment>& segments, const StudyDescription& study, StudyWriter& out,
            const PartialFile& target) {
  const std::int64_t chunk_rows = effective_chunk_rows(study);
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const fs::path& path = segments[s].path;
    const SegmentFile segment = h5::with_file(
        path, ExitCode::io, [&] { return SegmentFile(path, segments[s].ids, study); });
    for (std::size_t c = 0; c < study.schema.size(); ++c) {
      copy_column(segment, path, c, study.schema[c], chunk_rows, s + 1 == segments.size(), out);
      target.check_written();
    }
  }
}

Table load(const std::vector<Segment>& segments, const StudyDescription& study) {
  Table table(study.schema);
  for (const Segment& segment : segments) {
    h5::with_file(segment.path, ExitCode::io,
                  [&] { SegmentFile(segment.path, segment.ids, study).append_to(table); });
  }
  return table;
}

void write_all(const fs::path& output, const StudyDescription& study,
               const std::vector<Segment>& segments, const std::optional<RowSelector>& selector) {
  Totals totals = total_of(segments, study);
  Table selected(study.schema);
  if (selector) {
    selected = load(segments, study);
    std::vector<std::size_t> kept = (*selector)(selected);
    std::sort(kept.begin(), kept.end());
    selected.select(kept);
    totals.rows = static_cast<std::int64_t>(selected.rows());
  }
  PartialFile file(output);
  h5::with_file(file.path(), ExitCode::io, [&] {
    StudyWriter writer(file.id(), study, totals.rows);
    if (selector) {
      for (std::size_t c = 0; c < study.schema.size(); ++c) {
        writer.column(c).append(column_bytes(selected, c, study.schema[c].type), writer.encoder());
      }
    } else {
      stream(segments, study, writer, file);
    }
    writer.close(totals.counts);
  });
  file.commit(Existing::keep);
}

// Only what the store itself puts there; anything else stays, and so does the folder then.
void remove_folder(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> ours;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (parse_segment_name(name) || name.ends_with(".tmp") || name == "study.json" ||
        name == "study.json.partial") {
      ours.push_back(entry.path());
    }
  }
  for (const fs::path& path : ours) {
    fs::remove(path, ignored);
  }
  fs::remove(folder, ignored);
}

}  // namespace

void finish(const fs::path& output, const StudyDescription& study,
            const std::optional<RowSelector>& selector) {
  SCALESWEEP_EXPECT(is_well_formed(study));
  h5::quiet();
  const fs::path folder = segments_folder(output);
  if (fs::exists(fs::symlink_status(output))) {
    const OutputReport report = inspect_output(output, study);
    if (report.state != OutputState::finished) {
      throw Failure(ExitCode::cannot_create,
                    fmt::format("{}: something else has appeared here meanwhile ({}); it is left "
                                "as it is, and the results are in {}",
                                output.string(), report.detail, folder.string()));
    }
    remove_folder(folder);
    return;
  }
  if (!fs::is_directory(folder)) {
    throw Failure(ExitCode::internal, fmt::format("{}: there is no such folder", folder.string()));
  }
  const SegmentScan scan = scan_segments(folder, study, Verify::structure);
  check_coverage(folder, scan, study.points);
  write_all(output, study, scan.segments, selector);
  remove_folder(folder);
}

}  // namespace scalesweep::store
