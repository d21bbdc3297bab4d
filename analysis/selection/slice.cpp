#include "analysis/selection/slice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/file/columns.hpp"
#include "analysis/selection/rows.hpp"
#include "core/failure.hpp"

namespace scalesweep::analysis {
namespace {

// Indices of axes, from those of the file to those of the layout.
void renumber(const StudyLayout& layout, const store::Schema& schema, store::Table& table) {
  for (std::size_t column = 0; column < schema.size(); ++column) {
    const auto axis = layout.axis(schema[column].name);
    if (!axis) {
      continue;
    }
    visit_column(table, column, schema[column].type, [&](auto& values) {
      for (auto& value : values) {
        value = static_cast<std::remove_cvref_t<decltype(value)>>(
            layout.number_of(*axis, static_cast<std::int64_t>(value)));
      }
    });
  }
}

}  // namespace

std::vector<std::int64_t> axis_indices(const StudyLayout& layout, const store::Table& table,
                                       const store::Schema& schema, std::size_t axis) {
  const store::AxisValues& values = layout.axes[axis];
  std::vector<std::int64_t> indices = integers(table, schema, values.name);
  const bool is_renumbered = axis < layout.renumbered.size() && !layout.renumbered[axis].empty();
  const auto size = static_cast<std::int64_t>(is_renumbered ? layout.renumbered[axis].size()
                                                            : values.labels.size());
  for (std::int64_t& index : indices) {
    if (index < 0 || index >= size) {
      refuse(
          fmt::format("the study is damaged: column '{}' holds {}, but /axes/{} has {} "
                      "values",
                      values.name, index, values.name, size));
    }
    index = std::max<std::int64_t>(layout.number_of(axis, index), 0);
  }
  return indices;
}

std::vector<double> quantities(const StudyLayout& layout, const store::Table& table,
                               const store::Schema& schema, const std::string& name) {
  const auto axis = layout.axis(name);
  if (!axis) {
    return numbers(table, schema, name);
  }
  const std::vector<std::int64_t> indices = axis_indices(layout, table, schema, *axis);
  std::vector<double> values(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    values[i] = layout.axes[*axis].values[static_cast<std::size_t>(indices[i])];
  }
  return values;
}

store::Table gather(const store::StudyReader& reader, const StudyLayout& layout,
                    const std::vector<std::string>& columns,
                    const std::vector<std::int64_t>& rows) {
  store::Table table = read_rows(reader, columns, rows, layout.reading);
  renumber(layout, schema_of(layout.schema, columns), table);
  return table;
}

}  // namespace scalesweep::analysis
