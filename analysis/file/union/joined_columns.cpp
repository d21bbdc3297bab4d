#include "analysis/file/union/joined.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "analysis/file/columns.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"
#include "store/read/study_parts.hpp"
#include "store/texts/absent.hpp"

namespace scalesweep::analysis {
namespace {

using store::Column;
using store::ColumnType;

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
constexpr double no_index = store::absent_integer;
constexpr std::size_t most_of_u8 = 255;  // the last one stands for no value

// By its own name alone: others have short names too.
const Column* column_of(const Input& input, const std::string& name) {
  const store::Schema& schema = input.reader.schema();
  const auto found = std::find_if(schema.begin(), schema.end(),
                                  [&](const Column& column) { return column.name == name; });
  return found == schema.end() ? nullptr : &*found;
}

bool is_real(ColumnType type) {
  return type == ColumnType::f64 || type == ColumnType::f32;
}

std::string what_of(const Column& column, const std::string& what) {
  const std::string& text = what == "units" ? column.units : column.role;
  return text.empty() ? "none" : fmt::format("'{}'", text);
}

// Files from before there were roles say none.
void check_alike(const Input& one, const Input& other, const std::string& name) {
  const Column& a = *column_of(one, name);
  const Column& b = *column_of(other, name);
  const auto fail = [&](const std::string& what, const std::string& x, const std::string& y) {
    refuse(fmt::format("the column '{}' has the {} {} in {} and {} in {}: it cannot be one column",
                       name, what, x, one.file.string(), y, other.file.string()));
  };
  if (a.units != b.units) {
    fail("units", what_of(a, "units"), what_of(b, "units"));
  }
  if (!a.role.empty() && !b.role.empty() && a.role != b.role) {
    fail("role", what_of(a, "role"), what_of(b, "role"));
  }
  if (is_real(a.type) != is_real(b.type) || a.labels.empty() != b.labels.empty()) {
    fail("values", a.labels.empty() ? "numbers" : "names", b.labels.empty() ? "numbers" : "names");
  }
}

// Of the types that studies have it in, the one that holds the values of all.
ColumnType wider(ColumnType a, ColumnType b) {
  for (const ColumnType type :
       {ColumnType::f64, ColumnType::f32, ColumnType::i64, ColumnType::i32}) {
    if (a == type || b == type) {
      return type;
    }
  }
  return ColumnType::u8;
}

std::vector<std::string> listed_words(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string& word : split(text, ',')) {
    words.emplace_back(trim(word));
  }
  return words;
}

// What a label of a strategy writes for one of the values of its column; "" where nothing is said.
std::string word_of(const Column& column, const std::string& label) {
  const auto text = column.attributes.find("short_name");
  const auto place = std::find(column.labels.begin(), column.labels.end(), label);
  if (text == column.attributes.end() || place == column.labels.end()) {
    return "";
  }
  const std::vector<std::string> words = listed_words(text->second);
  return words.size() == column.labels.size()
             ? words[static_cast<std::size_t>(place - column.labels.begin())]
             : "";
}

// A word for each label, out of what each study says of its own; nothing where one says less.
void join_short_names(const std::vector<Input>& inputs, Column& all) {
  std::vector<std::string> words;
  for (const std::string& label : all.labels) {
    for (const Input& input : inputs) {
      const Column* const own = column_of(input, all.name);
      const std::string word = own == nullptr ? "" : word_of(*own, label);
      if (!word.empty()) {
        words.push_back(word);
        break;
      }
    }
  }
  if (words.size() == all.labels.size()) {
    all.attributes["short_name"] = join(words, ", ");
  }
}

// The label that points of a study without the column have.
std::string label_without(const Column& column) {
  const std::string usual = default_of(column);
  return usual.empty() ? "none" : usual;
}

double number_without(const Column& column) {
  const std::string usual = default_of(column);
  char* end = nullptr;
  const double number = std::strtod(usual.c_str(), &end);
  if (!usual.empty() && *end == '\0') {
    return number;
  }
  return is_real(column.type) ? no_number : no_index;
}

std::vector<std::int32_t> places_in(const std::vector<std::string>& all,
                                    const std::vector<std::string>& own) {
  std::vector<std::int32_t> places;
  for (const std::string& label : own) {
    places.push_back(
        static_cast<std::int32_t>(std::find(all.begin(), all.end(), label) - all.begin()));
  }
  return places;
}

std::optional<std::size_t> position_of(const Input& input, const std::string& name) {
  const Column* const column = column_of(input, name);
  return column == nullptr ? std::nullopt
                           : std::optional<std::size_t>(column - input.reader.schema().data());
}

// Indices into an axis of several studies.
JoinedColumn axis_column(const std::vector<Input>& inputs, const JoinedAxis& axis,
                         const Column& like) {
  JoinedColumn result{like, {}};
  result.column.labels = axis.axis.labels;
  result.column.type = axis.axis.labels.size() > most_of_u8 ? ColumnType::i32 : ColumnType::u8;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto column = position_of(inputs[i], axis.axis.name);
    result.sources.push_back(
        {column, axis.places[i], 0.0, static_cast<double>(axis.places[i].front())});
  }
  return result;
}

JoinedColumn plain_column(const std::vector<Input>& inputs, const std::string& name) {
  const Input& first = *std::find_if(inputs.begin(), inputs.end(), [&](const Input& input) {
    return column_of(input, name) != nullptr;
  });
  JoinedColumn result{*column_of(first, name), {}};
  Column& all = result.column;
  bool lacking = false;
  for (const Input& input : inputs) {
    const Column* const own = column_of(input, name);
    lacking = lacking || own == nullptr;
    if (own != nullptr) {
      check_alike(first, input, name);
      all.type = wider(all.type, own->type);
      add_in_order(all.labels, own->labels);
      all.role = all.role.empty() ? own->role : all.role;
    }
  }
  if (!all.labels.empty()) {
    if (lacking) {
      add_in_order(all.labels, {label_without(all)});
    }
    join_short_names(inputs, all);
    all.type = all.labels.size() > most_of_u8 ? ColumnType::i32 : all.type;
  }
  for (const Input& input : inputs) {
    const Column* const own = column_of(input, name);
    ColumnSource source{position_of(input, name), {}, 0.0, number_without(all)};
    if (!all.labels.empty()) {
      source.otherwise = places_in(all.labels, {label_without(all)}).front();
      source.places =
          own == nullptr ? std::vector<std::int32_t>{} : places_in(all.labels, own->labels);
    }
    result.sources.push_back(std::move(source));
  }
  return result;
}

// Which study a point is of, and its id there.
std::vector<JoinedColumn> identity_columns(const std::vector<Input>& inputs,
                                           const JoinedAxis& studies,
                                           const std::vector<std::int64_t>& first_ids) {
  JoinedColumn id{*column_of(inputs.front(), std::string(point_id_column)), {}};
  id.column.description =
      "The point in this union of studies: its id there behind those of the studies before it.";
  JoinedColumn own = id;
  own.column.name = store::own_id_column;
  own.column.long_name = "point id in its study";
  own.column.description = "The point in the study that it is from.";
  own.column.role = role::main;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto column = position_of(inputs[i], std::string(point_id_column));
    id.sources.push_back({column, {}, static_cast<double>(first_ids[i]), no_index});
    own.sources.push_back({column, {}, 0.0, no_index});
  }
  const Column study{std::string(store::study_axis),
                     ColumnType::u8,
                     "",
                     "study",
                     "The study that the point is from.",
                     {}};
  return {std::move(id), axis_column(inputs, studies, study), std::move(own)};
}

const JoinedAxis* axis_named(const std::vector<JoinedAxis>& axes, const std::string& name) {
  const auto found = std::find_if(axes.begin(), axes.end(),
                                  [&](const JoinedAxis& axis) { return axis.axis.name == name; });
  return found == axes.end() ? nullptr : &*found;
}

// An axis of one study must be none of the other columns of another one.
void check_axis(const std::vector<Input>& inputs, const std::string& name) {
  for (const Input& input : inputs) {
    if (column_of(input, name) != nullptr && find_axis(input.reader.axes(), name) == nullptr) {
      refuse(
          fmt::format("'{}' is an axis in another study and a plain column in {}: the studies "
                      "cannot be one",
                      name, input.file.string()));
    }
  }
}

}  // namespace

std::vector<JoinedColumn> joined_columns(const std::vector<Input>& inputs,
                                         const std::vector<JoinedAxis>& axes,
                                         const std::vector<std::int64_t>& first_ids) {
  std::vector<std::string> names;
  for (const Input& input : inputs) {
    add_in_order(names, names_of(input.reader.schema()));
  }
  std::vector<JoinedColumn> columns = identity_columns(inputs, axes.front(), first_ids);
  for (const std::string& name : names) {
    if (name == point_id_column) {
      continue;
    }
    const JoinedAxis* const axis = axis_named(axes, name);
    if (axis == nullptr) {
      columns.push_back(plain_column(inputs, name));
      continue;
    }
    check_axis(inputs, name);
    const Input& first = *std::find_if(inputs.begin(), inputs.end(), [&](const Input& input) {
      return column_of(input, name) != nullptr;
    });
    columns.push_back(axis_column(inputs, *axis, *column_of(first, name)));
  }
  return columns;
}

}  // namespace scalesweep::analysis
