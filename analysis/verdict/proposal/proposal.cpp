#include "analysis/verdict/proposal/proposal.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/file/columns.hpp"
#include "analysis/selection/rows.hpp"
#include "analysis/selection/slice.hpp"
#include "reduce/choice.hpp"

namespace scalesweep::analysis {
namespace {

// Of what is maximised the logarithm of the inverse, whose error bar is the same.
reduce::Estimate estimate_of(double value, double error_bar, const Objective& objective) {
  const double sign = objective.direction == Direction::minimize ? 1.0 : -1.0;
  return {sign * std::log(value), error_bar};
}

bool has_logarithm(double value) {
  return value > 0.0 && std::isfinite(value);
}

}  // namespace

bool Proposal::is_better_known(const FoundQuestion& question) const {
  return choice != nullptr && best.point.row != question.best.at(*question.choice).row;
}

Proposal proposal_of(const FoundQuestion& question, const Objective& objective) {
  if (question.choice == nullptr) {
    return {};
  }
  const Proposal by_value = {{question.best.at(*question.choice)}, question.choice};
  std::vector<reduce::Estimate> estimates;
  std::vector<Proposal> proposals;
  const auto add = [&](const ChoiceKey& choice, const KnownBest& best) {
    estimates.push_back(estimate_of(best.point.value, best.error_bar, objective));
    proposals.push_back({best, &question.best.find(choice)->first});
    return has_logarithm(best.point.value);
  };
  // The best by value is the first, and so it is chosen of equal ones.
  for (const bool is_first : {true, false}) {
    for (const auto& [choice, bests] : question.known) {
      for (const KnownBest& best : bests) {
        const bool is_best = best.point.row == by_value.best.point.row;
        if (is_best == is_first && !add(choice, best)) {
          return by_value;
        }
      }
    }
  }
  return proposals.empty() ? by_value : proposals[reduce::choose_under_doubt(estimates)];
}

void count_alike(const store::StudyReader& reader, const StudyLayout& layout,
                 const std::string& where, Verdicts& verdicts) {
  if (verdicts.error_bar.empty()) {
    return;
  }
  std::map<QuestionKey, std::pair<reduce::Estimate, std::int64_t*>> answers;
  for (Verdict& verdict : verdicts.answers) {
    if (verdict.is_answered() && has_logarithm(verdict.taken.value)) {
      answers[verdict.key] = {
          estimate_of(verdict.taken.value, verdict.taken.error_bar, verdicts.objective),
          &verdict.alike};
    }
  }
  std::set<std::string> names = {verdicts.objective.column, verdicts.error_bar};
  names.insert(verdicts.per.begin(), verdicts.per.end());
  const std::vector<std::string> columns(names.begin(), names.end());
  const store::Schema schema = schema_of(layout.schema, columns);
  const RowSelection rows(
      reader, {.where = where, .all_statuses = false, .ids = {}, .reading = layout.reading});
  rows.scan(columns, [&](const RowSlice& slice) {
    std::vector<std::vector<std::int64_t>> keys;
    for (const std::string& name : verdicts.per) {
      const auto axis = layout.axis(name);
      keys.push_back(axis ? axis_indices(layout, slice.table, schema, *axis)
                          : integers(slice.table, schema, name));
    }
    const auto values = quantities(layout, slice.table, schema, verdicts.objective.column);
    const auto bars = numbers(slice.table, schema, verdicts.error_bar);
    QuestionKey key(keys.size());
    for (std::size_t row = 0; row < values.size(); ++row) {
      for (std::size_t i = 0; i < key.size(); ++i) {
        key[i] = keys[i][row];
      }
      const auto answer = answers.find(key);
      if (answer != answers.end() && has_logarithm(values[row]) &&
          reduce::cannot_be_told_apart(estimate_of(values[row], bars[row], verdicts.objective),
                                       answer->second.first)) {
        ++*answer->second.second;
      }
    }
  });
}

}  // namespace scalesweep::analysis
