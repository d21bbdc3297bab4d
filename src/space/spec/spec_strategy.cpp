#include "space/spec/spec_strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
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

// What a key that is absent stands for is `choices`.
Choices read_choices(const TableCursor& strategy, const std::string& key, Choices choices = {}) {
  const auto value = strategy.value(key);
  if (!value) {
    return choices;
  }
  choices = {};
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

// A word of a list, or several.
template <typename Choice, std::size_t count>
void read_words(std::vector<Choice>& choices, const TableCursor& strategy, const std::string& key,
                const std::array<std::string_view, count>& names) {
  const auto values = values_of(strategy, key);
  if (!values) {
    return;
  }
  choices.clear();
  for (const ValueCursor& value : *values) {
    const auto word = value.string();
    if (!word) {
      continue;
    }
    const auto* const found = std::find(names.begin(), names.end(), *word);
    if (found == names.end()) {
      value.error(
          fmt::format("unknown {} '{}'{}", key, *word,
                      suggestion(*word, std::vector<std::string>(names.begin(), names.end()))));
    } else {
      add_once(choices, static_cast<Choice>(found - names.begin()), value, key);
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
    if (stage && (*stage < 0 || *stage > 3)) {
      value.error(fmt::format("zero is stage 0, 1, 2 or 3, not {}", *stage));
    } else if (stage) {
      add_once(rules.zero, static_cast<int>(*stage), value, "zero");
    }
  }
}

// "all", or a number of ranks.
void read_shard_group(parallel::StrategyRules& rules, const TableCursor& strategy) {
  const auto values = values_of(strategy, "shard_group");
  if (!values) {
    return;
  }
  rules.shard_group.clear();
  for (const ValueCursor& value : *values) {
    if (value.form() != ValueCursor::Form::string) {
      if (const auto ranks = positive(value, "shard_group")) {
        add_once(rules.shard_group, *ranks, value, "shard_group");
      }
    } else if (*value.string() == "all") {
      add_once(rules.shard_group, std::int64_t{0}, value, "shard_group");
    } else {
      value.error(
          fmt::format("shard_group is a number of ranks or \"all\", not \"{}\"", *value.string()));
    }
  }
}

void read_flags(std::vector<bool>& flags, const TableCursor& strategy, const std::string& key) {
  const auto values = values_of(strategy, key);
  if (!values) {
    return;
  }
  flags.clear();
  for (const ValueCursor& value : *values) {
    if (const auto on = value.boolean()) {
      add_once(flags, *on, value, key);
    }
  }
}

// Keys that say how gradients, optimizer and saved activations are laid out.
constexpr std::array<const char*, 11> training_keys = {"chunks",           "recompute",
                                                       "recompute_every",  "zero",
                                                       "shard_group",      "schedule",
                                                       "context_exchange", "rank_order",
                                                       "uneven_stages",    "offload_activations",
                                                       "offload_optimizer"};

void refuse_training_keys(const TableCursor& strategy, parallel::WorkloadKind kind) {
  const auto name = parallel::workload_kind_names[static_cast<std::size_t>(kind)];
  for (const char* key : training_keys) {
    if (strategy.has(key)) {
      strategy.error(
          key, fmt::format("'{}' is of training; with kind = \"{}\" leave it out", key, name));
    }
  }
  if (kind == parallel::WorkloadKind::serving && strategy.has("micro_batch")) {
    strategy.error(
        "micro_batch",
        "with kind = \"serving\" the batch is found, the largest within the limits; leave "
        "'micro_batch' out");
  }
}

// Nothing is trained: sizes of the groups are all there is.
parallel::StrategyRules read_answering_rules(const TableCursor& strategy,
                                             parallel::WorkloadKind kind) {
  parallel::StrategyRules rules = parallel::rules_of(kind);
  refuse_training_keys(strategy, kind);
  rules.tensor_parallel = read_choices(strategy, "tensor_parallel");
  rules.pipeline_parallel = read_choices(strategy, "pipeline_parallel");
  rules.context_parallel = read_choices(strategy, "context_parallel", rules.context_parallel);
  rules.expert_parallel = read_choices(strategy, "expert_parallel", rules.expert_parallel);
  if (kind == parallel::WorkloadKind::inference && strategy.has("micro_batch")) {
    rules.micro_batch_by_stages = false;
    rules.micro_batch = read_choices(strategy, "micro_batch");
  }
  read_flags(rules.sequence_parallel, strategy, "sequence_parallel");
  return rules;
}

}  // namespace

parallel::StrategyRules read_strategy_rules(const TableCursor& strategy,
                                            parallel::WorkloadKind kind) {
  if (kind != parallel::WorkloadKind::training) {
    return read_answering_rules(strategy, kind);
  }
  parallel::StrategyRules rules;
  rules.tensor_parallel = read_choices(strategy, "tensor_parallel");
  rules.pipeline_parallel = read_choices(strategy, "pipeline_parallel");
  rules.micro_batch = read_choices(strategy, "micro_batch");
  rules.chunks = read_choices(strategy, "chunks");
  rules.context_parallel = read_choices(strategy, "context_parallel", rules.context_parallel);
  rules.expert_parallel = read_choices(strategy, "expert_parallel", rules.expert_parallel);
  rules.recompute_every = read_choices(strategy, "recompute_every", rules.recompute_every);
  read_words(rules.recompute, strategy, "recompute", parallel::recompute_names);
  read_words(rules.schedule, strategy, "schedule", parallel::schedule_names);
  read_words(rules.context_exchange, strategy, "context_exchange",
             parallel::context_exchange_names);
  read_words(rules.rank_order, strategy, "rank_order", parallel::rank_order_names);
  read_zero(rules, strategy);
  read_shard_group(rules, strategy);
  read_flags(rules.sequence_parallel, strategy, "sequence_parallel");
  read_flags(rules.offload_activations, strategy, "offload_activations");
  read_flags(rules.offload_optimizer, strategy, "offload_optimizer");
  rules.uneven_stages = strategy.optional_boolean("uneven_stages").value_or(false);
  return rules;
}

}  // namespace scalesweep::space
