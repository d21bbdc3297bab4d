#include "space/axes/search_axes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "space/axes/workload_axes.hpp"
#include "space/keys/spec_keys.hpp"
#include "space/spec/axis_reader.hpp"
#include "space/spec/spec_axes.hpp"

namespace scalesweep::space {
namespace {

using config::TableCursor;
using config::ValueCursor;

// Those that a spec may name.
std::vector<std::string> continuous_axes() {
  std::vector<std::string> names;
  for (const Key& key : spec_keys()) {
    if (key.continuous) {
      names.emplace_back(key.axis);
    }
  }
  return names;
}

bool is_axis_name(const std::string& name) {
  const std::vector<std::string>& names = axis_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Why it cannot be searched, "" if it can.
std::string problem_of(const std::string& name, const std::vector<Axis>& axes) {
  const std::vector<std::string> possible = continuous_axes();
  const auto axis = find_axis(axes, name);
  if (!axis && !is_axis_name(name)) {
    return fmt::format("'{}' is no axis of this study{}", name, suggestion(name, possible));
  }
  if (std::find(possible.begin(), possible.end(), name) == possible.end()) {
    return fmt::format(
        "'{}' cannot be searched: what lies between two of its values is not known to be between "
        "them. Those that can are {}; the others are gone along value by value",
        name, join(possible, ", "));
  }
  if (!axis) {
    return fmt::format(
        "'{}' is no axis of this study; give it values in [system.device], for "
        "example {} = {{ from = ..., to = ..., values = 20 }}",
        name, name);
  }
  if (!axes[*axis].follows.empty() ||
      std::any_of(axes.begin(), axes.end(), [&](const Axis& a) { return a.follows == name; })) {
    return fmt::format("'{}' varies together with another axis; leave it out of one of both", name);
  }
  if (axes[*axis].size() < 2) {
    return fmt::format("'{}' has one value; give it several, or leave it out here", name);
  }
  return "";
}

// Where its values do not rise.
bool rises(const Axis& axis, const ValueCursor& named) {
  for (std::size_t i = 1; i < axis.size(); ++i) {
    if (axis.values[i] <= axis.values[i - 1]) {
      named.error(fmt::format(
          "the values of '{}' must rise, and {} comes after {} in line {}; put them in order",
          axis.name, axis.labels[i], axis.labels[i - 1], axis.positions[i].line));
      return false;
    }
  }
  return true;
}

bool read_axis(const ValueCursor& value, std::vector<Axis>& axes, bool complete,
               AxisSearch& search) {
  const auto name = value.string();
  if (!name || (!complete && !find_axis(axes, *name) && is_axis_name(*name))) {
    return false;
  }
  std::string problem = problem_of(*name, axes);
  if (std::find(search.axes.begin(), search.axes.end(), *name) != search.axes.end()) {
    problem = fmt::format("'{}' stands twice in [search]", *name);
  }
  if (!problem.empty()) {
    value.error(problem);
    return false;
  }
  search.axes.push_back(*name);
  Axis& axis = axes[*find_axis(axes, *name)];
  axis.searched = true;
  return rises(axis, value);
}

// False if the number is there and out of range.
bool read_tolerance(const TableCursor& table, AxisSearch& search) {
  const auto tolerance = table.optional_number("tolerance");
  const config::NumberRange& range = spec_key("search.tolerance").range;
  if (tolerance && !range.holds(*tolerance)) {
    table.error("tolerance",
                fmt::format("tolerance must be {}, not {}: it is what the best may be better than "
                            "what is found, for example 0.001; counts = \"bounded\" without "
                            "[search] finds the best of all",
                            range.text(), *tolerance));
    return false;
  }
  search.tolerance = tolerance.value_or(search.tolerance);
  return true;
}

bool read_most(const TableCursor& table, AxisSearch& search) {
  const auto most = integer_in_range(table, "search.devices", search.most_devices);
  search.most_devices = most.value_or(search.most_devices);
  return most.has_value();
}

bool read_find(const TableCursor& table, AxisSearch& search) {
  const auto word = table.optional_string("find");
  if (!word) {
    return true;
  }
  const std::optional<SearchFor> find = search_for_names.find(*word);
  if (!find) {
    table.error("find", fmt::format("unknown find '{}'{}", *word,
                                    suggestion(*word, search_for_names.list())));
    return false;
  }
  search.find = *find;
  return true;
}

// Keys of what is not looked for.
bool refuse_others(const TableCursor& table, SearchFor find) {
  const bool is_best = find == SearchFor::best;
  const std::vector<const char*> others =
      is_best ? std::vector{"first_values"} : std::vector{"tolerance", "devices"};
  bool good = true;
  for (const char* key : others) {
    if (table.value(key)) {
      table.error(key, fmt::format("{} goes with find = \"{}\"; leave it out", key,
                                   is_best ? "transitions" : "best"));
      good = false;
    }
  }
  return good;
}

bool read_first_values(const TableCursor& table, AxisSearch& search) {
  const auto first = integer_in_range(table, "search.first_values", search.first_values);
  search.first_values = first.value_or(search.first_values);
  return first.has_value();
}

constexpr std::string_view transitions_words = "; transitions";

}  // namespace

std::optional<AxisSearch> read_search(const TableCursor& table, std::vector<Axis>& axes,
                                      bool complete) {
  if (!table.exists()) {
    return std::nullopt;
  }
  AxisSearch search;
  search.position = table.position();
  bool good = read_find(table, search) && refuse_others(table, search.find);
  good = read_tolerance(table, search) && good;
  good = read_most(table, search) && good;
  good = read_first_values(table, search) && good;
  const auto named = table.value("axes");
  if (!named) {
    table.error(fmt::format("missing key 'axes'; write for example axes = {}",
                            spec_key("search.axes").example));
    return std::nullopt;
  }
  const std::vector<ValueCursor> values = named->list_or_single();
  if (values.empty()) {
    named->error("no axis; name at least one, or leave [search] out");
    return std::nullopt;
  }
  for (const ValueCursor& value : values) {
    good = read_axis(value, axes, complete, search) && good;
  }
  if (search.find == SearchFor::transitions && values.size() > 1) {
    named->error("transitions are looked for along one axis; name one");
    return std::nullopt;
  }
  std::stable_partition(axes.begin(), axes.end(), [](const Axis& axis) { return !axis.searched; });
  return good ? std::optional(search) : std::nullopt;
}

std::string search_text(const AxisSearch& search) {
  if (search.find == SearchFor::transitions) {
    return fmt::format("{}{}; first values {}", search.axes.front(), transitions_words,
                       search.first_values);
  }
  return fmt::format("{}; tolerance {}; devices {}", join(search.axes, ", "), search.tolerance,
                     search.most_devices);
}

std::string transitions_axis(std::string_view search_text) {
  const std::size_t end = search_text.find(transitions_words);
  return std::string(end == std::string_view::npos ? "" : search_text.substr(0, end));
}

}  // namespace scalesweep::space
