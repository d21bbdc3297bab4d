#include "store/segments/study_writer.hpp"

#include <hdf5_hl.h>

#include <map>

#include "core/contracts.hpp"
#include "store/hdf5/columns.hpp"
#include "store/segments/outcome_file.hpp"
#include "store/segments/partial_file.hpp"
#include "store/segments/stored_study.hpp"

namespace scalesweep::store {
namespace {

using h5::check;
using h5::Hid;

void write_root(hid_t file, const StudyDescription& study, const std::string& format,
                std::int64_t rows) {
  std::map<std::string, std::string> attributes = study.root_attributes;
  attributes.try_emplace("Conventions", "ACDD-1.3");
  attributes.try_emplace("created", timestamp());
  attributes["date_created"] = attributes["created"];  // its name in ACDD
  attributes["format"] = format;
  attributes["identity"] = study.identity;
  for (const auto& [name, text] : attributes) {
    h5::write_text_attribute(file, name, text);
  }
  h5::write_int_attribute(file, "format_version", study.version);
  h5::write_int_attribute(file, "points", study.points);
  h5::write_int_attribute(file, "rows", rows);
  h5::write_int_attribute(file, "chunk_rows", effective_chunk_rows(study));
}

void write_axes(hid_t file, const StudyDescription& study) {
  const Hid axes = h5::create_group(file, "axes");
  std::vector<std::string> order;
  for (const AxisValues& axis : study.axes) {
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

void write_provenance(hid_t file, const StudyDescription& study) {
  const Hid provenance = h5::create_group(file, "provenance");
  for (const auto& [name, text] : study.provenance) {
    h5::write_text(provenance.get(), name, text);
  }
  const Hid identity = h5::create_group(provenance.get(), "identity");
  for (const auto& [name, text] : study.identity_parts) {
    h5::write_text(identity.get(), name, text);
  }
}

void write_counts(hid_t summary, const StudyDescription& study, const Counts& counts) {
  h5::write_texts(summary, "count_names", study.count_names);
  const Hid dataset = h5::write_ints(
      summary, "counts",
      {counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(study.count_names.size())});
  h5::write_text_attribute(dataset.get(), "units", "1");
  h5::write_text_attribute(dataset.get(), "long_name", "points by outcome");
  h5::write_text_attribute(dataset.get(), "description",
                           "How many ids ended as count_names says, stored as a row or not.");
  const std::string what = "cannot attach the names of the counts";
  const Hid names = h5::open_dataset(summary, "count_names");
  check(H5DSset_scale(names.get(), "count_names"), what);
  check(H5DSattach_scale(dataset.get(), names.get(), 0), what);
}

// The bins of each histogram follow the counts.
void write_histograms(hid_t summary, const StudyDescription& study, const Counts& counts) {
  if (study.histograms.empty()) {
    return;
  }
  const Hid group = h5::create_group(summary, "histograms");
  std::vector<std::string> order;
  auto bins = counts.begin() + static_cast<std::ptrdiff_t>(study.count_names.size());
  for (const Histogram& histogram : study.histograms) {
    const Hid one = h5::create_group(group.get(), histogram.name);
    h5::write_text_attribute(one.get(), "units", histogram.units);
    h5::write_text_attribute(one.get(), "long_name", histogram.long_name);
    h5::write_text_attribute(one.get(), "description", histogram.description);
    h5::write_doubles(one.get(), "edges", histogram.edges);
    const auto end = bins + static_cast<std::ptrdiff_t>(histogram.edges.size() + 1);
    h5::write_ints(one.get(), "counts", {bins, end});
    bins = end;
    order.push_back(histogram.name);
  }
  h5::write_texts_attribute(group.get(), "histograms", order);
}

}  // namespace

StudyWriter::StudyWriter(hid_t file, const StudyDescription& study, const std::string& format,
                         std::int64_t rows)
    : study_(study), file_(file), results_(h5::create_group(file, "results")) {
  write_root(file, study, format, rows);
  write_axes(file, study);
  write_provenance(file, study);
}

void StudyWriter::add_columns(const CreateColumn& create) {
  std::vector<std::string> order;
  NamedTypes types(file_);
  for (const Column& column : study_.schema) {
    columns_.push_back(create(results_.get(), column, types.type_of(column)));
    annotate_column(columns_.back().get(), column);
    order.push_back(column.name);
  }
  h5::write_texts_attribute(results_.get(), "columns", order);
}

std::vector<hid_t> StudyWriter::datasets() const {
  std::vector<hid_t> ids;
  for (const Hid& column : columns_) {
    ids.push_back(column.get());
  }
  return ids;
}

void StudyWriter::close(const Counts& counts, const std::optional<Outcomes>& outcomes) {
  SCALESWEEP_EXPECT(counts.size() == zero_counts(study_).size());
  const std::string what = "cannot attach the dimension scale";
  const hid_t scale = columns_.front().get();
  check(H5DSset_scale(scale, study_.schema.front().name.c_str()), what);
  for (std::size_t c = 1; c < columns_.size(); ++c) {
    check(H5DSattach_scale(columns_[c].get(), scale, 0), what);
  }
  const Hid summary = h5::create_group(file_, "summary");
  write_counts(summary.get(), study_, counts);
  write_histograms(summary.get(), study_, counts);
  if (outcomes) {
    write_outcomes(summary.get(), study_, *outcomes);
  }
  columns_.clear();
  results_.reset();
}

}  // namespace scalesweep::store
