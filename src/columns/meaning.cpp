#include "columns/meaning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "columns/strategy_fields.hpp"
#include "config/quantity_text.hpp"
#include "core/names.hpp"
#include "core/text.hpp"
#include "space/read/axis_reader.hpp"
#include "store/versions/former_names.hpp"

namespace scalesweep::columns {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

std::optional<double> number_in(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool whole = !text.empty() && end == text.c_str() + text.size();
  return whole ? std::optional<double>(number) : std::nullopt;
}

void read_axis(const store::AxisValues& axis, ColumnMeaning& result) {
  result.is_axis = true;
  result.labels = axis.labels;
  if (axis.units.empty()) {
    result.meaning = Meaning::name;
    return;
  }
  result.meaning = axis.units == "1" ? Meaning::number : Meaning::quantity;
  result.units = axis.units == "1" ? "" : axis.units;
  result.values = axis.values;
}

// Of a column with labels that is no axis.
void read_labels(const store::Column& column, ColumnMeaning& result) {
  result.labels = column.labels;
  if (column.labels == std::vector<std::string>{"off", "on"}) {
    result.meaning = Meaning::truth;
    return;
  }
  result.meaning = Meaning::number;
  for (const std::string& label : column.labels) {
    const auto number = number_in(label);
    if (!number) {
      result.meaning = Meaning::name;
      result.values.clear();
      return;
    }
    result.values.push_back(*number);
  }
}

std::optional<config::Dimension> dimension_in(std::string_view units) {
  if (units == "B") {
    return config::Dimension::bytes;
  }
  space::Axis axis;
  axis.kind = space::AxisKind::quantity;
  axis.units = units;
  return space::dimension_of(axis);
}

constexpr std::array<std::pair<std::string_view, double>, 12> prefixes = {{{"f", 1e-15},
                                                                           {"p", 1e-12},
                                                                           {"n", 1e-9},
                                                                           {"u", 1e-6},
                                                                           {"m", 1e-3},
                                                                           {"k", 1e3},
                                                                           {"M", 1e6},
                                                                           {"G", 1e9},
                                                                           {"T", 1e12},
                                                                           {"P", 1e15},
                                                                           {"E", 1e18},
                                                                           {"Z", 1e21}}};

// "s-1" may be written "1/s", "USD s-1" "USD/s".
std::string written_with_slash(std::string_view units) {
  std::vector<std::string> above;
  std::string below;
  for (const std::string& part : split(units, ' ')) {
    if (part.ends_with("-1")) {
      below += "/" + part.substr(0, part.size() - 2);
    } else {
      above.push_back(part);
    }
  }
  return (above.empty() ? "1" : join(above, " ")) + below;
}

std::optional<double> factor_of(std::string_view symbol, std::string_view units) {
  const std::array<std::string, 2> spellings = {std::string(units), written_with_slash(units)};
  for (const std::string& spelling : spellings) {
    if (symbol == spelling) {
      return 1.0;
    }
    for (const auto& [prefix, factor] : prefixes) {
      if (symbol == fmt::format("{}{}", prefix, spelling)) {
        return factor;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

const store::Column* find_column(const store::Schema& schema, std::string_view name) {
  const auto first = [&](const auto& fits) -> const store::Column* {
    const auto found = std::find_if(schema.begin(), schema.end(), fits);
    return found == schema.end() ? nullptr : &*found;
  };
  const std::string now = store::column_now(name);
  if (const auto* column = first([&](const store::Column& one) { return one.name == now; })) {
    return column;
  }
  // "tp" of "TP8"; what stands before numbers in small letters is hardly a name ("v", "every-").
  const auto is_capital = [](char letter) { return letter >= 'A' && letter <= 'Z'; };
  return first([&](const store::Column& one) {
    const std::string short_name = short_name_of(one);
    return !short_name.empty() && same_but_for_case(short_name, name) &&
           std::all_of(short_name.begin(), short_name.end(), is_capital);
  });
}

ColumnMeaning meaning_of(const store::Column& column, const std::vector<store::AxisValues>& axes) {
  ColumnMeaning result;
  result.name = column.name;
  if (const store::AxisValues* axis = find_axis(axes, column.name)) {
    read_axis(*axis, result);
  } else if (!column.labels.empty()) {
    read_labels(column, result);
  } else if (!column.units.empty() && column.units != "1") {
    result.meaning = Meaning::quantity;
    result.units = column.units;
  }
  return result;
}

double value_of(const ColumnMeaning& column, double stored) {
  if (column.labels.empty() && column.values.empty()) {
    return stored;
  }
  const std::size_t size = std::max(column.labels.size(), column.values.size());
  if (!(stored >= 0.0 && stored < static_cast<double>(size))) {
    return nothing;
  }
  const auto index = static_cast<std::size_t>(stored);
  if (column.meaning == Meaning::name || column.meaning == Meaning::truth) {
    return stored;
  }
  return index < column.values.size() ? column.values[index] : nothing;
}

QuantityText parse_quantity_in(std::string_view text, std::string_view units) {
  if (const auto dimension = dimension_in(units)) {
    const config::QuantityResult result = config::parse_quantity(text, *dimension);
    return {result.si, result.problem};
  }
  const std::string trimmed(trim(text));
  char* end = nullptr;
  const double number = std::strtod(trimmed.c_str(), &end);
  const auto digits = static_cast<std::size_t>(end - trimmed.c_str());
  if (digits == 0 || !std::isfinite(number)) {
    return {std::nullopt, fmt::format("'{}' is no number with a unit; write for example '2 {}'",
                                      text, written_with_slash(units))};
  }
  const std::string_view symbol = trim(std::string_view(trimmed).substr(digits));
  if (const auto factor = factor_of(symbol, units)) {
    return {number * *factor, ""};
  }
  return {std::nullopt,
          fmt::format("'{}' is not in {}, with or without an SI prefix; write for "
                      "example '{:g} {}'",
                      text, written_with_slash(units), number, written_with_slash(units))};
}

}  // namespace scalesweep::columns
