#include "analysis/file/objective.hpp"

#include <algorithm>

#include "analysis/file/columns.hpp"
#include "core/text.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {
namespace {

// Comma or blank separated, as a study's attribute gives them.
std::vector<Objective> minimised(std::string columns) {
  std::replace(columns.begin(), columns.end(), ',', ' ');
  std::vector<Objective> objectives;
  for (const std::string& column : split(columns, ' ')) {
    if (!trim(column).empty()) {
      objectives.push_back({std::string(trim(column)), Direction::minimize});
    }
  }
  return objectives;
}

}  // namespace

std::vector<Objective> default_objectives(const store::StudyReader& reader) {
  std::vector<Objective> result;
  for (const auto* texts : {&reader.root_attributes(), &reader.provenance()}) {
    const auto found = texts->find("objectives");
    if (found != texts->end() && result.empty()) {
      result = minimised(found->second);
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
