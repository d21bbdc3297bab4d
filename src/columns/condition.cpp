#include "columns/condition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "columns/meaning.hpp"
#include "core/contracts.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"
#include "expression/check.hpp"

namespace scalesweep::columns {
namespace {

using expression::Kind;
using expression::Symbol;

// Rows computed at once: the values of a whole condition then stay in a near cache.
constexpr std::size_t block_rows = 1024;

class ColumnScope : public expression::Scope {
 public:
  ColumnScope(const store::Schema& schema, const std::vector<store::AxisValues>& axes)
      : schema_(schema), axes_(axes) {}

  expression::Found find(const std::string& name) const override {
    const store::Column* column = find_column(schema_, name);
    if (column == nullptr) {
      std::vector<std::string> names;
      for (const store::Column& one : schema_) {
        names.push_back(one.name);
      }
      return {std::nullopt,
              fmt::format("there is no column '{}'{}", name, suggestion(name, names))};
    }
    const ColumnMeaning meaning = meaning_of(*column, axes_);
    Symbol symbol{meaning.name};
    symbol.units = meaning.units;
    symbol.labels = meaning.labels;
    symbol.values = meaning.values;
    symbol.example = meaning.labels.empty() ? "" : meaning.labels.front();
    symbol.takes_bare_numbers = !meaning.is_axis;
    symbol.never_where = " in this study";
    if (meaning.meaning == Meaning::name) {
      symbol.kind = Kind::name;
    } else if (meaning.meaning == Meaning::truth) {
      symbol.kind = Kind::condition;
      symbol.values = {0.0, 1.0};
    }
    return {symbol};
  }

  expression::Quantity quantity(const std::string& text, const Symbol& symbol) const override {
    const auto label = std::find(symbol.labels.begin(), symbol.labels.end(), text);
    const auto index = static_cast<std::size_t>(label - symbol.labels.begin());
    if (label != symbol.labels.end() && index < symbol.values.size()) {
      return {symbol.values[index]};
    }
    const QuantityText result = parse_quantity_in(text, symbol.units);
    return {result.si, result.problem};
  }

 private:
  const store::Schema& schema_;
  const std::vector<store::AxisValues>& axes_;
};

[[noreturn]] void fail(const std::string& text, std::size_t offset, const std::string& problem) {
  std::string shown = text;
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  // Bytes that continue a character of UTF-8 take no column.
  const auto columns = std::count_if(shown.begin(), shown.begin() + static_cast<long>(offset),
                                     [](char c) { return (c & 0xC0) != 0x80; });
  refuse(fmt::format("condition: {}\n  {}\n  {:>{}}", problem, shown, '^', columns + 1));
}

expression::Checked checked(const std::string& text, const expression::Scope& scope) {
  expression::Checked checked = check(text, "condition", scope);
  if (checked.problems.empty() && checked.kind != Kind::condition) {
    checked.problems.push_back(
        {text.find_first_not_of(" \t\r\n"),
         fmt::format("this is {}, and a condition is wanted, for example tensor_parallel <= 8",
                     text_of(checked.kind))});
  }
  return checked;
}

expression::Program program_of(const std::string& text, const expression::Scope& scope) {
  expression::Checked made = checked(text, scope);
  if (!made.problems.empty()) {
    fail(text, made.problems.front().offset, made.problems.front().message);
  }
  return std::move(made.program);
}

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

std::size_t position_in(const store::Schema& schema, const std::string& name) {
  const auto found = std::find_if(schema.begin(), schema.end(),
                                  [&](const store::Column& column) { return column.name == name; });
  SCALESWEEP_EXPECT(found != schema.end());
  return static_cast<std::size_t>(found - schema.begin());
}

}  // namespace

std::vector<expression::Problem> condition_problems(const std::string& text,
                                                    const store::Schema& schema,
                                                    const std::vector<store::AxisValues>& axes) {
  return checked(text, ColumnScope(schema, axes)).problems;
}

Condition::Condition(const std::string& text, const store::Schema& schema,
                     const std::vector<store::AxisValues>& axes)
    : program_(program_of(text, ColumnScope(schema, axes))) {
  for (const expression::Variable& column : program_.variables) {
    columns_.push_back(column.name);
  }
  if (columns_.empty()) {
    columns_.push_back(schema.front().name);  // a table without columns has no rows
  }
}

void Condition::select(const store::Table& rows, const store::Schema& of_rows,
                       std::vector<std::uint8_t>& holds) const {
  std::vector<std::size_t> positions;
  for (const expression::Variable& column : program_.variables) {
    positions.push_back(position_in(of_rows, column.name));
  }
  expression::Evaluation evaluation(program_, block_rows);
  const std::size_t all = rows.rows();
  holds.resize(all);
  for (std::size_t first = 0; first < all; first += block_rows) {
    const std::size_t count = std::min(block_rows, all - first);
    for (std::size_t v = 0; v < positions.size(); ++v) {
      read_block(rows, positions[v], of_rows[positions[v]].type, first, count,
                 program_.variables[v].table, evaluation.variable(v));
    }
    const double* result = evaluation.run(count);
    for (std::size_t i = 0; i < count; ++i) {
      holds[first + i] = result[i] == 1.0 ? 1 : 0;
    }
  }
}

}  // namespace scalesweep::columns
