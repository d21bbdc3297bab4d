#include "analysis/selection/slice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/selection/rows.hpp"
#include "core/contracts.hpp"
#include "core/failure.hpp"

namespace scalesweep::analysis {
namespace {

// Calls `use` with the typed vector of a column.
template <typename AnyTable, typename Use>
void visit_column(AnyTable& table, std::size_t column, store::ColumnType type, Use use) {
  switch (type) {
    case store::ColumnType::f64:
      return use(table.template values<double>(column));
    case store::ColumnType::f32:
      return use(table.template values<float>(column));
    case store::ColumnType::i64:
      return use(table.template values<std::int64_t>(column));
    case store::ColumnType::i32:
      return use(table.template values<std::int32_t>(column));
    case store::ColumnType::u8:
      return use(table.template values<std::uint8_t>(column));
  }
}

std::size_t position(const store::Schema& schema, const std::string& name) {
  const auto found = std::find_if(schema.begin(), schema.end(),
                                  [&](const store::Column& column) { return column.name == name; });
  SCALESWEEP_EXPECT(found != schema.end());
  return static_cast<std::size_t>(found - schema.begin());
}

template <typename To>
std::vector<To> converted(const store::Table& table, const store::Schema& schema,
                          const std::string& name) {
  const std::size_t column = position(schema, name);
  std::vector<To> result;
  visit_column(table, column, schema[column].type, [&](const auto& values) {
    result.resize(values.size());
    std::transform(values.begin(), values.end(), result.begin(),
                   [](auto value) { return static_cast<To>(value); });
  });
  return result;
}

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

std::vector<double> numbers(const store::Table& table, const store::Schema& schema,
                            const std::string& name) {
  return converted<double>(table, schema, name);
}

std::vector<std::int64_t> integers(const store::Table& table, const store::Schema& schema,
                                   const std::string& name) {
  return converted<std::int64_t>(table, schema, name);
}

std::vector<std::int64_t> axis_indices(const StudyLayout& layout, const store::Table& table,
                                       const store::Schema& schema, std::size_t axis) {
  const store::AxisValues& values = layout.axes[axis];
  std::vector<std::int64_t> indices = integers(table, schema, values.name);
  const bool is_renumbered = axis < layout.renumbered.size() && !layout.renumbered[axis].empty();
  const auto size = static_cast<std::int64_t>(is_renumbered ? layout.renumbered[axis].size()
                                                            : values.labels.size());
  for (std::int64_t& index : indices) {
    if (index < 0 || index >= size) {
      throw Failure(ExitCode::bad_input,
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

store::Schema schema_of(const StudyLayout& layout, const std::vector<std::string>& names) {
  store::Schema schema;
  for (const std::string& name : names) {
    schema.push_back(layout.schema[position(layout.schema, name)]);
  }
  return schema;
}

store::Table gather(const store::StudyReader& reader, const StudyLayout& layout,
                    const std::vector<std::string>& columns,
                    const std::vector<std::int64_t>& rows) {
  store::Table table = read_rows(reader, columns, rows, layout.reading);
  renumber(layout, schema_of(layout, columns), table);
  return table;
}

void copy_column(const store::Table& from, std::size_t from_column, store::Table& to,
                 std::size_t to_column, store::ColumnType type) {
  visit_column(from, from_column, type, [&](const auto& values) {
    using Vector = std::remove_cvref_t<decltype(values)>;
    to.values<typename Vector::value_type>(to_column) = values;
  });
}

}  // namespace scalesweep::analysis
