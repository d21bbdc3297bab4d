// Columns in memory: a schema that describes itself and the values, one vector per column.
// Knows no domain: names, units and labels are data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "store/read/number_list.hpp"

namespace scalesweep::store {

enum class ColumnType { f64, f32, i64, i32, u8 };

struct Column {
  std::string name;  // \w+
  ColumnType type = ColumnType::f64;
  std::string units;        // UDUNITS style: "s", "B", "J", "1"; "" for labels
  std::string long_name;    // for an axis of a chart
  std::string description;  // a sentence
  std::vector<std::string>
      labels;               // u8 and i32 only: an HDF5 enum with these names for 0, 1, 2, ...
  std::string role = {};    // what readers take it for, whatever its name; "" where there is none
  std::string better = {};  // "smaller" or "larger"; "" where neither is
  // What else is said of it: text attributes beside those above, by name.
  std::map<std::string, std::string> attributes = {};
  // u8 and i32 only: the numbers, in `units`, that 0, 1, 2, ... stand for. Files hold these numbers
  // (f64) where tables hold what stands for them.
  std::shared_ptr<const NumberList> numbers = nullptr;
};

using Schema = std::vector<Column>;

// Bytes of one value.
std::size_t type_bytes(ColumnType type);
// Of one value of each column.
std::int64_t row_bytes(const Schema& schema);
// The type of a column of so many names or numbers: the smaller one that counts so far.
ColumnType place_type(std::size_t values);

// The type that a file has, and bytes of one value and of one of each column there.
ColumnType stored_type(const Column& column);
std::size_t stored_bytes(const Column& column);
std::int64_t stored_row_bytes(const Schema& schema);

class Table {
 public:
  explicit Table(const Schema& schema);

  // Of the first column; a table that is being filled column by column may be ragged meanwhile.
  std::size_t rows() const;
  std::size_t columns() const { return values_.size(); }
  bool rectangular() const;  // all columns have the same number of rows
  void clear();
  void resize(std::size_t rows);  // new values are 0

  // The vector of a column; T must be the type of the schema (std::bad_variant_access otherwise).
  template <typename T>
  std::vector<T>& values(std::size_t column) {
    return std::get<std::vector<T>>(values_[column]);
  }
  template <typename T>
  const std::vector<T>& values(std::size_t column) const {
    return std::get<std::vector<T>>(values_[column]);
  }
  // The value as a double, whatever the type; integers above 2^53 lose digits.
  double number(std::size_t column, std::size_t row) const;
  // Keeps the given rows, in the given order.
  void select(const std::vector<std::size_t>& rows);
  // Adds row `row` of a table of the same schema.
  void append_row(const Table& other, std::size_t row);
  // Adds all rows of a table of the same schema.
  void append(const Table& other);
  // The values of a column as they lie in memory: rows() values of its type.
  const void* data(std::size_t column) const;
  void* data(std::size_t column);

 private:
  using Values = std::variant<std::vector<double>, std::vector<float>, std::vector<std::int64_t>,
                              std::vector<std::int32_t>, std::vector<std::uint8_t>>;
  std::vector<Values> values_;
};

struct RowRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

}  // namespace scalesweep::store
