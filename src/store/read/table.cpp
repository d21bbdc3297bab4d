#include "store/read/table.hpp"

#include "core/contracts.hpp"

namespace scalesweep::store {

Table::Table(const Schema& schema) {
  values_.reserve(schema.size());
  for (const Column& column : schema) {
    switch (column.type) {
      case ColumnType::f64:
        values_.emplace_back(std::vector<double>());
        break;
      case ColumnType::f32:
        values_.emplace_back(std::vector<float>());
        break;
      case ColumnType::i64:
        values_.emplace_back(std::vector<std::int64_t>());
        break;
      case ColumnType::i32:
        values_.emplace_back(std::vector<std::int32_t>());
        break;
      case ColumnType::u8:
        values_.emplace_back(std::vector<std::uint8_t>());
        break;
    }
  }
}

std::size_t Table::rows() const {
  if (values_.empty()) {
    return 0;
  }
  return std::visit([](const auto& column) { return column.size(); }, values_.front());
}

bool Table::rectangular() const {
  const std::size_t expected = rows();
  for (const Values& column : values_) {
    if (std::visit([](const auto& v) { return v.size(); }, column) != expected) {
      return false;
    }
  }
  return true;
}

void Table::clear() {
  for (Values& column : values_) {
    std::visit([](auto& v) { v.clear(); }, column);
  }
}

void Table::resize(std::size_t rows) {
  for (Values& column : values_) {
    std::visit([rows](auto& v) { v.resize(rows); }, column);
  }
}

double Table::number(std::size_t column, std::size_t row) const {
  SCALESWEEP_EXPECT(column < values_.size() && row < rows());
  return std::visit([row](const auto& v) { return static_cast<double>(v[row]); }, values_[column]);
}

void Table::select(const std::vector<std::size_t>& rows) {
  for (Values& column : values_) {
    std::visit(
        [&rows](auto& v) {
          std::remove_reference_t<decltype(v)> kept;
          kept.reserve(rows.size());
          for (const std::size_t row : rows) {
            SCALESWEEP_EXPECT(row < v.size());
            kept.push_back(v[row]);
          }
          v = std::move(kept);
        },
        column);
  }
}

void Table::append_row(const Table& other, std::size_t row) {
  SCALESWEEP_EXPECT(other.columns() == columns() && row < other.rows());
  for (std::size_t c = 0; c < values_.size(); ++c) {
    std::visit(
        [&other, c, row](auto& v) {
          using Vector = std::remove_reference_t<decltype(v)>;
          v.push_back(std::get<Vector>(other.values_[c])[row]);
        },
        values_[c]);
  }
}

void Table::append(const Table& other) {
  SCALESWEEP_EXPECT(other.columns() == columns());
  for (std::size_t c = 0; c < values_.size(); ++c) {
    std::visit(
        [&other, c](auto& v) {
          using Vector = std::remove_reference_t<decltype(v)>;
          const Vector& more = std::get<Vector>(other.values_[c]);
          v.insert(v.end(), more.begin(), more.end());
        },
        values_[c]);
  }
}

const void* Table::data(std::size_t column) const {
  return std::visit([](const auto& v) { return static_cast<const void*>(v.data()); },
                    values_[column]);
}

void* Table::data(std::size_t column) {
  return std::visit([](auto& v) { return static_cast<void*>(v.data()); }, values_[column]);
}

std::size_t type_bytes(ColumnType type) {
  switch (type) {
    case ColumnType::f64:
    case ColumnType::i64:
      return 8;
    case ColumnType::f32:
    case ColumnType::i32:
      return 4;
    case ColumnType::u8:
      return 1;
  }
  return 0;
}

std::int64_t row_bytes(const Schema& schema) {
  std::int64_t bytes = 0;
  for (const Column& column : schema) {
    bytes += static_cast<std::int64_t>(type_bytes(column.type));
  }
  return bytes;
}

ColumnType place_type(std::size_t values) {
  constexpr std::size_t most_of_u8 = 256;
  return values <= most_of_u8 ? ColumnType::u8 : ColumnType::i32;
}

ColumnType stored_type(const Column& column) {
  return column.numbers ? ColumnType::f64 : column.type;
}

std::size_t stored_bytes(const Column& column) {
  return type_bytes(stored_type(column));
}

std::int64_t stored_row_bytes(const Schema& schema) {
  std::int64_t bytes = 0;
  for (const Column& column : schema) {
    bytes += static_cast<std::int64_t>(stored_bytes(column));
  }
  return bytes;
}

}  // namespace scalesweep::store
