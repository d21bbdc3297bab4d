#include "space/spec_strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/text.hpp"

namespace scalesweep::space {
namespace {

using config::TableCursor;
using config::ValueCursor;
using parallel::Choices;

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

template <typename T>
void add_once(std::vector<T>& values, T value, const ValueCursor& cursor, const std::string& key) {
  if (std::find(values.begin(), values.end(), value) != values.end()) {
    cursor.error(fmt::format("{} stands twice in {}", cursor.text(), key));
  } else {
    values.push_back(value);
  }
}

// { powers_of_two_to = 32 } or { divisors_to = 32 }.
Choices bounded_choices(const TableCursor& table, const std::string& key) {
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

Choices read_choices(const TableCursor& strategy, const std::string& key) {
  Choices choices;
  const auto value = strategy.value(key);
  if (!value) {
    return choices;
  }
  switch (value->form()) {
    case ValueCursor::Form::table:
      return bounded_choices(value->table(), key);
    case ValueCursor::Form::string:
      if (*value->string() != "divisors") {
        value->error(
            fmt::format("{} is \"divisors\", an integer, a list of integers, "
                        "{{ powers_of_two_to = N }} or {{ divisors_to = N }}, not \"{}\"",
                        key, *value->string()));
      }
      return choices;
    default:
      break;
  }
  choices.divisors = false;
  const std::vector<ValueCursor> values = value->list_or_single();
  if (values.empty()) {
    value->error(
        fmt::format("'{}' is an empty list; give at least one value, or leave the key out", key));
  }
  for (const ValueCursor& element : values) {
    if (const auto number = positive(element, key)) {
      add_once(choices.values, *number, element, key);
    }
  }
  return choices;
}

// The values of a key that is a scalar or a list; nothing if it is absent.
std::optional<std::vector<ValueCursor>> values_of(const TableCursor& strategy,
                                                  const std::string& key) {
  const auto value = strategy.value(key);
  if (!value) {
    return std::nullopt;
  }
  std::vector<ValueCursor> values = value->list_or_single();
  if (values.empty()) {
    value->error(
        fmt::format("'{}' is an empty list; give at least one value, or leave the key out", key));
  }
  return values;
}

void read_recompute(parallel::StrategyRules& rules, const TableCursor& strategy) {
  const auto values = values_of(strategy, "recompute");
  if (!values) {
    return;
  }
  rules.recompute.clear();
  const std::vector<std::string> words(parallel::recompute_names.begin(),
                                       parallel::recompute_names.end());
  for (const ValueCursor& value : *values) {
    const auto word = value.string();
    const auto recompute = word ? parallel::recompute_from(*word) : std::nullopt;
    if (word && !recompute) {
      value.error(fmt::format("unknown recompute '{}'{}", *word, suggestion(*word, words)));
    } else if (recompute) {
      add_once(rules.recompute, *recompute, value, "recompute");
    }
  }
}

void read_zero(parallel::StrategyRules& rules, const TableCursor& strategy) {
  const auto values = values_of(strategy, "zero");
  if (!values) {
    return;
  }
  rules.zero.clear();
  for (const ValueCursor& value : *values) {
    const auto stage = value.integer();
    if (stage && *stage != 0 && *stage != 1) {
      value.error(fmt::format("zero is stage 0 or 1, not {}", *stage));
    } else if (stage) {
      add_once(rules.zero, static_cast<int>(*stage), value, "zero");
    }
  }
}

void read_sequence_parallel(parallel::StrategyRules& rules, const TableCursor& strategy) {
  const auto values = values_of(strategy, "sequence_parallel");
  if (!values) {
    return;
  }
  rules.sequence_parallel.clear();
  for (const ValueCursor& value : *values) {
    if (const auto on = value.boolean()) {
      add_once(rules.sequence_parallel, *on, value, "sequence_parallel");
    }
  }
}

}  // namespace

parallel::StrategyRules read_strategy_rules(const TableCursor& strategy) {
  parallel::StrategyRules rules;
  rules.tensor_parallel = read_choices(strategy, "tensor_parallel");
  rules.pipeline_parallel = read_choices(strategy, "pipeline_parallel");
  rules.micro_batch = read_choices(strategy, "micro_batch");
  rules.chunks = read_choices(strategy, "chunks");
  read_recompute(rules, strategy);
  read_zero(rules, strategy);
  read_sequence_parallel(rules, strategy);
  return rules;
}

}  // namespace scalesweep::space
