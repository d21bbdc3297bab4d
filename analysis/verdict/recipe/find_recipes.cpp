#include "analysis/verdict/recipe/find_recipes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/file/columns.hpp"
#include "analysis/selection/slice.hpp"
#include "space/axes/workload_axes.hpp"
#include "store/read/study_file.hpp"

namespace scalesweep::analysis {
namespace {

const std::string phase_axis(space::phase_axis);

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> without(std::vector<std::string> names,
                                 const std::vector<std::string>& left_out) {
  std::erase_if(names, [&](const std::string& name) { return holds(left_out, name); });
  return names;
}

// What is known before any row is read; without columns where there is nothing to add up.
Recipes outline(const store::StudyReader& reader, const StudyLayout& layout,
                const Verdicts& verdicts) {
  Recipes recipes;
  const auto axis = layout.axis(phase_axis);
  if (!axis) {
    return recipes;
  }
  for (const store::Column& column : layout.schema) {
    if (has_role(column, role::adds_up)) {
      recipes.columns.push_back({column.name, column.long_name, column.units});
    }
  }
  if (recipes.columns.empty()) {
    return recipes;
  }
  for (std::size_t i = 0; i < layout.axes[*axis].labels.size(); ++i) {
    if (!is_absent(layout.axes[*axis], i)) {
      recipes.phases.push_back(layout.axes[*axis].labels[i]);
    }
  }
  const store::AxisValues* const whole = find_axis(reader.axes(), phase_axis);
  recipes.all_phases = whole == nullptr ? recipes.phases.size() : whole->labels.size();
  // The phase, and axes whose values follow from it: none of them is chosen.
  const std::vector<std::string> group = layout.group_of(phase_axis);
  recipes.per = without(verdicts.per, group);
  recipes.chosen = without(verdicts.chosen, group);
  recipes.dropped = without(recipes.chosen, verdicts.compared);
  recipes.with = without(group, {phase_axis});
  recipes.strategy = verdicts.strategy;
  recipes.objective = {recipes.columns.front().name};
  for (std::size_t i = 0; i < recipes.columns.size(); ++i) {
    if (recipes.columns[i].name == verdicts.objective.column) {
      recipes.ranked = i;
      recipes.objective = verdicts.objective;
    }
  }
  return recipes;
}

// The best point of each phase on each combination of a question.
using Choices = std::map<ChoiceKey, std::vector<Candidate>>;

std::map<QuestionKey, Choices> by_question(const StudyLayout& layout,
                                           const std::map<QuestionKey, FoundQuestion>& found) {
  const store::AxisValues& axis = layout.axes[*layout.axis(phase_axis)];
  std::map<QuestionKey, Choices> questions;
  for (const auto& [key, question] : found) {
    const auto phase = static_cast<std::size_t>(key.back());
    if (is_absent(axis, phase)) {
      continue;
    }
    Choices& choices = questions[{key.begin(), key.end() - 1}];
    for (const auto& [choice, best] : question.best) {
      std::vector<Candidate>& phases = choices[choice];
      phases.resize(axis.labels.size());
      phases[phase] = best;
    }
  }
  return questions;
}

// Combinations of what is chosen; axes that vary together count once.
std::int64_t combinations_of(const Recipes& recipes, const StudyLayout& layout) {
  std::int64_t product = 1;
  std::set<std::vector<std::string>> counted;  // groups
  for (const std::string& name : recipes.chosen) {
    if (counted.insert(layout.group_of(name)).second) {
      product *= static_cast<std::int64_t>(layout.axes[*layout.axis(name)].labels.size());
    }
  }
  return product;
}

// Rows that make the runs, and what they hold.
class Rows {
 public:
  Rows(const store::StudyReader& reader, const StudyLayout& layout, const Recipes& recipes,
       const std::map<QuestionKey, Choices>& questions)
      : layout_(layout), recipes_(recipes) {
    std::set<std::string> columns(recipes.with.begin(), recipes.with.end());
    columns.insert(recipes.strategy.begin(), recipes.strategy.end());
    for (const RecipeColumn& column : recipes.columns) {
      columns.insert(column.name);
    }
    const std::vector<std::string> names(columns.begin(), columns.end());
    for (const auto& [key, choices] : questions) {
      for (const auto& [choice, phases] : choices) {
        for (const Candidate& point : phases) {
          if (point.row >= 0) {
            rows_.push_back(point.row);
          }
        }
      }
    }
    std::sort(rows_.begin(), rows_.end());
    schema_ = schema_of(layout.schema, names);
    table_ = gather(reader, layout, names, rows_);
  }

  RecipePhase phase(std::size_t index, const Candidate& point) const {
    RecipePhase phase;
    phase.phase = static_cast<std::int32_t>(index);
    phase.row = point.row;
    phase.id = point.id;
    for (const RecipeColumn& column : recipes_.columns) {
      phase.parts.push_back(number(column.name, point.row));
    }
    for (const std::string& name : recipes_.with) {
      phase.with.push_back(static_cast<std::int32_t>(number(name, point.row)));
    }
    for (const std::string& name : recipes_.strategy) {
      phase.strategy.push_back(number(name, point.row));
    }
    return phase;
  }

  void say(RecipePhase& phase) const {
    for (std::size_t i = 0; i < recipes_.with.size(); ++i) {
      const auto& labels = layout_.axes[*layout_.axis(recipes_.with[i])].labels;
      phase.labels.push_back(labels[static_cast<std::size_t>(phase.with[i])]);
    }
    phase.layout = layout_label(schema_, recipes_.strategy, phase.strategy);
  }

 private:
  double number(const std::string& column, std::int64_t row) const {
    const auto place = std::lower_bound(rows_.begin(), rows_.end(), row) - rows_.begin();
    return table_.number(position_in(schema_, column), static_cast<std::size_t>(place));
  }

  const StudyLayout& layout_;
  const Recipes& recipes_;
  std::vector<std::int64_t> rows_;  // ascending; a point is of one combination
  store::Schema schema_;
  store::Table table_{store::Schema{}};
};

// Of a combination in which each phase that takes part has a point.
RecipeRun run_of(const Recipes& recipes, const StudyLayout& layout, const Rows& rows,
                 const ChoiceKey& choice, const std::vector<Candidate>& points) {
  RecipeRun run;
  run.choice = choice;
  for (std::size_t i = 0; i < choice.size(); ++i) {
    const auto& labels = layout.axes[*layout.axis(recipes.chosen[i])].labels;
    run.labels.push_back(labels[static_cast<std::size_t>(choice[i])]);
  }
  run.sums.resize(recipes.columns.size(), 0.0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].row < 0) {
      continue;  // of studies without phases
    }
    run.phases.push_back(rows.phase(i, points[i]));
    for (std::size_t column = 0; column < run.sums.size(); ++column) {
      run.sums[column] += run.phases.back().parts[column];
    }
  }
  return run;
}

RecipeAnswer answer_of(const Recipes& recipes, const StudyLayout& layout, const Rows& rows,
                       const Choices& choices) {
  RecipeAnswer answer;
  // Of several studies none need have all combinations of their values.
  answer.combinations = holds(recipes.chosen, std::string(store::study_axis))
                            ? static_cast<std::int64_t>(choices.size())
                            : combinations_of(recipes, layout);
  std::vector<std::int64_t> feasible(recipes.phases.size(), 0);
  for (const auto& [choice, points] : choices) {
    std::size_t there = 0;
    for (std::size_t i = 0, phase = 0; i < points.size(); ++i) {
      if (is_absent(layout.axes[*layout.axis(phase_axis)], i)) {
        continue;
      }
      there += points[i].row >= 0 ? 1 : 0;
      feasible[phase++] += points[i].row >= 0 ? 1 : 0;
    }
    if (there == recipes.phases.size()) {
      RecipeRun run = run_of(recipes, layout, rows, choice, points);
      if (!std::isnan(run.sums[recipes.ranked])) {
        answer.runs.push_back(std::move(run));
      }
    }
  }
  for (std::size_t i = 0; i < feasible.size(); ++i) {
    if (feasible[i] == 0) {
      answer.missing.push_back(recipes.phases[i]);
    }
  }
  std::stable_sort(answer.runs.begin(), answer.runs.end(),
                   [&](const RecipeRun& a, const RecipeRun& b) {
                     return recipes.objective.to_minimize(a.sums[recipes.ranked]) <
                            recipes.objective.to_minimize(b.sums[recipes.ranked]);
                   });
  if (!answer.runs.empty()) {
    for (RecipePhase& phase : answer.runs.front().phases) {
      rows.say(phase);
    }
  }
  return answer;
}

}  // namespace

Recipes find_recipes(const store::StudyReader& reader, const StudyLayout& layout,
                     const Verdicts& verdicts, const std::string& where,
                     const QuestionWords& words) {
  Recipes recipes = outline(reader, layout, verdicts);
  if (recipes.phases.size() < 2) {
    return recipes;
  }
  std::vector<std::string> per = recipes.per;
  per.push_back(phase_axis);
  const std::map<QuestionKey, Choices> questions = by_question(
      layout, search_verdicts(reader, layout, {verdicts.objective, per, recipes.chosen, where}));
  const Rows rows(reader, layout, recipes, questions);
  for (const auto& [key, choices] : questions) {
    RecipeAnswer answer = answer_of(recipes, layout, rows, choices);
    answer.key = key;
    answer.question = words(recipes.per, key);
    recipes.answers.push_back(std::move(answer));
  }
  return recipes;
}

}  // namespace scalesweep::analysis
