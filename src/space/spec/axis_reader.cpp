#include "space/spec/axis_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string_view>

#include "core/text.hpp"

namespace scalesweep::space {
namespace {

using config::Dimension;
using config::TableCursor;
using config::ValueCursor;

// What an axis may be a measure of, in the SI units of UDUNITS.
struct DimensionUnits {
  Dimension dimension;
  std::string_view units;
};
constexpr std::array<DimensionUnits, 9> axis_units = {{{Dimension::area, "m2"},
                                                       {Dimension::watts, "W"},
                                                       {Dimension::bytes_per_second, "B s-1"},
                                                       {Dimension::seconds, "s"},
                                                       {Dimension::hertz, "Hz"},
                                                       {Dimension::usd, "USD"},
                                                       {Dimension::co2, "kg"},
                                                       {Dimension::usd_per_joule, "USD J-1"},
                                                       {Dimension::co2_per_joule, "kg J-1"}}};

bool append_name(Axis& axis, const ValueCursor& value, const KeyRule& rule) {
  const auto name = value.string();
  if (!name) {
    return false;
  }
  const bool known = rule.words.empty() ||
                     std::find(rule.words.begin(), rule.words.end(), *name) != rule.words.end();
  if (!known) {
    value.error(fmt::format("unknown {} '{}'{}", rule.name, *name, suggestion(*name, rule.words)));
    return false;
  }
  axis.labels.push_back(*name);
  axis.values.push_back(static_cast<double>(axis.values.size()));
  return true;
}

bool append_integer(Axis& axis, const ValueCursor& value, const KeyRule& rule) {
  const auto number = value.integer();
  const int least = rule.zero ? 0 : 1;
  if (number && (*number < least || *number > 1'000'000'000)) {
    value.error(
        fmt::format("{} must be between {} and 1,000,000,000, not {}", rule.name, least, *number));
    return false;
  }
  if (number) {
    axis.labels.push_back(std::to_string(*number));
    axis.values.push_back(static_cast<double>(*number));
  }
  return number.has_value();
}

bool append_number(Axis& axis, const ValueCursor& value, const KeyRule& rule) {
  const auto number = value.number();
  if (number && !rule.range.holds(*number)) {
    value.error(fmt::format("{} must be {}, not {}", rule.name, rule.range.text(), *number));
    return false;
  }
  if (number) {
    axis.labels.push_back(fmt::format("{}", *number));
    axis.values.push_back(*number);
  }
  return number.has_value();
}

// Rates that an axis holds are those of pins, which people write in bits.
std::string label_of(double si, Dimension dimension) {
  return dimension == Dimension::bytes_per_second ? fmt::format("{:.6g} Gb/s", si * 8.0 / 1e9)
                                                  : config::quantity_text(si, dimension);
}

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

bool append_quantity(Axis& axis, const ValueCursor& value, const KeyRule& rule) {
  if (rule.none && value.form() == ValueCursor::Form::string && *value.string() == "none") {
    axis.labels.emplace_back("none");
    axis.values.push_back(std::numeric_limits<double>::infinity());
    return true;
  }
  const auto quantity = value.quantity(rule.dimension, unquoted(rule.example));
  if (quantity && *quantity <= 0.0 && !rule.zero) {
    value.error(fmt::format("{} must be above zero", rule.name));
    return false;
  }
  if (quantity) {
    axis.labels.push_back(label_of(*quantity, rule.dimension));
    axis.values.push_back(*quantity);
  }
  return quantity.has_value();
}

bool append(Axis& axis, const ValueCursor& value, const KeyRule& rule) {
  switch (rule.kind) {
    case AxisKind::name:
      return append_name(axis, value, rule);
    case AxisKind::integer:
      return append_integer(axis, value, rule);
    case AxisKind::number:
      return append_number(axis, value, rule);
    case AxisKind::quantity:
      return append_quantity(axis, value, rule);
  }
  return false;
}

std::string axis_units_of(const KeyRule& rule) {
  switch (rule.kind) {
    case AxisKind::name:
      return "";
    case AxisKind::quantity:
      return units_of(rule.dimension);
    default:
      return "1";
  }
}

std::optional<Axis> read_axis(const ValueCursor& cursor, const KeyRule& rule) {
  Axis axis;
  axis.name = rule.name;
  axis.kind = rule.kind;
  axis.units = axis_units_of(rule);
  const std::vector<ValueCursor> values = cursor.list_or_single();
  if (values.empty()) {
    cursor.error(fmt::format("'{}' is an empty axis; give at least one value, or leave the key out",
                             rule.name));
    return std::nullopt;
  }
  bool good = true;
  std::set<std::string> seen;
  for (const ValueCursor& value : values) {
    if (!append(axis, value, rule)) {
      good = false;
      continue;
    }
    axis.positions.push_back(value.position());
    // "0.7 kW" and "700 W" are one value.
    if (!seen.insert(axis.labels.back()).second) {
      value.error(fmt::format("'{}' stands twice on the axis {}", axis.labels.back(), rule.name));
      good = false;
    }
  }
  return good ? std::optional(axis) : std::nullopt;
}

}  // namespace

bool NumberRange::holds(double number) const {
  const bool above = low_included ? number >= low : number > low;
  const bool below = !high || (high_included ? number <= *high : number < *high);
  return above && below;
}

std::string NumberRange::text() const {
  std::string words = fmt::format("{} {}", low_included ? "at least" : "above", low);
  return high ? fmt::format("{} and {} {}", words, high_included ? "at most" : "below", *high)
              : words;
}

KeyRule name_key(std::string name, std::string example) {
  return {std::move(name), AxisKind::name, {}, std::move(example)};
}
KeyRule integer_key(std::string name, std::string example) {
  return {std::move(name), AxisKind::integer, {}, std::move(example)};
}
KeyRule quantity_key(std::string name, Dimension dimension, std::string example) {
  return {std::move(name), AxisKind::quantity, dimension, std::move(example)};
}
KeyRule number_key(std::string name, NumberRange range, std::string example) {
  return {std::move(name), AxisKind::number, {}, std::move(example), {}, range};
}

void AxisReader::required(const TableCursor& table, const std::string& key, const KeyRule& rule) {
  if (!optional(table, key, rule) && table.exists()) {
    table.error(fmt::format("missing key '{}'; write for example {} = {}", key, key, rule.example));
  }
}

bool AxisReader::optional(const TableCursor& table, const std::string& key, const KeyRule& rule) {
  const auto value = table.value(key);
  if (value) {
    read(*value, rule);
  }
  return value.has_value();
}

void AxisReader::with_default(const TableCursor& table, const std::string& key, const KeyRule& rule,
                              const std::string& label, double value) {
  if (!optional(table, key, rule) && table.exists()) {
    axes_.push_back(default_axis(rule, label, value, table.position()));
  }
}

void AxisReader::read(const ValueCursor& value, const KeyRule& rule) {
  if (auto axis = read_axis(value, rule)) {
    axes_.push_back(std::move(*axis));
  }
}

Axis default_axis(const KeyRule& rule, const std::string& label, double value,
                  const SourcePosition& position) {
  return {rule.name, rule.kind, axis_units_of(rule), {label}, {value}, {position}};
}

std::string units_of(Dimension dimension) {
  for (const DimensionUnits& known : axis_units) {
    if (known.dimension == dimension) {
      return std::string(known.units);
    }
  }
  return "";
}

std::optional<Dimension> dimension_of(const Axis& axis) {
  if (axis.kind != AxisKind::quantity) {
    return std::nullopt;
  }
  for (const DimensionUnits& known : axis_units) {
    if (known.units == axis.units) {
      return known.dimension;
    }
  }
  return std::nullopt;
}

}  // namespace scalesweep::space
