// Texts by themselves: each is read, and what was read is written and read again.
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "config/document.hpp"
#include "config/quantity_text.hpp"
#include "core/documents/csv.hpp"
#include "core/documents/csv_table.hpp"
#include "core/documents/foreign.hpp"
#include "core/text.hpp"
#include "fuzz/laws.hpp"

namespace scalesweep::fuzz {
namespace {

using config::Dimension;
using config::TableCursor;
using config::ValueCursor;

constexpr std::size_t dimension_count = static_cast<std::size_t>(Dimension::tokens) + 1;

// Of a value all that it may be asked for, whatever it is: what it is not is reported.
void walk(const TableCursor& table, int depth);

void walk(const ValueCursor& value, int depth) {
  value.text();
  value.position();
  switch (value.form()) {
    case ValueCursor::Form::string:
      value.first_column();
      value.string();
      value.quantity(Dimension::bytes);
      break;
    case ValueCursor::Form::integer:
    case ValueCursor::Form::number:
      value.integer();
      value.number();
      break;
    case ValueCursor::Form::boolean:
      value.boolean();
      break;
    case ValueCursor::Form::list:
      for (const ValueCursor& inside : value.list()) {
        walk(inside, depth);
      }
      value.list_or_single();
      break;
    case ValueCursor::Form::table:
      walk(value.table(), depth + 1);
      break;
    case ValueCursor::Form::other:
      value.integer();
      break;
  }
}

void walk(const TableCursor& table, int depth) {
  for (const std::string& key : table.keys()) {
    if (depth == 0 && key == "unread") {
      continue;
    }
    table.position(key);
    if (const auto value = table.value(key)) {
      walk(*value, depth);
    }
    table.tables(key);
  }
}

}  // namespace

void run_quantity(Bytes input) {
  Choices choices(input);
  const auto dimension = static_cast<Dimension>(choices.byte() % dimension_count);
  const Bytes rest = choices.rest();
  // No copy: a read behind the end is seen.
  const std::string_view text(reinterpret_cast<const char*>(rest.data()), rest.size());
  const config::QuantityResult result = config::parse_quantity(text, dimension);
  require(result.si.has_value() == result.problem.empty(), "a quantity, or why it is none");
  if (!result.si) {
    return;
  }
  require(std::isfinite(*result.si), "a quantity is a number");
  const std::string written = config::quantity_text(*result.si, dimension);
  const config::QuantityResult again = config::parse_quantity(written, dimension);
  require(again.si.has_value(), "what is written can be read: " + written);
  require(std::abs(*again.si - *result.si) <= 1e-2 * std::abs(*result.si),
          "what is written is what was read: " + written);
}

void run_json(Bytes input) {
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  try {
    const nlohmann::json value = parsed_json(text);
    require(parsed_json(value.dump()) == value, "JSON comes back as it was written");
  } catch (const JsonError& error) {
    require(error.offset <= text.size(), "a mistake stands in the text");
  }
}

void run_toml(Bytes input) {
  Diagnostics diagnostics;
  if (const auto document = config::Document::parse("a.toml", text_of(input), diagnostics)) {
    walk(document->root(), 0);
    document->report_unread();
  }
  diagnostics.text();
}

void run_csv(Bytes input) {
  Diagnostics diagnostics;
  const auto table = CsvTable::parse("a.csv", text_of(input), diagnostics);
  require(table.has_value() || diagnostics.has_errors(), "a table, or why it is none");
  diagnostics.text();
  if (!table) {
    return;
  }
  for (std::size_t row = 0; row < table->rows(); ++row) {
    require(table->fields(row).size() == table->columns().size(), "rows are as wide as the header");
    table->problem(row);
    for (const std::string& column : table->columns()) {
      require(table->has(column), "a column is there");
      csv_field(table->cell(row, column));
      require(table->position(row, column).line > 0, "a cell has a place");
    }
  }
}

std::vector<std::string> quantity_words() {
  std::vector<std::string> words = {"e308", "e-308", "1e999", "inf", "nan", "0x1p9", "1_000", "µ"};
  for (std::size_t i = 0; i < dimension_count; ++i) {
    for (const std::string& unit : split(config::accepted_units(static_cast<Dimension>(i)), ',')) {
      words.emplace_back(trim(unit));
    }
  }
  return words;
}

std::vector<std::string> json_words() {
  return {"true",
          "false",
          "null",
          "[[[[",
          "{\"a\":",
          "]]]]",
          "1e308",
          "401e30896",
          "-0.0",
          "\\u0000",
          "\\ud83d",
          "\\udE00",
          "18446744073709551616",
          "\xef\xbb\xbf",
          "//"};
}

std::vector<std::string> toml_words() {
  return {"\"\"\"",  "'''", "[[",   "]]",         "a.b.c = ", " = { ",      " }, ",
          "\\u0000", "inf", "-nan", "0x7fff",     "1e400",    "1979-05-27", "07:32:00Z",
          "true",    "# a", "\r\n", "\"80 GiB\"", "unread",   "\\U0010ffff"};
}

std::vector<std::string> csv_words() {
  return {"\"\"", "\",\"", "\r\n", "\n\n", ",,,", "\"\n\"", "a,b,c\n", "\xef\xbb\xbf", "\r"};
}

}  // namespace scalesweep::fuzz
