#include "analysis/words/value_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <locale>
#include <sstream>

#include "core/text.hpp"
#include "store/texts/absent.hpp"

namespace scalesweep::analysis {
namespace {

template <typename Number>
std::string with_point(Number value) {
  if (!std::isfinite(value)) {
    return "";
  }
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  return text;
}

// "B s-1" -> "B/s"; "s-1" -> "1/s".
std::string with_slashes(std::string_view units) {
  std::string above;
  std::string below;
  for (const std::string& part : split(units, ' ')) {
    if (part.ends_with("-1")) {
      below += "/" + part.substr(0, part.size() - 2);
    } else {
      above += (above.empty() ? "" : " ") + part;
    }
  }
  return (above.empty() && !below.empty() ? "1" : above) + below;
}

// Units that people write prefixes before, and the largest prefix that they write.
struct Prefixed {
  std::string_view units;
  double largest;
};
constexpr std::array<Prefixed, 6> prefixed = {
    {{"s", 1.0}, {"B", 1e18}, {"J", 1e18}, {"W", 1e9}, {"Hz", 1e12}, {"B s-1", 1e18}}};

// Times that nobody reads in seconds, from the longest.
struct LongTime {
  double least;
  double factor;
  const char* units;
};
constexpr std::array<LongTime, 2> long_times = {
    {{2.0 * 86400.0, 86400.0, "days"}, {2.0 * 3600.0, 3600.0, "h"}}};

constexpr std::array<std::pair<double, const char*>, 12> prefixes = {{{1e18, "E"},
                                                                      {1e15, "P"},
                                                                      {1e12, "T"},
                                                                      {1e9, "G"},
                                                                      {1e6, "M"},
                                                                      {1e3, "k"},
                                                                      {1.0, ""},
                                                                      {1e-3, "m"},
                                                                      {1e-6, "u"},
                                                                      {1e-9, "n"},
                                                                      {1e-12, "p"},
                                                                      {1e-15, "f"}}};

}  // namespace

std::string exact_number(double value) {
  return with_point(value);
}

std::string exact_number(float value) {
  return with_point(value);
}

bool has_value(const store::Table& table, const store::Column& column, std::size_t place,
               std::size_t row) {
  const double stored = table.number(place, row);
  if (!column.labels.empty()) {
    return stored >= 0.0 && stored < static_cast<double>(column.labels.size()) &&
           column.labels[static_cast<std::size_t>(stored)] != store::absent_label(column);
  }
  switch (column.type) {
    case store::ColumnType::f64:
    case store::ColumnType::f32:
      return std::isfinite(stored);
    case store::ColumnType::i64:
    case store::ColumnType::i32:
      return stored != store::absent_integer;
    case store::ColumnType::u8:
      break;
  }
  return true;
}

std::string exact_text(const store::Table& table, const store::Column& column, std::size_t place,
                       std::size_t row) {
  if (!has_value(table, column, place, row)) {
    return "";
  }
  if (!column.labels.empty()) {
    return column.labels[static_cast<std::size_t>(table.number(place, row))];
  }
  switch (column.type) {
    case store::ColumnType::f64:
      return exact_number(table.values<double>(place)[row]);
    case store::ColumnType::f32:
      return exact_number(table.values<float>(place)[row]);
    case store::ColumnType::i64:
      return fmt::format("{}", table.values<std::int64_t>(place)[row]);
    case store::ColumnType::i32:
      return fmt::format("{}", table.values<std::int32_t>(place)[row]);
    case store::ColumnType::u8:
      return fmt::format("{}", table.values<std::uint8_t>(place)[row]);
  }
  return "";
}

std::string counted_in(std::string_view words) {
  constexpr std::string_view of_cost = " per million ";
  const std::size_t cost = words.find(of_cost);
  const std::size_t rate = words.find(" per second");
  if (cost == std::string_view::npos && rate == std::string_view::npos) {
    return "tokens";
  }
  if (cost != std::string_view::npos) {
    const std::string_view rest = words.substr(cost + of_cost.size());
    return std::string(rest.substr(0, rest.find(" over ")));
  }
  const std::string_view counted = words.substr(0, rate);
  return std::string(counted.substr(counted.find_last_of(' ') + 1));
}

std::string rate_text(double per_s, std::string_view counted) {
  constexpr double least_per_s = 0.1;
  constexpr double hour_s = 3600.0;
  const bool by_the_hour = per_s > 0.0 && per_s < least_per_s;
  const double rate = by_the_hour ? hour_s * per_s : per_s;
  return fmt::format("{} {}/{}",
                     rate >= 1e4 ? with_thousands(std::llround(rate)) : fmt::format("{:.4g}", rate),
                     counted, by_the_hour ? "h" : "s");
}

std::string unit_cost_text(double of_a_million, std::string_view units, std::string_view counted) {
  constexpr double least_of_one = 0.01;
  const double of_one = 1e-6 * of_a_million;
  if (of_one >= least_of_one) {
    return fmt::format("{:.3g} {} per {}", of_one, units, counted.substr(0, counted.size() - 1));
  }
  const std::string number = of_a_million >= 1e3 ? with_thousands(std::llround(of_a_million))
                                                 : fmt::format("{:.3g}", of_a_million);
  return fmt::format("{} {} per million {}", number, units, counted);
}

LabelParts parts_of_label(const std::string& label) {
  const std::size_t blank = label.find(' ');
  std::istringstream text(label);
  text.imbue(std::locale::classic());
  LabelParts parts{std::nan(""), blank == std::string::npos ? "" : label.substr(blank)};
  text >> parts.number;
  if (text.fail()) {
    parts.number = std::nan("");
  }
  return parts;
}

NumberScale scale_for(std::span<const double> values, std::string_view units) {
  if (units.empty() || units == "1") {
    return {};
  }
  const auto found = std::find_if(prefixed.begin(), prefixed.end(),
                                  [&](const Prefixed& one) { return one.units == units; });
  double largest = 0.0;
  for (const double value : values) {
    largest = std::isfinite(value) ? std::max(largest, std::fabs(value)) : largest;
  }
  if (found == prefixed.end() || largest == 0.0) {
    return {1.0, with_slashes(units)};
  }
  for (const auto& [least, factor, name] : long_times) {
    if (units == "s" && largest >= least) {
      return {factor, name};
    }
  }
  for (const auto& [factor, prefix] : prefixes) {
    if (factor <= found->largest && largest >= factor) {
      return {factor, prefix + with_slashes(units)};
    }
  }
  return {prefixes.back().first, prefixes.back().second + with_slashes(units)};
}

std::string shown_number(double value, const NumberScale& scale) {
  if (std::isnan(value)) {
    return "-";
  }
  const double shown = value / scale.factor;
  // Whole numbers that are no measures are shown whole: sizes, ids, counts.
  if (scale.units.empty() && std::fabs(shown) < 1e15 && shown == std::floor(shown)) {
    return fmt::format("{:.0f}", shown);
  }
  const double magnitude = std::fabs(shown);
  if (magnitude >= 1e4 && magnitude < 1e7) {
    return fmt::format("{:.0f}", shown);
  }
  return fmt::format("{:.4g}", shown);
}

}  // namespace scalesweep::analysis
