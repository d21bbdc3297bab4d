#include "analysis/effects/strategy_changes.hpp"

#include "analysis/file/columns.hpp"

namespace scalesweep::analysis {
namespace {

StrategyValues values_at(const StudyLayout& layout,
                         const std::vector<std::vector<std::int64_t>>& strategies,
                         std::size_t row) {
  StrategyValues values;
  for (const std::size_t field : layout.compared) {
    values.push_back(strategies[field][row]);
  }
  return values;
}

}  // namespace

std::vector<std::vector<std::int64_t>> strategies_of(const StudyLayout& layout,
                                                     const ResultTable& best) {
  std::vector<std::vector<std::int64_t>> strategies;
  for (const std::string& name : layout.strategy) {
    strategies.push_back(integers(best.table, best.schema, name));
  }
  return strategies;
}

std::vector<std::string> kept_status_names(const StudyLayout& layout) {
  std::vector<std::string> names = layout.statuses;
  names.emplace_back("not_in_file");
  return names;
}

std::vector<StrategyStep> strategy_steps(const StudyLayout& layout, const ResultTable& best,
                                         const std::vector<Path>& paths,
                                         const std::vector<std::size_t>& cells) {
  const auto strategies = strategies_of(layout, best);
  std::vector<StrategyStep> steps;
  for (const Step& step : steps_of(layout, paths)) {
    const StrategyValues before = values_at(layout, strategies, step.from_row);
    if (before != values_at(layout, strategies, step.to_row)) {
      steps.push_back({step, {cells[step.path->first_cell + step.to], before}});
    }
  }
  return steps;
}

std::vector<WantedStrategy> held_strategies(const StudyLayout& layout, const ResultTable& best,
                                            const std::vector<Path>& paths,
                                            const std::vector<std::size_t>& cells) {
  const auto strategies = strategies_of(layout, best);
  std::vector<WantedStrategy> wanted;
  for (const Path& path : paths) {
    StrategyValues first;
    for (std::size_t value = 0; value < path.rows.size(); ++value) {
      if (first.empty() && path.rows[value] >= 0) {
        first = values_at(layout, strategies, static_cast<std::size_t>(path.rows[value]));
      }
      if (!first.empty()) {
        wanted.push_back({cells[path.first_cell + value], first});
      }
    }
  }
  return wanted;
}

}  // namespace scalesweep::analysis
