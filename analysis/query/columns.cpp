#include "analysis/query/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/file/columns.hpp"
#include "analysis/words/text_lines.hpp"
#include "analysis/words/value_text.hpp"
#include "core/documents/csv.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

// As a condition takes them: what is not a plain number in quotes.
std::string values_of(const ColumnMeaning& meaning) {
  const bool quoted = meaning.meaning != Meaning::number;
  std::vector<std::string> values;
  for (const std::string& label : meaning.labels) {
    values.push_back(quoted ? fmt::format("'{}'", label) : label);
  }
  return join(values, ", ");
}

ColumnWords words_of(const store::Column& column, const std::vector<store::AxisValues>& axes) {
  const ColumnMeaning meaning = meaning_of(column, axes);
  ColumnWords words;
  words.name = column.name;
  words.units = meaning.meaning == Meaning::quantity ? meaning.units : "";
  words.values = values_of(meaning);
  words.description = meaning.is_axis ? "Axis." : column.description;
  return words;
}

// The words that fit into `width` columns, with a sign that there are more.
std::string cut(const std::string& text, std::size_t width) {
  constexpr std::string_view more = " ...";
  if (display_width(text) <= width || width <= more.size()) {
    return text;
  }
  std::string line = lines_of(text, width - more.size()).front();
  line.erase(line.find_last_not_of(" ,;:") + 1);
  return line.append(more);
}

}  // namespace

std::vector<ColumnWords> column_words(const store::StudyReader& reader) {
  std::vector<ColumnWords> result;
  for (const store::Column& column : reader.schema()) {
    result.push_back(words_of(column, reader.axes()));
  }
  return result;
}

std::string columns_text(const std::vector<ColumnWords>& columns, std::size_t width) {
  std::size_t name_width = 0;
  std::size_t units_width = 0;
  for (const ColumnWords& column : columns) {
    name_width = std::max(name_width, column.name.size());
    units_width = std::max(units_width, column.units.size());
  }
  const std::size_t used = 2 + name_width + 2 + units_width + 2;
  std::string text;
  for (const ColumnWords& column : columns) {
    const std::string& rest = column.values.empty() ? column.description : column.values;
    text += fmt::format("  {:<{}}  {:<{}}  {}\n", column.name, name_width, column.units,
                        units_width, width > used ? cut(rest, width - used) : rest);
  }
  return text;
}

std::string columns_csv(const std::vector<ColumnWords>& columns) {
  std::string text = "name,units,values,description\n";
  for (const ColumnWords& column : columns) {
    text += fmt::format("{},{},{},{}\n", csv_field(column.name), csv_field(column.units),
                        csv_field(column.values), csv_field(column.description));
  }
  return text;
}

std::string columns_json(const std::vector<ColumnWords>& columns) {
  auto list = nlohmann::ordered_json::array();
  for (const ColumnWords& column : columns) {
    list.push_back({{"name", column.name},
                    {"units", column.units},
                    {"values", column.values},
                    {"description", column.description}});
  }
  return list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace scalesweep::analysis
