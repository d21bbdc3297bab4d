#include "space/read/spec_strategy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "parallel/fields.hpp"

namespace scalesweep::space {
namespace {

using config::TableCursor;
using config::ValueCursor;
using parallel::Choices;
using parallel::Field;
using parallel::FieldKind;

constexpr std::int64_t largest = 1'000'000'000;

std::optional<std::int64_t> positive(const ValueCursor& value, const std::string& key) {
  const auto number = value.integer();
  if (number && (*number < 1 || *number > largest)) {
    value.error(
        fmt::format("{} must be between 1 and {}, not {}", key, with_thousands(largest), *number));
    return std::nullopt;
  }
  return number;
}

// { powers_of_two_to = 32 } or { divisors_to = 32 }.
Choices bounded(const TableCursor& table, const std::string& key) {
  Choices choices;
  const auto powers = table.value("powers_of_two_to");
  const auto divisors = table.value("divisors_to");
  if (powers.has_value() == divisors.has_value()) {
    table.error(
        fmt::format("{} takes one of powers_of_two_to and divisors_to, for example "
                    "{{ powers_of_two_to = 32 }}",
                    key));
    return choices;
  }
  choices.powers_of_two = powers.has_value();
  choices.at_most = powers ? positive(*powers, "powers_of_two_to").value_or(0)
                           : positive(*divisors, "divisors_to").value_or(0);
  return choices;
}

std::optional<std::int64_t> number_of(const ValueCursor& value, const Field& field,
                                      const std::string& key) {
  if (field.zero_word.empty() || value.form() != ValueCursor::Form::string) {
    return positive(value, key);
  }
  if (*value.string() == field.zero_word) {
    return 0;
  }
  value.error(
      fmt::format("{} is a number or \"{}\", not \"{}\"", key, field.zero_word, *value.string()));
  return std::nullopt;
}

std::optional<std::int64_t> stage_of(const ValueCursor& value, const Field& field,
                                     const std::string& key) {
  const auto stage = value.integer();
  const auto last = static_cast<std::int64_t>(field.words.size()) - 1;
  if (stage && (*stage < 0 || *stage > last)) {
    value.error(fmt::format("{} is stage {} or {}, not {}", key,
                            fmt::join(field.words.first(field.words.size() - 1), ", "), last,
                            *stage));
    return std::nullopt;
  }
  return stage;
}

std::optional<std::int64_t> word_of(const ValueCursor& value, const Field& field,
                                    const std::string& key) {
  const auto word = value.string();
  if (!word) {
    return std::nullopt;
  }
  const auto found = std::find(field.words.begin(), field.words.end(), *word);
  if (found == field.words.end()) {
    value.error(fmt::format(
        "unknown {} '{}'{}", key, *word,
        suggestion(*word, std::vector<std::string>(field.words.begin(), field.words.end()))));
    return std::nullopt;
  }
  return found - field.words.begin();
}

// One value as the number that the field has for it.
std::optional<std::int64_t> value_of(const ValueCursor& value, const Field& field,
                                     const std::string& key) {
  switch (field.kind) {
    case FieldKind::size:
      return number_of(value, field, key);
    case FieldKind::stage:
      return stage_of(value, field, key);
    case FieldKind::word:
      return word_of(value, field, key);
    case FieldKind::truth:
      break;
  }
  const auto on = value.boolean();
  return on ? std::optional<std::int64_t>(*on ? 1 : 0) : std::nullopt;
}

// A value, or a list of several.
Choices listed(const ValueCursor& value, const Field& field, const std::string& key) {
  Choices choices = {.divisors = false};
  const std::vector<ValueCursor> values = value.list_or_single();
  if (values.empty()) {
    value.error(
        fmt::format("'{}' is an empty list; give at least one value, or leave the key out", key));
  }
  for (const ValueCursor& element : values) {
    const auto number = value_of(element, field, key);
    if (number && std::count(choices.values.begin(), choices.values.end(), *number) > 0) {
      element.error(fmt::format("{} stands twice in {}", element.text(), key));
    } else if (number) {
      choices.values.push_back(*number);
    }
  }
  return choices;
}

Choices read_choices(const ValueCursor& value, const Field& field, const std::string& key) {
  const bool may_divide = field.kind == FieldKind::size && field.zero_word.empty();
  if (may_divide && value.form() == ValueCursor::Form::table) {
    return bounded(value.table(), key);
  }
  if (!may_divide || value.form() != ValueCursor::Form::string) {
    return listed(value, field, key);
  }
  if (*value.string() != "divisors") {
    value.error(
        fmt::format("{} is \"divisors\", an integer, a list of integers, "
                    "{{ powers_of_two_to = N }} or {{ divisors_to = N }}, not \"{}\"",
                    key, *value.string()));
  }
  return {};
}

// A key that says nothing of what is studied.
void refuse(const TableCursor& strategy, const Field& field, const std::string& key,
            parallel::WorkloadKind kind) {
  const std::string_view name = parallel::name_of(kind);
  if (field.is_of(kind)) {
    strategy.error(key, fmt::format("'{}' is of training; with kind = \"{}\" write work = "
                                    "\"training\", or leave it out",
                                    key, name));
    return;
  }
  strategy.error(
      key, field.not_of.empty()
               ? fmt::format("'{}' is of training; with kind = \"{}\" leave it out", key, name)
               : fmt::format("with kind = \"{}\" {}; leave '{}' out", name, field.not_of, key));
}

}  // namespace

parallel::StrategyRules read_strategy_rules(const TableCursor& strategy,
                                            parallel::StrategyRules rules) {
  for (const Field& row : parallel::strategy_rows()) {
    const std::string key(row.name);
    if (row.choices == nullptr || !strategy.describes(key)) {
      continue;  // no key
    }
    if (!row.is_of(rules)) {
      if (strategy.has(key)) {
        refuse(strategy, row, key, rules.kind);
      }
    } else if (row.value == nullptr) {
      if (const auto said = strategy.optional_boolean(key)) {
        row.choose(rules, parallel::only(*said ? 1 : 0));
      }
    } else if (const auto value = strategy.value(key)) {
      row.choose(rules, read_choices(*value, row, key));
    }
  }
  return rules;
}

const parallel::StrategyRules& strategies_of(const WorkloadForm& form,
                                             const std::vector<Axis>& axes) {
  const auto work = find_axis(axes, "work");
  const bool trains =
      work && std::count(axes[*work].labels.begin(), axes[*work].labels.end(), "training") > 0;
  return trains && form.trained_strategies ? *form.trained_strategies : form.strategies;
}

}  // namespace scalesweep::space
