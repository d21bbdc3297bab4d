#include "store/segments/outcome_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "store/hdf5/columns.hpp"

namespace scalesweep::store {
namespace {

using h5::Hid;

const Schema& cell_schema() {
  static const Schema schema = {{"cells", ColumnType::i64, "", "", "", {}},
                                {"points", ColumnType::i64, "", "", "", {}},
                                {"nearest", ColumnType::f64, "", "", "", {}}};
  return schema;
}

// The columns of a stored table behind those of its axes.
constexpr const char* status_column = "status";
constexpr const char* points_column = "points";
constexpr const char* nearest_column = "nearest";

void write_stored(hid_t outcomes, const StoredOutcomes& stored) {
  const Hid group = h5::create_group(outcomes, stored.table.name);
  h5::write_texts_attribute(group.get(), "axes", stored.table.axes);
  std::vector<std::int64_t> values(stored.rows.size());
  const auto write = [&](const std::string& name, const auto& value_of) {
    std::transform(stored.rows.begin(), stored.rows.end(), values.begin(), value_of);
    h5::write_ints(group.get(), name, values);
  };
  for (std::size_t axis = 0; axis < stored.table.axes.size(); ++axis) {
    write(stored.table.axes[axis], [&](const OutcomeRow& row) { return row.values[axis]; });
  }
  write(status_column, [](const OutcomeRow& row) { return row.status; });
  write(points_column, [](const OutcomeRow& row) { return row.points; });
  std::vector<double> nearest;
  for (const OutcomeRow& row : stored.rows) {
    nearest.push_back(row.nearest);
  }
  h5::write_doubles(group.get(), nearest_column, nearest);
}

StoredOutcomes read_stored(hid_t outcomes, const std::string& name) {
  const Hid group = h5::open_group(outcomes, name);
  StoredOutcomes stored;
  stored.table = {name, h5::read_texts_attribute(group.get(), "axes")};
  const auto points = h5::read_ints(group.get(), points_column);
  const auto of_each_row = [&](auto values) {
    if (values.size() != points.size()) {
      throw h5::Hdf5Error(fmt::format("the outcomes by '{}' are damaged", name));
    }
    return values;
  };
  const auto status = of_each_row(h5::read_ints(group.get(), status_column));
  const auto nearest = of_each_row(h5::read_doubles(group.get(), nearest_column));
  for (std::size_t row = 0; row < points.size(); ++row) {
    stored.rows.push_back({{}, status[row], points[row], nearest[row]});
  }
  for (const std::string& axis : stored.table.axes) {
    const auto values = of_each_row(h5::read_ints(group.get(), axis));
    for (std::size_t row = 0; row < values.size(); ++row) {
      stored.rows[row].values.push_back(values[row]);
    }
  }
  return stored;
}

}  // namespace

void write_segment_outcomes(hid_t file, const Outcomes& outcomes) {
  Table table(cell_schema());
  for (const OutcomeCell& one : outcomes) {
    table.values<std::int64_t>(0).push_back(one.cell);
    table.values<std::int64_t>(1).push_back(one.points);
    table.values<double>(2).push_back(one.nearest);
  }
  const auto rows = static_cast<std::int64_t>(outcomes.size());
  const std::int64_t chunk_rows = std::max<std::int64_t>(rows, 1);
  const Hid group = h5::create_group(file, "outcomes");
  ChunkEncoder encoder;
  std::vector<double> numbers;
  for (std::size_t c = 0; c < cell_schema().size(); ++c) {
    const Column& column = cell_schema()[c];
    const Hid type = file_type(column);
    ColumnWriter writer(create_column(group.get(), column, type.get(), rows, chunk_rows),
                        column.name, stored_bytes(column), chunk_rows);
    writer.append(stored_values(table, c, column, numbers), encoder);
    writer.finish(encoder);
  }
}

std::optional<Outcomes> read_segment_outcomes(hid_t file) {
  if (!h5::exists(file, "outcomes")) {
    return std::nullopt;
  }
  const Hid group = h5::open_group(file, "outcomes");
  Table table(cell_schema());
  for (std::size_t c = 0; c < cell_schema().size(); ++c) {
    const Column& column = cell_schema()[c];
    const Hid dataset = h5::open_dataset(group.get(), column.name);
    const std::int64_t rows = shape_of(dataset.get(), column.name).rows;
    if (c == 0) {
      table.resize(static_cast<std::size_t>(rows));
    }
    if (rows != static_cast<std::int64_t>(table.rows()) ||
        !is_stored_as(describe_column(dataset.get(), column.name), column)) {
      throw h5::Hdf5Error("its outcomes are damaged");
    }
    read_rows(dataset.get(), column, 0, rows, table.data(c));
  }
  Outcomes outcomes;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    outcomes.push_back({table.values<std::int64_t>(0)[row], table.values<std::int64_t>(1)[row],
                        table.values<double>(2)[row]});
  }
  return outcomes;
}

void write_outcomes(hid_t summary, const StudyDescription& study, const Outcomes& outcomes) {
  if (study.outcomes.tables.empty()) {
    return;
  }
  const Hid group = h5::create_group(summary, "outcomes");
  std::vector<std::string> order;
  for (const StoredOutcomes& stored : by_table(study, outcomes)) {
    write_stored(group.get(), stored);
    order.push_back(stored.table.name);
  }
  h5::write_texts_attribute(group.get(), "tables", order);
  h5::write_texts_attribute(group.get(), "nearest", study.outcomes.nearest);
  if (!study.outcomes.left_out.empty()) {
    h5::write_text_attribute(group.get(), "left_out", study.outcomes.left_out);
  }
}

OutcomeTables read_outcome_tables(hid_t file) {
  OutcomeTables outcomes;
  if (!h5::exists(file, "summary/outcomes")) {
    return outcomes;
  }
  const Hid group = h5::open_group(file, "summary/outcomes");
  for (const std::string& name : h5::read_texts_attribute(group.get(), "tables")) {
    const Hid table = h5::open_group(group.get(), name);
    outcomes.tables.push_back({name, h5::read_texts_attribute(table.get(), "axes")});
  }
  outcomes.nearest = h5::read_texts_attribute(group.get(), "nearest");
  outcomes.left_out = h5::read_text_attribute_or(group.get(), "left_out", "");
  return outcomes;
}

std::vector<StoredOutcomes> read_outcomes(hid_t file) {
  std::vector<StoredOutcomes> stored;
  if (!h5::exists(file, "summary/outcomes")) {
    return stored;
  }
  const Hid group = h5::open_group(file, "summary/outcomes");
  for (const std::string& name : h5::read_texts_attribute(group.get(), "tables")) {
    stored.push_back(read_stored(group.get(), name));
  }
  return stored;
}

}  // namespace scalesweep::store
