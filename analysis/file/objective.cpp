#include "analysis/file/objective.hpp"

#include "analysis/file/columns.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"
#include "space/stored_rules.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {
std::vector<Objective> default_objectives(const store::StudyReader& reader) {
  std::vector<Objective> result;
  for (const auto* texts : {&reader.root_attributes(), &reader.provenance()}) {
    const auto found = texts->find("objectives");
    if (found != texts->end() && result.empty()) {
      result = space::objectives_of_json(found->second);
    }
  }
  const store::Column* const rank = column_with(reader.schema(), role::rank);
  if (result.empty() && rank != nullptr) {
    result.push_back({rank->name, Direction::minimize});
  }
  return result;
}

void check_directions(const store::Schema& schema, const std::vector<Objective>& objectives) {
  for (const Objective& objective : objectives) {
    const store::Column* const column = find_column(schema, objective.column);
    const std::string problem =
        column == nullptr ? "" : space::direction_problem(objective, column->better, "--");
    if (!problem.empty()) {
      refuse(problem);
    }
  }
}

std::string words_of(const std::vector<Objective>& objectives) {
  std::vector<std::string> words;
  for (const Objective& objective : objectives) {
    words.push_back(objective.column +
                    (objective.direction == Direction::maximize ? " (most)" : ""));
  }
  return join(words, ", ");
}

}  // namespace scalesweep::analysis
