#include "store/segments/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <system_error>

#include "store/hdf5/columns.hpp"
#include "store/hdf5/file_image.hpp"
#include "store/segments/outcome_file.hpp"
#include "store/segments/partial_file.hpp"
#include "store/segments/stored_study.hpp"
#include "store/segments/study_writer.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;
using h5::Hid;

AxisValues read_axis(hid_t axes, const std::string& name) {
  const Hid group = h5::open_group(axes, name);
  AxisValues axis;
  axis.name = name;
  axis.units = h5::read_text_attribute(group.get(), "units");
  axis.description = h5::read_text_attribute(group.get(), "description");
  if (h5::exists(group.get(), "labels")) {
    axis.labels = h5::read_texts(group.get(), "labels");
  }
  if (h5::exists(group.get(), "values")) {
    axis.values = h5::read_doubles(group.get(), "values");
  }
  return axis;
}

}  // namespace

const AxisValues* find_axis(const std::vector<AxisValues>& axes, std::string_view name) {
  const auto found = std::find_if(axes.begin(), axes.end(),
                                  [&](const AxisValues& axis) { return axis.name == name; });
  return found == axes.end() ? nullptr : &*found;
}

void give_axis_numbers(Schema& schema, const std::vector<AxisValues>& axes) {
  for (Column& column : schema) {
    const AxisValues* const axis = find_axis(axes, column.name);
    if (axis != nullptr && !axis->units.empty() && !axis->values.empty() &&
        axis->values.size() == value_count(*axis) && NumberList::are_distinct(axis->values)) {
      column.numbers = std::make_shared<const NumberList>(axis->values);
      column.units = axis->units;
    }
  }
}

void give_stored_numbers(Schema& schema, const std::vector<AxisValues>& axes) {
  for (Column& column : schema) {
    const AxisValues* const axis = find_axis(axes, column.name);
    if (axis == nullptr || column.type != ColumnType::f64) {
      continue;
    }
    if (!NumberList::are_distinct(axis->values)) {
      throw h5::Hdf5Error(fmt::format("the values of its axis '{}' are damaged", axis->name));
    }
    column.type = place_type(axis->values.size());
    column.labels = axis->labels;
    column.numbers = std::make_shared<const NumberList>(axis->values);
  }
}

void write_template(const fs::path& folder, const StudyDescription& study, Durability durability) {
  const fs::path path = folder / template_name;
  FileImage image;
  h5::with_file(path, ExitCode::io, [&] {
    StudyWriter writer(image.create(), study, running_format, 0);
    writer.add_columns([&](hid_t group, const Column& column, hid_t type) {
      return create_column(group, column, type, 0, effective_chunk_rows(study));
    });
    writer.close(zero_counts(study), Outcomes{});
    image.close();
  });
  write_bytes(path, image.bytes(), durability);
}

std::vector<AxisValues> read_axes(hid_t file) {
  const Hid group = h5::open_group(file, "axes");
  std::vector<AxisValues> axes;
  for (const std::string& name : h5::read_texts_attribute(group.get(), "axes")) {
    axes.push_back(read_axis(group.get(), name));
  }
  return axes;
}

Schema read_schema(hid_t results) {
  Schema schema;
  for (const std::string& name : h5::read_texts_attribute(results, "columns")) {
    const Hid dataset = h5::open_dataset(results, name);
    schema.push_back(describe_column(dataset.get(), name));
  }
  return schema;
}

std::vector<Histogram> read_histograms(hid_t file) {
  std::vector<Histogram> histograms;
  if (!h5::exists(file, "summary/histograms")) {
    return histograms;
  }
  const Hid group = h5::open_group(file, "summary/histograms");
  for (const std::string& name : h5::read_texts_attribute(group.get(), "histograms")) {
    const Hid one = h5::open_group(group.get(), name);
    histograms.push_back({name, h5::read_text_attribute(one.get(), "units"),
                          h5::read_text_attribute(one.get(), "long_name"),
                          h5::read_text_attribute(one.get(), "description"),
                          h5::read_doubles(one.get(), "edges")});
  }
  return histograms;
}

std::map<std::string, std::string> read_provenance(hid_t file) {
  std::map<std::string, std::string> provenance;
  const Hid texts = h5::open_group(file, "provenance");
  for (const std::string& name : h5::link_names(texts.get())) {
    if (name != "identity") {
      provenance[name] = h5::read_text(texts.get(), name);
    }
  }
  return provenance;
}

// Texts are under no checksum of HDF5's.
void check_outcome_tables(const StudyDescription& study) {
  for (const OutcomeTable& table : study.outcomes.tables) {
    for (const std::string& name : table.axes) {
      if (find_axis(study.axes, name) == nullptr) {
        throw h5::Hdf5Error("what it counts by is damaged");
      }
    }
  }
}

StudyDescription read_description(hid_t file) {
  StudyDescription study;
  study.identity = h5::read_text_attribute(file, "identity");
  study.version = h5::read_int_attribute(file, "format_version");
  study.points = h5::read_int_attribute(file, "points");
  study.chunk_rows = h5::read_int_attribute(file, "chunk_rows");
  if (h5::exists(file, "provenance/identity")) {
    const Hid parts = h5::open_group(file, "provenance/identity");
    for (const std::string& name : h5::link_names(parts.get())) {
      study.identity_parts[name] = h5::read_text(parts.get(), name);
    }
  }
  study.schema = read_schema(h5::open_group(file, "results").get());
  study.axes = read_axes(file);
  give_stored_numbers(study.schema, study.axes);
  study.count_names = read_count_names(file);
  study.histograms = read_histograms(file);
  study.outcomes = read_outcome_tables(file);
  check_outcome_tables(study);
  study.root_attributes = h5::read_text_attributes(file);
  // What every file gets anew.
  for (const char* own :
       {"format", "identity", "layout", "created", "date_created", "Conventions"}) {
    study.root_attributes.erase(own);
  }
  study.provenance = read_provenance(file);
  return study;
}

}  // namespace scalesweep::store
