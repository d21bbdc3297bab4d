#include "analysis/bottlenecks/result.hpp"

namespace scalesweep::analysis {

std::vector<const ResultTable*> tables_of(const AnalysisResult& result) {
  std::vector<const ResultTable*> tables = {
      &result.verdict_table,    &result.runners_up, &result.frontier,
      &result.frontier_groups,  &result.best,       &result.transitions,
      &result.strategy_changes, &result.coverage,   &result.cloud};
  for (const ResultTable* table :
       {&result.axis_flips, &result.break_even, &result.tornado, &result.draws, &result.recipes,
        &result.recipe_phases, &result.moves, &result.phases, &result.sensitivity,
        &result.improvements, &result.panel_improvements, &result.effects, &result.interactions,
        &result.operators}) {
    if (!table->schema.empty()) {  // where the study has them
      tables.push_back(table);
    }
  }
  return tables;
}

}  // namespace scalesweep::analysis
