// Columns in memory: a schema that describes itself and the values, one vector per column.
// Knows no domain: names, units and labels are data.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace scalesweep::store {

enum class ColumnType { f64, f32, i64, i32, u8 };

struct Column {
  std::string name;  // \w+
  ColumnType type = ColumnType::f64;
  std::string units;        // UDUNITS style: "s", "B", "J", "1"; "" for labels
  std::string long_name;    // for an axis of a chart
  std::string description;  // a sentence
  std::vector<std::string> labels;  // u8 and i32 only: an HDF5 enum with these names for 0, 1, 2, ...
};

using Schema = std::vector<Column>;

class Table {
 public:
  explicit Table(const Schema& schema);

  std::size_t rows() const;
  std::size_t columns() const { return values_.size(); }
  void clear();
  void reserve(std::size_t rows);

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

 private:
  using Values = std::variant<std::vector<double>, std::vector<float>, std::vector<std::int64_t>,
                              std::vector<std::int32_t>, std::vector<std::uint8_t>>;
  std::vector<Values> values_;
};

}  // namespace scalesweep::store
