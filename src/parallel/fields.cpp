#include "parallel/fields.hpp"

#include <algorithm>
#include <array>

namespace scalesweep::parallel {
namespace {

constexpr std::array<Field, 18> fields = {{
    {"tensor_parallel", FieldKind::size, {}, [](const Strategy& s) { return s.tensor_parallel; }},
    {"pipeline_parallel",
     FieldKind::size,
     {},
     [](const Strategy& s) { return s.pipeline_parallel; }},
    {"data_parallel", FieldKind::size, {}, [](const Strategy& s) { return s.data_parallel; }},
    {"chunks", FieldKind::size, {}, [](const Strategy& s) { return s.chunks; }},
    {"micro_batch", FieldKind::size, {}, [](const Strategy& s) { return s.micro_batch; }},
    {"micro_batches", FieldKind::size, {}, [](const Strategy& s) { return s.micro_batches; }},
    {"recompute", FieldKind::word, recompute_names,
     [](const Strategy& s) { return static_cast<std::int32_t>(s.recompute); }},
    {"zero",
     FieldKind::stage,
     {},
     [](const Strategy& s) { return static_cast<std::int32_t>(s.zero); }},
    {"sequence_parallel",
     FieldKind::truth,
     {},
     [](const Strategy& s) { return s.sequence_parallel ? 1 : 0; }},
    {"context_parallel", FieldKind::size, {}, [](const Strategy& s) { return s.context_parallel; }},
    {"expert_parallel", FieldKind::size, {}, [](const Strategy& s) { return s.expert_parallel; }},
    {"recompute_every", FieldKind::size, {}, [](const Strategy& s) { return s.recompute_every; }},
    {"shard_group", FieldKind::size, {}, [](const Strategy& s) { return s.shard_group; }},
    {"schedule", FieldKind::word, schedule_names,
     [](const Strategy& s) { return static_cast<std::int32_t>(s.schedule); }},
    {"context_exchange", FieldKind::word, context_exchange_names,
     [](const Strategy& s) { return static_cast<std::int32_t>(s.context_exchange); }},
    {"rank_order", FieldKind::word, rank_order_names,
     [](const Strategy& s) { return static_cast<std::int32_t>(s.rank_order); }},
    {"offload_activations",
     FieldKind::truth,
     {},
     [](const Strategy& s) { return s.offload_activations ? 1 : 0; }},
    {"offload_optimizer",
     FieldKind::truth,
     {},
     [](const Strategy& s) { return s.offload_optimizer ? 1 : 0; }},
}};

// Whether a plain field says something of strategies of this kind.
bool part_of(const Field& field, WorkloadKind kind) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), field.name) != names.end();
  };
  return kind == WorkloadKind::training ||
         !(is_one_of({"chunks", "recompute", "zero"}) ||
           (kind == WorkloadKind::serving && is_one_of({"micro_batch", "micro_batches"})));
}

bool is_only(const Choices& choices, std::int64_t value) {
  return !choices.divisors && choices.values == std::vector{value};
}

// Whether each of the fields after the plain ones may take another value than its first.
std::array<bool, fields.size() - plain_field_count> asked_for(const StrategyRules& rules) {
  const StrategyRules plain;
  return {!is_only(rules.context_parallel, 1),
          !is_only(rules.expert_parallel, 1),
          !is_only(rules.recompute_every, 1),
          rules.shard_group != plain.shard_group,
          rules.schedule != plain.schedule,
          rules.context_exchange != plain.context_exchange,
          rules.rank_order != plain.rank_order,
          rules.offload_activations != plain.offload_activations,
          rules.offload_optimizer != plain.offload_optimizer};
}

}  // namespace

std::span<const Field> strategy_fields() {
  return fields;
}

const Field* find_field(std::string_view name) {
  const auto* found = std::find_if(fields.begin(), fields.end(),
                                   [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? nullptr : found;
}

std::vector<const Field*> fields_of(const StrategyRules& rules) {
  std::vector<const Field*> found;
  const auto asked = asked_for(rules);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i < plain_field_count ? part_of(fields[i], rules.kind) : asked[i - plain_field_count]) {
      found.push_back(&fields[i]);
    }
  }
  return found;
}

std::string text_of(const Field& field, const Strategy& strategy) {
  const std::int32_t value = field.value(strategy);
  switch (field.kind) {
    case FieldKind::word:
      return std::string(field.words[static_cast<std::size_t>(value)]);
    case FieldKind::truth:
      return value != 0 ? "on" : "off";
    case FieldKind::size:
    case FieldKind::stage:
      break;
  }
  return std::to_string(value);
}

}  // namespace scalesweep::parallel
