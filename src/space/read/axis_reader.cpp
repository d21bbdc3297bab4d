#include "space/read/axis_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <string_view>

#include "core/text.hpp"

namespace scalesweep::space {
namespace {

using config::Dimension;
using config::KeyKind;
using config::TableCursor;
using config::ValueCursor;

// What an axis may be a measure of, in the SI units of UDUNITS.
struct DimensionUnits {
  Dimension dimension;
  std::string_view units;
};
constexpr std::array<DimensionUnits, 14> axis_units = {{{Dimension::area, "m2"},
                                                        {Dimension::bytes, "B"},
                                                        {Dimension::watts, "W"},
                                                        {Dimension::bytes_per_second, "B s-1"},
                                                        {Dimension::seconds, "s"},
                                                        {Dimension::hertz, "Hz"},
                                                        {Dimension::usd, "USD"},
                                                        {Dimension::co2, "kg"},
                                                        {Dimension::usd_per_joule, "USD J-1"},
                                                        {Dimension::usd_per_watt, "USD W-1"},
                                                        {Dimension::usd_per_byte, "USD B-1"},
                                                        {Dimension::per_area, "m-2"},
                                                        {Dimension::co2_per_joule, "kg J-1"},
                                                        {Dimension::tokens, "1"}}};

bool append_name(Axis& axis, const ValueCursor& value, const Key& key) {
  const auto name = value.string();
  if (!name) {
    return false;
  }
  const std::vector<std::string> words(key.words.begin(), key.words.end());
  if (!words.empty() && std::find(words.begin(), words.end(), *name) == words.end()) {
    value.error(fmt::format("unknown {} '{}'{}", key.axis, *name, suggestion(*name, words)));
    return false;
  }
  axis.labels.push_back(*name);
  axis.values.push_back(static_cast<double>(axis.values.size()));
  return true;
}

bool append_integer(Axis& axis, const ValueCursor& value, const Key& key) {
  const auto number = value.integer();
  const int least = key.zero ? 0 : 1;
  if (number && (*number < least || *number > 1'000'000'000)) {
    value.error(
        fmt::format("{} must be between {} and 1,000,000,000, not {}", key.axis, least, *number));
    return false;
  }
  if (number) {
    axis.labels.push_back(std::to_string(*number));
    axis.values.push_back(static_cast<double>(*number));
  }
  return number.has_value();
}

bool append_number(Axis& axis, const ValueCursor& value, const Key& key) {
  const auto number = value.number();
  if (number && !key.range.holds(*number)) {
    value.error(fmt::format("{} must be {}, not {}", key.axis, key.range.text(), *number));
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

bool append_quantity(Axis& axis, const ValueCursor& value, const Key& key) {
  if (key.none && value.form() == ValueCursor::Form::string && *value.string() == "none") {
    axis.labels.emplace_back("none");
    axis.values.push_back(std::numeric_limits<double>::infinity());
    return true;
  }
  const auto quantity = value.quantity(key.dimension, config::unquoted(key.example));
  if (quantity && *quantity <= 0.0 && !key.zero) {
    value.error(fmt::format("{} must be above zero", key.axis));
    return false;
  }
  if (quantity) {
    axis.labels.push_back(label_of(*quantity, key.dimension));
    axis.values.push_back(*quantity);
  }
  return quantity.has_value();
}

AxisKind axis_kind(const Key& key) {
  switch (key.kind) {
    case KeyKind::integer:
      return AxisKind::integer;
    case KeyKind::number:
      return AxisKind::number;
    case KeyKind::quantity:
      return AxisKind::quantity;
    default:
      return AxisKind::name;
  }
}

bool append(Axis& axis, const ValueCursor& value, const Key& key) {
  switch (axis.kind) {
    case AxisKind::name:
      return append_name(axis, value, key);
    case AxisKind::integer:
      return append_integer(axis, value, key);
    case AxisKind::number:
      return append_number(axis, value, key);
    case AxisKind::quantity:
      return append_quantity(axis, value, key);
  }
  return false;
}

// Without values.
Axis empty_axis(const Key& key) {
  Axis axis;
  axis.name = key.axis;
  axis.kind = axis_kind(key);
  axis.units = axis.kind == AxisKind::name       ? ""
               : axis.kind == AxisKind::quantity ? units_of(key.dimension)
                                                 : "1";
  return axis;
}

// So many at most in a range: each has a label.
constexpr std::int64_t most_steps = 10'000;

// { from = ..., to = ..., values = ... }: so many from one end to the other, equally far apart.
std::optional<Axis> read_steps(const ValueCursor& cursor, const Key& key) {
  const TableCursor table = cursor.table();
  Axis ends = empty_axis(key);
  bool good = true;
  for (const char* const end : {"from", "to"}) {
    const auto value = table.value(end);
    if (!value) {
      table.error(
          fmt::format("missing key '{}'; write for example {} = {{ from = ..., to = ..., "
                      "values = 20 }}",
                      end, key.name()));
    }
    good = value && append(ends, *value, key) && good;
  }
  const auto count = table.integer("values");
  if (count && (*count < 2 || *count > most_steps)) {
    table.error("values", fmt::format("values must be between 2 and {}, not {}",
                                      with_thousands(most_steps), *count));
  }
  if (!good || !count || *count < 2 || *count > most_steps) {
    return std::nullopt;
  }
  const double from = ends.values.front();
  const double to = ends.values.back();
  if (from >= to) {
    table.error("from", fmt::format("'from' must be below 'to', but {} is not below {}",
                                    ends.labels.front(), ends.labels.back()));
    return std::nullopt;
  }
  Axis axis = empty_axis(key);
  for (std::int64_t i = 0; i < *count; ++i) {
    const double place = static_cast<double>(i) / static_cast<double>(*count - 1);
    const double value = from + place * (to - from);
    append_value(axis, axis.kind == AxisKind::integer ? std::round(value) : value, key);
    axis.positions.push_back(cursor.position());
    if (i > 0 && axis.labels[axis.size() - 2] == axis.labels.back()) {
      table.error("values", fmt::format("{} values from {} to {} are not all different; take fewer",
                                        *count, ends.labels.front(), ends.labels.back()));
      return std::nullopt;
    }
  }
  return axis;
}

// { mean = ..., spread = ... }: the mean as its only value, until it is drawn.
std::optional<Axis> read_distribution(const ValueCursor& cursor, const Key& key) {
  const TableCursor table = cursor.table();
  Axis axis = empty_axis(key);
  const auto mean = table.value("mean");
  if (!mean) {
    table.error(
        fmt::format("missing key 'mean'; write for example {} = {{ mean = {}, spread = 0.3 }}",
                    key.name(), key.example));
  }
  const bool good = mean && append(axis, *mean, key);
  const auto spread = table.number("spread");
  constexpr config::NumberRange range = {0.0, false, 3.0, true};
  if (spread && !range.holds(*spread)) {
    table.error("spread",
                fmt::format("spread must be {}, not {}: it is the standard deviation over "
                            "the mean; a value that is known is written alone",
                            range.text(), *spread));
  }
  if (!good || !spread || !range.holds(*spread)) {
    return std::nullopt;
  }
  if (axis.values.front() <= 0.0) {
    table.error("mean", fmt::format("the mean of {} must be above zero", key.axis));
    return std::nullopt;
  }
  axis.positions.push_back(cursor.position());
  axis.drawn = Distribution{axis.values.front(), *spread};
  return axis;
}

std::optional<Axis> read_axis(const ValueCursor& cursor, const Key& key) {
  if (cursor.form() == ValueCursor::Form::table) {
    if (key.uncertain && (!key.continuous || cursor.table().has("mean"))) {
      return read_distribution(cursor, key);
    }
    if (key.continuous) {
      return read_steps(cursor, key);
    }
  }
  Axis axis = empty_axis(key);
  const std::vector<ValueCursor> values = cursor.list_or_single();
  if (values.empty()) {
    cursor.error(fmt::format("'{}' is an empty axis; give at least one value, or leave the key out",
                             key.axis));
    return std::nullopt;
  }
  bool good = true;
  std::set<std::string> seen;
  for (const ValueCursor& value : values) {
    if (!append(axis, value, key)) {
      good = false;
      continue;
    }
    axis.positions.push_back(value.position());
    // "0.7 kW" and "700 W" are one value.
    if (!seen.insert(axis.labels.back()).second) {
      value.error(fmt::format("'{}' stands twice on the axis {}", axis.labels.back(), key.axis));
      good = false;
    }
  }
  return good ? std::optional(axis) : std::nullopt;
}

}  // namespace

bool AxisReader::read(const TableCursor& table, const Key& key) {
  const std::string name(key.name());
  if (const auto value = table.value(name)) {
    read(*value, key);
    return true;
  }
  if (table.exists() && key.need == config::Need::required) {
    table.error(
        fmt::format("missing key '{}'; write for example {} = {}", name, name, key.example));
  } else if (table.exists() && key.need == config::Need::standing) {
    axes_.push_back(default_axis(key, table.position()));
  }
  return false;
}

void AxisReader::read(const ValueCursor& value, const Key& key) {
  if (auto axis = read_axis(value, key)) {
    axes_.push_back(std::move(*axis));
  }
}

std::optional<std::int64_t> integer_in_range(const TableCursor& table, std::string_view path,
                                             std::int64_t usual) {
  const Key& key = spec_key(path);
  const std::int64_t number = table.optional_integer(key.name()).value_or(usual);
  if (key.range.holds(static_cast<double>(number))) {
    return number;
  }
  table.error(key.name(),
              fmt::format("{} must be between {} and {}, not {}", key.name(),
                          with_thousands(static_cast<std::int64_t>(key.range.low)),
                          with_thousands(static_cast<std::int64_t>(*key.range.high)), number));
  return std::nullopt;
}

void append_value(Axis& axis, double value, const Key& key) {
  axis.values.push_back(value);
  axis.labels.push_back(axis.kind == AxisKind::quantity  ? label_of(value, key.dimension)
                        : axis.kind == AxisKind::integer ? fmt::format("{:.0f}", value)
                                                         : fmt::format("{:.6g}", value));
}

Axis default_axis(const Key& key, const SourcePosition& position) {
  Axis axis = empty_axis(key);
  axis.labels.emplace_back(config::unquoted(key.fallback));
  axis.values.push_back(
      axis.kind == AxisKind::name ? 0.0 : std::strtod(axis.labels.back().c_str(), nullptr));
  axis.positions.push_back(position);
  axis.is_default = true;
  return axis;
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
