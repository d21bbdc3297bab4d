#include "space/objective.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"

namespace scalesweep::space {
std::vector<std::string> columns_of(const std::vector<Objective>& objectives) {
  std::vector<std::string> columns;
  for (const Objective& objective : objectives) {
    columns.push_back(objective.column);
  }
  return columns;
}

std::string objective_lines(const std::vector<Objective>& objectives) {
  std::string lines;
  for (const ObjectiveWord& word : objective_words) {
    std::vector<std::string> columns;
    for (const Objective& objective : objectives) {
      if (objective.direction == word.direction) {
        columns.push_back(objective.column);
      }
    }
    if (!columns.empty()) {
      lines += fmt::format("{}: {}\n", word.word, join(columns, ", "));
    }
  }
  return lines;
}

std::string direction_problem(const Objective& objective, std::string_view better,
                              std::string_view dashes) {
  const ObjectiveWord& asked = word_of(objective.direction);
  if (better.empty() || better == asked.better) {
    return "";
  }
  const auto* const right =
      std::find_if(objective_words.begin(), objective_words.end(),
                   [better](const ObjectiveWord& word) { return word.better == better; });
  return right == objective_words.end()
             ? ""
             : fmt::format(
                   "'{0}' is better when it is {1}, and {2}{3} would take the worst for the best; "
                   "name it in {2}{4}",
                   objective.column, better, dashes, asked.word, right->word);
}

}  // namespace scalesweep::space
