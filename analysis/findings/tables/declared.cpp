#include "analysis/findings/tables/declared.hpp"

#include <utility>

#include "analysis/bottlenecks/operators.hpp"
#include "analysis/bottlenecks/tables.hpp"
#include "analysis/effects/phases.hpp"
#include "analysis/effects/transitions.hpp"
#include "analysis/findings/frontier_tables.hpp"

namespace scalesweep::analysis {

// Those with a file in this folder.
extern const TableSpec axis_flips_spec;
extern const TableSpec break_even_spec;
extern const TableSpec draws_spec;
extern const TableSpec improvements_spec;
extern const TableSpec panel_improvements_spec;
extern const TableSpec recipe_phases_spec;
extern const TableSpec recipes_spec;
extern const TableSpec runners_up_spec;
extern const TableSpec sensitivity_spec;
extern const TableSpec tornado_spec;
extern const TableSpec verdicts_spec;

namespace {

using In = TableInputs;

ResultTable frontier_groups(const In& in) {
  return frontier_group_table(in.reading.layout, in.scan.per, in.scan.frontiers, in.pictured,
                              in.frontier);
}

ResultTable transitions(const In& in) {
  return transition_table(in.reading.shown, in.resources, in.best, in.reading.paths);
}

ResultTable strategy_changes(const In& in) {
  return strategy_change_table(in.reading.shown, in.best, in.asked.steps, in.strategies.found);
}

ResultTable coverage(const In& in) {
  return coverage_table(in.reading.shown, in.scan, in.reading.cells, in.coverage_is_whole);
}

ResultTable phases(const In& in) {
  const Combinations& all = in.combinations;
  return phase_table(in.reading.layout, all.phase_axes, in.resources, all.best, in.scan.grid,
                     all.places);
}

const std::vector<TableSpec> specs = {
    verdicts_spec,
    runners_up_spec,
    {tables::frontier, SeenIn::own_views, [](const In& in) { return in.frontier; }},
    {tables::frontier_groups, SeenIn::own_views, frontier_groups},
    {tables::best, SeenIn::own_views, [](const In& in) { return in.best; }},
    {tables::transitions, SeenIn::own_views, transitions},
    {tables::strategy_changes, SeenIn::own_views, strategy_changes},
    {tables::coverage, SeenIn::own_views, coverage},
    {"cloud", SeenIn::pictures,
     [](const In& in) { return cloud_table(in.reader, in.reading.layout, in.scan.cloud); }},
    axis_flips_spec,
    break_even_spec,
    tornado_spec,
    draws_spec,
    recipes_spec,
    recipe_phases_spec,
    {"moves", SeenIn::report,
     [](const In& in) { return moves_table(in.reading.layout, in.moves); }},
    {"phases", SeenIn::report, phases},
    sensitivity_spec,
    improvements_spec,
    panel_improvements_spec,
    {tables::effects, SeenIn::report, [](const In& in) { return in.effects.effects; }},
    {"interactions", SeenIn::report, [](const In& in) { return in.effects.interactions; }},
    {"operators", SeenIn::report,
     [](const In& in) { return operator_table(in.reading.shown, in.best); }},
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
