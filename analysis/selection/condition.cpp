#include "analysis/selection/condition.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "core/contracts.hpp"

namespace scalesweep::analysis {
namespace {

// Rows computed at once: the values of a whole condition then stay in a near cache.
constexpr std::size_t block_rows = 1024;
using Block = std::array<double, block_rows>;

// One stored column as what its values mean.
template <typename T>
void translate(std::span<const T> stored, const std::vector<double>& table, double* out) {
  if (table.empty()) {
    for (std::size_t i = 0; i < stored.size(); ++i) {
      out[i] = static_cast<double>(stored[i]);
    }
    return;
  }
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const auto index = static_cast<std::uint64_t>(stored[i]);
    out[i] = index < table.size() ? table[index] : std::numeric_limits<double>::quiet_NaN();
  }
}

void read_block(const store::Table& rows, std::size_t column, store::ColumnType type,
                std::size_t first, std::size_t count, const std::vector<double>& table,
                double* out) {
  const auto read = [&]<typename T>(const std::vector<T>& values) {
    translate(std::span<const T>(values).subspan(first, count), table, out);
  };
  switch (type) {
    case store::ColumnType::f64:
      return read(rows.values<double>(column));
    case store::ColumnType::f32:
      return read(rows.values<float>(column));
    case store::ColumnType::i64:
      return read(rows.values<std::int64_t>(column));
    case store::ColumnType::i32:
      return read(rows.values<std::int32_t>(column));
    case store::ColumnType::u8:
      return read(rows.values<std::uint8_t>(column));
  }
}

template <typename Compute>
void each(std::size_t count, const Block& a, const Block& b, Block& out, Compute compute) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = compute(a[i], b[i]);
  }
}

double truth(bool holds) {
  return holds ? 1.0 : 0.0;
}

void compute(Operation operation, std::size_t count, const Block& a, const Block& b, Block& out) {
  switch (operation) {
    case Operation::constant:
    case Operation::column:
      return;
    case Operation::negate:
      return each(count, a, b, out, [](double x, double) { return -x; });
    case Operation::add:
      return each(count, a, b, out, [](double x, double y) { return x + y; });
    case Operation::subtract:
      return each(count, a, b, out, [](double x, double y) { return x - y; });
    case Operation::multiply:
      return each(count, a, b, out, [](double x, double y) { return x * y; });
    case Operation::divide:
      return each(count, a, b, out, [](double x, double y) { return x / y; });
    case Operation::remainder:
      return each(count, a, b, out, [](double x, double y) { return std::fmod(x, y); });
    case Operation::equal:
      return each(count, a, b, out, [](double x, double y) { return truth(x == y); });
    case Operation::not_equal:
      // Not x != y, which holds for NaN.
      return each(count, a, b, out, [](double x, double y) { return truth(x < y) + truth(x > y); });
    case Operation::less:
      return each(count, a, b, out, [](double x, double y) { return truth(x < y); });
    case Operation::less_equal:
      return each(count, a, b, out, [](double x, double y) { return truth(x <= y); });
    case Operation::greater:
      return each(count, a, b, out, [](double x, double y) { return truth(x > y); });
    case Operation::greater_equal:
      return each(count, a, b, out, [](double x, double y) { return truth(x >= y); });
    case Operation::logical_not:
      return each(count, a, b, out, [](double x, double) { return truth(x != 1.0); });
    case Operation::logical_and:
      return each(count, a, b, out, [](double x, double y) { return x * y; });
    case Operation::logical_or:
      return each(count, a, b, out, [](double x, double y) { return std::max(x, y); });
  }
}

std::size_t position_in(const store::Schema& schema, const std::string& name) {
  const auto found = std::find_if(schema.begin(), schema.end(),
                                  [&](const store::Column& column) { return column.name == name; });
  SCALESWEEP_EXPECT(found != schema.end());
  return static_cast<std::size_t>(found - schema.begin());
}

}  // namespace

Condition::Condition(const std::string& text, const store::Schema& schema,
                     const std::vector<store::AxisValues>& axes)
    : text_(parse_condition(text, schema, axes)) {
  for (const ConditionColumn& column : text_.columns) {
    columns_.push_back(column.name);
  }
  if (columns_.empty()) {
    columns_.push_back(schema.front().name);  // a table without columns has no rows
  }
}

void Condition::select(const store::Table& rows, const store::Schema& of_rows,
                       std::vector<std::uint8_t>& holds) const {
  std::vector<std::size_t> positions;
  for (const ConditionColumn& column : text_.columns) {
    positions.push_back(position_in(of_rows, column.name));
  }
  const std::vector<ConditionNode>& nodes = text_.nodes;
  std::vector<Block> values(nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].operation == Operation::constant) {
      values[n].fill(nodes[n].constant);
    }
  }
  const std::size_t all = rows.rows();
  holds.resize(all);
  for (std::size_t first = 0; first < all; first += block_rows) {
    const std::size_t count = std::min(block_rows, all - first);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const ConditionNode& node = nodes[n];
      if (node.operation == Operation::column) {
        const std::size_t at = positions[node.column];
        read_block(rows, at, of_rows[at].type, first, count, text_.columns[node.column].table,
                   values[n].data());
      } else {
        compute(node.operation, count, values[node.left], values[node.right], values[n]);
      }
    }
    const Block& result = values.back();
    for (std::size_t i = 0; i < count; ++i) {
      holds[first + i] = result[i] == 1.0 ? 1 : 0;
    }
  }
}

}  // namespace scalesweep::analysis
