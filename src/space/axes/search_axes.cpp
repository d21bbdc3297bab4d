#include "space/axes/search_axes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/key_relations.hpp"
#include "core/text.hpp"
#include "space/axes/workload_axes.hpp"
#include "space/keys/spec_keys.hpp"
#include "space/read/axis_reader.hpp"
#include "space/read/spec_axes.hpp"

namespace scalesweep::space {
namespace {

using config::TableCursor;
using config::ValueCursor;

// Looked at where a spec does not say how many: a model of more takes longer than what it spares.
constexpr std::int64_t most_by_bounds = 100'000;
constexpr std::int64_t most_by_model = 400;

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

// What is built and has an order. Which layouts are valid does not depend on it.
bool is_ordered(const Axis& axis, const std::vector<Axis>& axes) {
  const auto jobs = find_axis(axes, std::string(last_job_axis));
  return axis.kind != AxisKind::name && !is_workload_axis(axis.name) && jobs.has_value() &&
         &axis - axes.data() > static_cast<std::ptrdiff_t>(*jobs);
}

// Why it cannot be searched, "" if it can.
std::string problem_of(const std::string& name, const std::vector<Axis>& axes,
                       const AxisSearch& search) {
  const std::vector<std::string> possible = continuous_axes();
  const auto axis = find_axis(axes, name);
  const bool needs_no_between =
      search.finds_by(SearchMethod::model) || search.finds_by(SearchMethod::climb);
  if (!axis && !is_axis_name(name)) {
    return fmt::format("'{}' is no axis of this study{}", name, suggestion(name, possible));
  }
  const bool may_be = axis && needs_no_between && is_ordered(axes[*axis], axes);
  if (!may_be && std::find(possible.begin(), possible.end(), name) == possible.end()) {
    return needs_no_between
               ? fmt::format(
                     "'{}' cannot be searched: it is no number or quantity of what is built, or "
                     "decides which layouts are valid. It is gone along value by value",
                     name)
               : fmt::format(
                     "'{}' cannot be searched: what lies between two of its values is not known to "
                     "be between them. Those that can are {}; the others are gone along value by "
                     "value, or by method = \"model\" or \"climb\" if they are numbers or "
                     "quantities",
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
  std::string problem = problem_of(*name, axes, search);
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
  if (!table.value("devices")) {
    return true;
  }
  search.most_devices = integer_in_range(table, "search.devices", most_by_model);
  return search.most_devices.has_value();
}

// False if a word is there and none of the names.
template <typename Names, typename Word>
bool read_word(const TableCursor& table, const char* key, const Names& names, Word& word) {
  const auto text = table.optional_string(key);
  if (!text) {
    return true;
  }
  const auto found = names.find(*text);
  if (!found) {
    table.error(key, fmt::format("unknown {} '{}'{}", key, *text, suggestion(*text, names.list())));
    return false;
  }
  word = *found;
  return true;
}

bool read_first_values(const TableCursor& table, AxisSearch& search) {
  const auto first = integer_in_range(table, "search.first_values", search.first_values);
  search.first_values = first.value_or(search.first_values);
  return first.has_value();
}

}  // namespace

std::optional<AxisSearch> read_search(const TableCursor& table, std::vector<Axis>& axes,
                                      bool complete) {
  if (!table.exists()) {
    return std::nullopt;
  }
  AxisSearch search;
  search.position = table.position();
  bool good = read_word(table, "find", search_for_names, search.find) &&
              read_word(table, "method", search_method_names, search.method) &&
              config::check_relations(table, keys_in("search"));
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

AxisSearch AxisSearch::settled(SearchMethod usual) const {
  AxisSearch all = *this;
  if (find == SearchFor::best) {
    all.method = method.value_or(usual);
    all.most_devices =
        most_devices.value_or(all.method == SearchMethod::model ? most_by_model : most_by_bounds);
  }
  return all;
}

std::string search_text(const AxisSearch& search) {
  if (search.find == SearchFor::transitions) {
    return fmt::format("{}; transitions; first values {}", search.axes.front(),
                       search.first_values);
  }
  std::string text = join(search.axes, ", ");
  if (search.method != SearchMethod::climb) {
    text += fmt::format("; tolerance {}", search.tolerance);
  }
  text += fmt::format("; devices {}", search.most_devices.value());
  if (search.method != SearchMethod::bounds) {
    text += fmt::format("; method {}", search_method_names[search.method.value()]);
  }
  return text;
}

}  // namespace scalesweep::space
