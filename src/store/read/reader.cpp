#include "store/read/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/contracts.hpp"
#include "core/text.hpp"
#include "store/hdf5/columns.hpp"
#include "store/hdf5/file_problem.hpp"
#include "store/read/block_source.hpp"
#include "store/seal/open.hpp"
#include "store/segments/committed_part.hpp"
#include "store/segments/description.hpp"
#include "store/segments/linked_segments.hpp"
#include "store/segments/outcome_file.hpp"
#include "store/segments/stored_study.hpp"
#include "store/versions/former_names.hpp"
#include "store/versions/former_study.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;
using h5::Hid;

}  // namespace

struct StudyReader::Impl {
  fs::path path;
  Hid file;
  std::vector<LinkedSegment> segments;  // where the rows are, if not in the file itself
  Hid results;
  StoredStudy study;
  Schema schema;
  std::vector<Hid> datasets;
  std::vector<AxisValues> axes;
  std::map<std::string, std::string> root_attributes;
  std::map<std::string, std::string> provenance;
  std::int64_t rows = 0;
  std::optional<CommittedPart> committed;  // of an unfinished study

  void open_unfinished(const PassProgress& progress) {
    committed = open_committed(path, progress);
    file = std::move(committed->description_file);
    segments = std::move(committed->segments);
    study.points = committed->description.points;
    study.identity = committed->description.identity;
    study.identity_parts = committed->description.identity_parts;
    rows = segments.empty() ? 0 : segments.back().last_row;
    root_attributes = h5::read_text_attributes(file.get());
    schema = committed->description.schema;
    axes = committed->description.axes;
    provenance = committed->description.provenance;
    take_present_names(committed->description.version);
  }

  void open() {
    file = open_checked(path);
    study = read_stored_study(file.get());
    check_readable(study.format_version);
    root_attributes = h5::read_text_attributes(file.get());
    rows = h5::read_int_attribute(file.get(), "rows");
    if (layout_of(file.get()) == Layout::by_segment) {
      segments = open_linked_segments(file.get(), path);
    }
    read_columns();
    axes = read_axes(file.get());
    give_stored_numbers(schema, axes);
    provenance = read_provenance(file.get());
    take_present_names(study.format_version);
  }

  void take_present_names(std::int64_t version) {
    StudyDescription said;
    said.version = version;
    said.schema = std::move(schema);
    said.identity_parts = std::move(study.identity_parts);
    said.root_attributes = std::move(root_attributes);
    said.provenance = std::move(provenance);
    use_present_names(said);
    schema = std::move(said.schema);
    study.identity_parts = std::move(said.identity_parts);
    root_attributes = std::move(said.root_attributes);
    provenance = std::move(said.provenance);
  }

  void read_columns() {
    results = h5::open_group(file.get(), "results");
    for (const std::string& name : h5::read_texts_attribute(results.get(), "columns")) {
      datasets.push_back(h5::open_dataset(results.get(), name));
      schema.push_back(describe_column(datasets.back().get(), name));
      if (shape_of(datasets.back().get(), name).rows != rows) {
        throw h5::Hdf5Error(fmt::format("'{}' does not have {} rows", name, rows));
      }
      if (segments.empty()) {
        h5::expect_room(datasets.back().get(), rows, name);
      }
    }
    if (schema.empty() || schema.front().type != ColumnType::i64) {
      throw h5::Hdf5Error("its first column is not 'point_id'");
    }
  }

  // Numbers of arrays are under no checksum of HDF5's.
  void check(const StoredOutcomes& stored, std::size_t statuses) const {
    std::vector<std::int64_t> sizes;
    for (const std::string& name : stored.table.axes) {
      const AxisValues* const axis = find_axis(axes, name);
      sizes.push_back(axis == nullptr ? 0 : static_cast<std::int64_t>(value_count(*axis)));
    }
    for (const OutcomeRow& row : stored.rows) {
      bool is_valid = row.status >= 0 && row.status < static_cast<std::int64_t>(statuses);
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        is_valid = is_valid && row.values[i] >= 0 && row.values[i] < sizes[i];
      }
      if (!is_valid) {
        throw h5::Hdf5Error(fmt::format("its outcomes by '{}' are damaged", stored.table.name));
      }
    }
  }

  std::size_t find(const std::string& name) const {
    std::vector<std::string> names;
    const std::string now = column_now(name);
    for (std::size_t c = 0; c < schema.size(); ++c) {
      if (schema[c].name == now) {
        return c;
      }
      names.push_back(schema[c].name);
    }
    refuse(
        fmt::format("{}: there is no column '{}'{}", path.string(), name, suggestion(name, names)));
  }
};

StudyReader::StudyReader(const fs::path& file, Unfinished unfinished, const PassProgress& progress)
    : impl_(std::make_unique<Impl>()) {
  h5::quiet();
  impl_->path = file;
  if (is_finished_file(file)) {
    with_study(file, ExitCode::bad_input, [this] { impl_->open(); });
    return;
  }
  const fs::path folder = segments_folder(file);
  if (unfinished == Unfinished::refuse) {
    throw Failure(ExitCode::no_input,
                  fmt::format("{}: the study is not finished ({} holds what is done); the "
                              "command that began it goes on with it",
                              file.string(), folder.filename().string()));
  }
  with_study(folder, ExitCode::bad_input, [&] { impl_->open_unfinished(progress); });
}

StudyReader::~StudyReader() = default;
StudyReader::StudyReader(StudyReader&&) noexcept = default;
StudyReader& StudyReader::operator=(StudyReader&&) noexcept = default;

const Schema& StudyReader::schema() const {
  return impl_->schema;
}
const std::vector<AxisValues>& StudyReader::axes() const {
  return impl_->axes;
}
const std::map<std::string, std::string>& StudyReader::root_attributes() const {
  return impl_->root_attributes;
}
std::string StudyReader::root_attribute(const std::string& name) const {
  const auto text = impl_->root_attributes.find(name);
  return text == impl_->root_attributes.end() ? "" : text->second;
}
const std::map<std::string, std::string>& StudyReader::provenance() const {
  return impl_->provenance;
}
const std::string& StudyReader::identity() const {
  return impl_->study.identity;
}
const std::map<std::string, std::string>& StudyReader::identity_parts() const {
  return impl_->study.identity_parts;
}
std::int64_t StudyReader::rows() const {
  return impl_->rows;
}
std::int64_t StudyReader::points() const {
  return impl_->study.points;
}

bool StudyReader::complete() const {
  return !impl_->committed;
}
std::int64_t StudyReader::done() const {
  return impl_->committed ? impl_->committed->done : impl_->study.points;
}
const std::vector<std::string>& StudyReader::left_out() const {
  static const std::vector<std::string> none;
  return impl_->committed ? impl_->committed->ignored : none;
}

std::map<std::string, std::int64_t> StudyReader::counts() const {
  if (impl_->committed) {
    return counts_by_name(*impl_->committed);
  }
  return with_study(impl_->path, ExitCode::bad_input, [this] {
    const Hid summary = h5::open_group(impl_->file.get(), "summary");
    const std::vector<std::string> names = read_count_names(impl_->file.get());
    const std::vector<std::int64_t> counts = h5::read_ints(summary.get(), "counts");
    if (names.size() != counts.size()) {
      throw h5::Hdf5Error("'summary' names other counts than it has");
    }
    std::map<std::string, std::int64_t> result;
    for (std::size_t i = 0; i < names.size(); ++i) {
      result[status_now(names[i])] += counts[i];
    }
    return result;
  });
}

Layout StudyReader::layout() const {
  return impl_->committed ? Layout::by_segment : layout_of(impl_->file.get());
}

std::vector<StoredHistogram> StudyReader::histograms() const {
  if (impl_->committed) {
    return histograms_of(*impl_->committed);
  }
  return with_study(impl_->path, ExitCode::bad_input, [this] {
    std::vector<StoredHistogram> result;
    for (const Histogram& histogram : read_histograms(impl_->file.get())) {
      const std::string name = "summary/histograms/" + histogram.name + "/counts";
      result.push_back({histogram, h5::read_ints(impl_->file.get(), name)});
      result.back().histogram.name = column_now(histogram.name);
      if (result.back().counts.size() != histogram.edges.size() + 1) {
        throw h5::Hdf5Error(
            fmt::format("histogram '{}' has other bins than edges", histogram.name));
      }
    }
    return result;
  });
}

std::vector<StoredOutcomes> StudyReader::outcomes() const {
  if (impl_->committed) {
    const std::optional<Outcomes>& outcomes = impl_->committed->outcomes;
    return outcomes ? by_table(impl_->committed->description, *outcomes)
                    : std::vector<StoredOutcomes>{};
  }
  return with_study(impl_->path, ExitCode::bad_input, [this] {
    std::vector<StoredOutcomes> outcomes = read_outcomes(impl_->file.get());
    const std::size_t statuses = read_count_names(impl_->file.get()).size();
    for (const StoredOutcomes& stored : outcomes) {
      impl_->check(stored, statuses);
    }
    return outcomes;
  });
}

Table StudyReader::read(const std::vector<std::string>& columns, std::int64_t first,
                        std::int64_t last) const {
  SCALESWEEP_EXPECT(0 <= first && first <= last && last <= impl_->rows);
  Schema schema;
  std::vector<std::size_t> chosen;
  for (const std::string& name : columns) {
    chosen.push_back(impl_->find(name));
    schema.push_back(impl_->schema[chosen.back()]);
  }
  Table table(schema);
  table.resize(static_cast<std::size_t>(last - first));
  with_study(impl_->path, ExitCode::io, [&] {
    for (std::size_t c = 0; c < chosen.size(); ++c) {
      if (impl_->segments.empty() && !impl_->committed) {
        read_rows(impl_->datasets[chosen[c]].get(), schema[c], first, last, table.data(c));
      } else {
        read_linked(impl_->segments, schema[c], first, last,
                    static_cast<std::uint8_t*>(table.data(c)));
      }
    }
  });
  return table;
}

ColumnBlocks StudyReader::blocks(const std::vector<std::string>& columns) const {
  Schema schema;
  for (const std::string& name : columns) {
    schema.push_back(impl_->schema[impl_->find(name)]);
  }
  std::vector<StoredRows> parts;
  for (const LinkedSegment& segment : impl_->segments) {
    const hid_t file = segment.file ? segment.file.get() : H5I_INVALID_HID;
    parts.push_back({file, segment.path, {segment.first_row, segment.last_row}});
  }
  if (impl_->segments.empty()) {
    parts.push_back({impl_->file.get(), impl_->path, {0, impl_->rows}});
  }
  return ColumnBlocks(std::make_unique<StoredBlocks>(std::move(schema), parts));
}

}  // namespace scalesweep::store
