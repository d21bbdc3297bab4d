#include "analysis/bottlenecks/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace scalesweep::analysis {

const ResultTable& AnalysisResult::operator[](std::string_view name) const {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const ResultTable& table) { return table.name == name; });
  if (found == tables.end()) {
    throw std::logic_error(fmt::format("no result table is declared as '{}'", name));
  }
  return *found;
}

std::vector<const ResultTable*> tables_of(const AnalysisResult& result) {
  std::vector<const ResultTable*> found;
  for (const ResultTable& table : result.tables) {
    if (!table.schema.empty()) {
      found.push_back(&table);
    }
  }
  return found;
}

}  // namespace scalesweep::analysis
