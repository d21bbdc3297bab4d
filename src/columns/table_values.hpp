// Columns of a table as plain vectors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/read/table.hpp"

namespace scalesweep::columns {

// Of columns or axes.
template <typename Items>
std::vector<std::string> names_of(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) {
    names.push_back(item.name);
  }
  return names;
}

// Of a column that is there.
std::size_t position_in(const store::Schema& schema, std::string_view name);
// In the order of `names`, which are columns.
store::Schema schema_of(const store::Schema& schema, const std::vector<std::string>& names);

std::vector<double> numbers(const store::Table& table, const store::Schema& schema,
                            const std::string& name);
std::vector<std::int64_t> integers(const store::Table& table, const store::Schema& schema,
                                   const std::string& name);

// Column `from_column` of `from` becomes column `to_column` of `to`; the types are the same.
void copy_column(const store::Table& from, std::size_t from_column, store::Table& to,
                 std::size_t to_column, store::ColumnType type);

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

}  // namespace scalesweep::columns
