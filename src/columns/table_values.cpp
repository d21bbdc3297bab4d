#include "columns/table_values.hpp"

#include <algorithm>

#include "core/contracts.hpp"

namespace scalesweep::columns {
namespace {

template <typename To>
std::vector<To> converted(const store::Table& table, const store::Schema& schema,
                          const std::string& name) {
  const std::size_t column = position_in(schema, name);
  std::vector<To> result;
  visit_column(table, column, schema[column].type, [&](const auto& values) {
    result.resize(values.size());
    std::transform(values.begin(), values.end(), result.begin(),
                   [](auto value) { return static_cast<To>(value); });
  });
  return result;
}

}  // namespace

std::size_t position_in(const store::Schema& schema, std::string_view name) {
  const auto found = std::find_if(schema.begin(), schema.end(),
                                  [&](const store::Column& column) { return column.name == name; });
  SCALESWEEP_EXPECT(found != schema.end());
  return static_cast<std::size_t>(found - schema.begin());
}

store::Schema schema_of(const store::Schema& schema, const std::vector<std::string>& names) {
  store::Schema result;
  for (const std::string& name : names) {
    result.push_back(schema[position_in(schema, name)]);
  }
  return result;
}

std::vector<double> numbers(const store::Table& table, const store::Schema& schema,
                            const std::string& name) {
  return converted<double>(table, schema, name);
}

std::vector<std::int64_t> integers(const store::Table& table, const store::Schema& schema,
                                   const std::string& name) {
  return converted<std::int64_t>(table, schema, name);
}

void copy_column(const store::Table& from, std::size_t from_column, store::Table& to,
                 std::size_t to_column, store::ColumnType type) {
  visit_column(from, from_column, type, [&](const auto& values) {
    using Vector = std::remove_cvref_t<decltype(values)>;
    to.values<typename Vector::value_type>(to_column) = values;
  });
}

}  // namespace scalesweep::columns
