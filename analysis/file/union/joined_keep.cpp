#include "analysis/file/union/joined.hpp"

#include <algorithm>
#include <optional>

#include "analysis/file/objective.hpp"
#include "space/stored_rules.hpp"
#include "store/read/study_parts.hpp"

namespace scalesweep::analysis {
namespace {

using space::Keep;
using space::KeepPolicy;

constexpr const char* several_rules = R"({"policy":"several"})";

std::optional<Keep> rule_of(const Input& input) {
  const auto text = input.reader.root_attributes().find("keep");
  const bool all = input.reader.rows() == input.reader.points();
  if (text == input.reader.root_attributes().end()) {
    return all ? std::optional(Keep{}) : std::nullopt;
  }
  return space::keep_of_json(text->second);
}

// Whether the kept points of the study are chosen apart for each value of the axis. `number` is
// that of the study.
bool keeps_apart(const Keep& keep, const JoinedAxis& axis, std::size_t number) {
  const bool is_group =
      std::find(keep.per.begin(), keep.per.end(), axis.axis.name) != keep.per.end();
  return !keep.reduces() || is_group || axis.places[number].size() == 1;
}

bool have_same_objectives(const std::vector<Input>& inputs) {
  const auto first = default_objectives(inputs.front().reader);
  return std::all_of(inputs.begin(), inputs.end(),
                     [&](const Input& input) { return default_objectives(input.reader) == first; });
}

}  // namespace

std::string joined_keep(const std::vector<Input>& inputs, const std::vector<JoinedAxis>& axes) {
  std::vector<Keep> rules;
  Keep joined;
  for (const Input& input : inputs) {
    const std::optional<Keep> rule = rule_of(input);
    if (!rule) {
      return several_rules;
    }
    rules.push_back(*rule);
    if (!rule->reduces()) {
      joined.policy = joined.reduces() ? joined.policy : std::max(joined.policy, rule->policy);
      continue;
    }
    if (joined.reduces() && joined.policy != rule->policy) {
      return several_rules;
    }
    joined.best_count =
        joined.reduces() ? std::min(joined.best_count, rule->best_count) : rule->best_count;
    joined.policy = rule->policy;
  }
  if (!joined.reduces()) {
    return space::keep_json(joined);
  }
  if (!have_same_objectives(inputs)) {
    return several_rules;
  }
  for (const JoinedAxis& axis : axes) {
    bool apart = axis.axis.labels.size() > 1;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      apart = apart && keeps_apart(rules[i], axis, i);
    }
    if (apart) {
      joined.per.push_back(axis.axis.name);
    }
  }
  return space::keep_json(joined);
}

}  // namespace scalesweep::analysis
