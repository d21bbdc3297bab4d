#include "analysis/findings/tables/declared.hpp"

#include <utility>

#include "analysis/bottlenecks/tables.hpp"

namespace scalesweep::analysis {

// Those with columns of their own, each in a file of this folder.
extern const TableSpec axis_flips_spec;
extern const TableSpec break_even_spec;
extern const TableSpec coverage_spec;
extern const TableSpec draws_spec;
extern const TableSpec effects_spec;
extern const TableSpec frontier_groups_spec;
extern const TableSpec improvements_spec;
extern const TableSpec interactions_spec;
extern const TableSpec moves_spec;
extern const TableSpec operators_spec;
extern const TableSpec panel_improvements_spec;
extern const TableSpec phases_spec;
extern const TableSpec recipe_phases_spec;
extern const TableSpec recipes_spec;
extern const TableSpec runners_up_spec;
extern const TableSpec sensitivity_spec;
extern const TableSpec strategy_changes_spec;
extern const TableSpec tied_shares_spec;
extern const TableSpec tornado_spec;
extern const TableSpec transitions_spec;
extern const TableSpec verdicts_spec;

namespace {

using In = TableInputs;

// The others have the columns of the study.
const std::vector<TableSpec> specs = {
    verdicts_spec,
    runners_up_spec,
    {tables::frontier, SeenIn::own_views, [](const In& in) { return in.frontier; }},
    frontier_groups_spec,
    {tables::best, SeenIn::own_views, [](const In& in) { return in.best; }},
    transitions_spec,
    tied_shares_spec,
    strategy_changes_spec,
    coverage_spec,
    {"cloud", SeenIn::pictures,
     [](const In& in) { return cloud_table(in.reader, in.reading.layout, in.scan.cloud); }},
    axis_flips_spec,
    break_even_spec,
    tornado_spec,
    draws_spec,
    recipes_spec,
    recipe_phases_spec,
    moves_spec,
    phases_spec,
    sensitivity_spec,
    improvements_spec,
    panel_improvements_spec,
    effects_spec,
    interactions_spec,
    operators_spec,
};

}  // namespace

const std::vector<TableSpec>& declared_tables() {
  return specs;
}

std::vector<ResultTable> make_tables(const std::vector<TableSpec>& some,
                                     const TableInputs& inputs) {
  std::vector<ResultTable> made;
  for (const TableSpec& spec : some) {
    made.push_back(spec.make(inputs));
    made.back().name = spec.name;
    made.back().title = spec.title;
    made.back().seen_in = spec.seen_in;
  }
  return made;
}

}  // namespace scalesweep::analysis
