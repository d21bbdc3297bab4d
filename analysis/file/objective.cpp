#include "analysis/file/objective.hpp"

#include "analysis/file/columns.hpp"
#include "core/text.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

std::vector<Objective> default_objectives(const store::StudyReader& reader) {
  std::vector<Objective> result;
  const auto found = reader.root_attributes().find("objectives");
  if (found != reader.root_attributes().end()) {
    for (const std::string& name : split(found->second, ',')) {
      if (!trim(name).empty()) {
        result.push_back({std::string(trim(name)), Direction::minimize});
      }
    }
  }
  const store::Column* const rank = column_with(reader.schema(), role::rank);
  if (result.empty() && rank != nullptr) {
    result.push_back({rank->name, Direction::minimize});
  }
  return result;
}

std::vector<std::string> columns_of(const std::vector<Objective>& objectives) {
  std::vector<std::string> columns;
  for (const Objective& objective : objectives) {
    columns.push_back(objective.column);
  }
  return columns;
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
