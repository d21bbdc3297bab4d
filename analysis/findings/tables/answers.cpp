// Tables of verdicts: what each question is answered with, where the answer becomes another, how it
// stands over draws, what the phases of a run come to.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/bottlenecks/table_of.hpp"
#include "analysis/bottlenecks/tables.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/result_columns.hpp"
#include "analysis/findings/tables/table_spec.hpp"
#include "analysis/verdict/attribution.hpp"
#include "analysis/words/value_text.hpp"
#include "analysis/words/words.hpp"
#include "space/axes/workload_axes.hpp"

namespace scalesweep::analysis {
namespace {

constexpr std::int32_t none = -1;

// `role`: of the column of the study that says what is counted, in place of {}; "": nothing is.
struct FigureColumn {
  FigureKind kind;
  const char* name;
  const char* long_name;
  const char* units;
  std::string_view role = "";
};
constexpr std::array<FigureColumn, 8> figure_rows = {{
    {FigureKind::time, "time", "time that the study is about", "s"},
    {FigureKind::throughput, "throughput", "{} per second of all devices", "s-1", role::throughput},
    {FigureKind::device_throughput, "device_throughput", "{} per second of one device", "s-1",
     role::throughput},
    {FigureKind::device_flop_rate, "device_flop_rate", "FLOP of the model per second of one device",
     "s-1"},
    {FigureKind::utilization, "utilization", "FLOP of the model over the peak", "1"},
    {FigureKind::cost, "unit_cost", "USD per million {}", "USD", role::unit_cost},
    {FigureKind::whole_run, "whole_run", "time of a whole run", "s"},
    {FigureKind::run_cost, "run_cost", "USD of a whole run", "USD"},
}};

// Of a study that has such a column; of another one tokens.
std::string counted_by(const StudyLayout& layout, std::string_view role) {
  const store::Column* const column = column_with(layout.schema, role);
  return counted_in(column == nullptr ? "" : column->long_name);
}

std::string long_name_of(const FigureColumn& figure, const StudyLayout& layout) {
  return figure.role.empty()
             ? figure.long_name
             : fmt::format(fmt::runtime(figure.long_name), counted_by(layout, figure.role));
}

// A place in a list of names, none where it is not there.
std::int32_t place_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? none : static_cast<std::int32_t>(found - names.begin());
}

template <typename Names, typename Make>
store::Schema schema_for(const Names& names, const Make& make) {
  store::Schema columns;
  for (const std::string& name : names) {
    columns.push_back(make(name));
  }
  return columns;
}

store::Schema group_columns(const StudyLayout& layout, const std::vector<std::string>& names) {
  return schema_for(names, [&](const std::string& name) { return group_column(layout, name); });
}

store::Schema axis_columns(const StudyLayout& layout, const std::vector<std::string>& names) {
  return schema_for(
      names, [&](const std::string& name) { return axis_column(layout, *layout.axis(name)); });
}

// One column for each value of the list that `list_of` a row is; none where a row has no list.
template <typename Row, typename ListOf>
void add_list(TableOf<Row>& table, const store::Schema& columns, ListOf list_of) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    table.column(columns[i], [list_of, i](const Row& row) {
      const auto& list = list_of(row);
      return list.empty() ? static_cast<std::decay_t<decltype(list[i])>>(none) : list[i];
    });
  }
}

// What an answer has of one kind, and which answer.
template <typename Item>
struct RowOf {
  std::int64_t question = 0;
  std::int64_t rank = 0;  // among them, from 1
  const Verdict* verdict = nullptr;
  const Item* item = nullptr;
};

template <typename Item>
std::vector<RowOf<Item>> rows_of(const Verdicts& verdicts, std::vector<Item> Verdict::*items) {
  std::vector<RowOf<Item>> rows;
  for (std::size_t number = 0; number < verdicts.answers.size(); ++number) {
    std::int64_t rank = 0;
    for (const Item& item : verdicts.answers[number].*items) {
      rows.push_back({static_cast<std::int64_t>(number), ++rank, &verdicts.answers[number], &item});
    }
  }
  return rows;
}

// What a row has in a member of it.
template <typename Item, typename Value>
auto item(Value Item::*member) {
  return [member](const RowOf<Item>& row) { return row.item->*member; };
}

template <typename Item>
void add_question(TableOf<RowOf<Item>>& table, const StudyLayout& layout,
                  const Verdicts& verdicts) {
  using Row = RowOf<Item>;
  table.column(count_column("question", "question", "number of the question, from 0"),
               &Row::question);
  add_list(
      table, group_columns(layout, verdicts.per),
      [](const Row& row) -> const auto& { return row.verdict->key; });
}

template <typename Row, typename PointOf>
void add_contender(TableOf<Row>& table, const StudyLayout& layout, const Verdicts& verdicts,
                   const std::string& which, PointOf point_of) {
  add_list(
      table, axis_columns(layout, verdicts.chosen), [=](const Row& row) -> const auto& {
        return point_of(row).choice;
      });
  table
      .column(count_column("point_id", "point", which),
              [=](const Row& row) { return point_of(row).id; })
      .column(
          number_column("value", verdicts.objective_words,
                        fmt::format("its {}", verdicts.objective_words), verdicts.objective_units),
          [=](const Row& row) { return point_of(row).value; })
      .column(number_column("error_bar", "relative error bar",
                            "of the value; 0: taken as certain, NaN: not known"),
              [=](const Row& row) { return point_of(row).error_bar; });
  const store::Schema strategy = schema_for(verdicts.strategy, [&](const std::string& name) {
    store::Column column = layout.schema[*layout.column(name)];
    column.type = store::ColumnType::i32;
    return column;
  });
  add_list(
      table, strategy, [=](const Row& row) -> const auto& { return point_of(row).strategy; });
}

using Answer = RowOf<Verdict>;

Limit limit_of(const Verdict& verdict, const std::string& resource) {
  const auto found = std::find_if(verdict.limits.begin(), verdict.limits.end(),
                                  [&](const Limit& limit) { return limit.resource == resource; });
  return found == verdict.limits.end() ? Limit{resource,      nothing_known, nothing_known,
                                               nothing_known, nothing_known, nothing_known}
                                       : *found;
}

void add_limits(TableOf<Answer>& table, const Verdicts& verdicts, const Resources& resources) {
  const std::string& time = verdicts.time_words;
  table
      .column(name_column("dominant_resource", "dominant resource",
                          fmt::format("with the largest share of the {}", time), resources.names),
              [=](const Answer& row) { return place_of(resources.names, row.verdict->resource); })
      .column(name_column("dominant_group", "bottleneck",
                          fmt::format("group with the largest share of the {}", time),
                          resources.groups),
              [=](const Answer& row) { return place_of(resources.groups, row.verdict->group); })
      .column(share_column("dominant_group_share", "share of the bottleneck",
                           fmt::format("its share of the {}", time)),
              [](const Answer& row) {
                return row.verdict->is_answered() ? row.verdict->group_share : nothing_known;
              });
  table.column(count_column("tied_layouts", "layouts that tie",
                            "within 1 % of the best at its choice, as share_least and share_most "
                            "are over; 0: not known"),
               item(&Verdict::tied));
  for (const std::string& name : resources.names) {
    table
        .column(share_column("share_" + name, "share of " + words(name),
                             fmt::format("elasticity of the {} to {}", time, words(name))),
                [=](const Answer& row) { return limit_of(*row.verdict, name).share; })
        .column(share_column("share_least_" + name, "least share of " + words(name),
                             "of the layouts that tie"),
                [=](const Answer& row) { return limit_of(*row.verdict, name).least; })
        .column(share_column("share_most_" + name, "largest share of " + words(name),
                             "of the layouts that tie"),
                [=](const Answer& row) { return limit_of(*row.verdict, name).most; })
        .column(share_column(
                    "gain_10_" + name, "gain by " + words(name),
                    fmt::format("part of the {} that 10 % more of it saves, strategy held", time)),
                [=](const Answer& row) { return limit_of(*row.verdict, name).gain_10; })
        .column(share_column("gain_unlimited_" + name, "gain without limit by " + words(name),
                             fmt::format("part of the {} that is saved where it takes none, "
                                         "strategy held; NaN: not computed, and gain_10 is of "
                                         "first order",
                                         time)),
                [=](const Answer& row) { return limit_of(*row.verdict, name).without_limit; });
  }
}

void add_figures(TableOf<Answer>& table, const StudyLayout& layout) {
  for (const FigureColumn& figure : figure_rows) {
    const std::string long_name = long_name_of(figure, layout);
    table.column(number_column(figure.name, long_name, fmt::format("{}; NaN: not known", long_name),
                               figure.units),
                 [kind = figure.kind](const Answer& row) {
                   const std::vector<Figure>& all = row.verdict->figures;
                   const auto found = std::find_if(
                       all.begin(), all.end(), [&](const Figure& one) { return one.kind == kind; });
                   return found == all.end() ? nothing_known : found->value;
                 });
  }
}

void add_obstacle(TableOf<Answer>& table, const StudyLayout& layout) {
  const std::vector<std::string>& statuses = layout.statuses;
  table
      .column(
          name_column("obstacle", "obstacle", "what most points ended in; -1: answered", statuses),
          [=](const Answer& row) { return place_of(statuses, row.verdict->obstacle.status); })
      .column(count_column("obstacle_points", "points of that status"),
              [](const Answer& row) { return row.verdict->obstacle.points; })
      .column(count_column("points", "points of a question without an answer"),
              [](const Answer& row) { return row.verdict->obstacle.all; })
      .column(number_column("distance", "distance",
                            "how far off the nearest is, by the column that tells of the "
                            "status; NaN: not known"),
              [](const Answer& row) { return row.verdict->obstacle.distance; });
}

// Each once, as names of a column are.
std::vector<std::string> units_of(const Verdicts& verdicts) {
  std::vector<std::string> units;
  for (const std::string& one : verdicts.assumption_units) {
    add_once(units, one);
  }
  return units;
}

// A value of an assumption in its units.
template <typename Item>
auto in_units(const Verdicts& verdicts, double Item::*value) {
  return [scales = verdicts.assumption_scales, value](const RowOf<Item>& row) {
    return row.item->*value * scales[static_cast<std::size_t>(row.item->assumption)];
  };
}

template <typename Item>
void add_assumption(TableOf<RowOf<Item>>& table, const Verdicts& verdicts) {
  using Row = RowOf<Item>;
  table
      .column(name_column("assumption", "assumption", "what is priced again", verdicts.assumptions),
              item(&Item::assumption))
      .column(name_column("assumption_units", "units", "of its values", units_of(verdicts)),
              [units = units_of(verdicts), of = verdicts.assumption_units](const Row& row) {
                return place_of(units, of[static_cast<std::size_t>(row.item->assumption)]);
              })
      .column(number_column("value", "value", "as the study assumes it"),
              in_units(verdicts, &Item::value));
}

// One row per question. Of one without an answer numbers are NaN, ids and names -1, which stands
// for none.
ResultTable verdict_table(const StudyLayout& layout, const Verdicts& verdicts) {
  std::vector<Answer> rows;
  for (const Verdict& verdict : verdicts.answers) {
    rows.push_back({static_cast<std::int64_t>(rows.size()), 1, &verdict, &verdict});
  }
  TableOf<Answer> table(fmt::format(
      "the answer to each question: the simplest layout within 1 % of the best {}, or what is "
      "better known and cannot be told apart from it",
      verdicts.objective_words));
  add_question(table, layout, verdicts);
  add_contender(table, layout, verdicts, "that is taken; -1: there is no answer",
                [](const Answer& row) -> const Contender& { return row.verdict->taken; });
  table
      .column(count_column("best_point_id", "best point",
                           "with the best value; -1: there is no answer"),
              [](const Answer& row) { return row.verdict->best.id; })
      .column(number_column("best_value", "best value", "that of best_point_id",
                            verdicts.objective_units),
              [](const Answer& row) { return row.verdict->best.value; })
      .column(count_column("layouts", "layouts as good",
                           "points within 1 % of the best at the same choice, itself included, "
                           "that are as well known as what is proposed"),
              item(&Verdict::layouts))
      .column(count_column("choices", "choices", "with a feasible point"), item(&Verdict::choices))
      .column(count_column("better_known", "better known",
                           "1: taken for that in place of the best, from which it cannot be told "
                           "apart; else 0"),
              [](const Answer& row) -> std::int64_t { return row.verdict->better_known ? 1 : 0; });
  add_limits(table, verdicts, make_resources(layout.resources));
  add_figures(table, layout);
  add_obstacle(table, layout);
  return table.of(rows);
}

ResultTable runner_up_table(const StudyLayout& layout, const Verdicts& verdicts) {
  using Row = RowOf<RunnerUp>;
  TableOf<Row> table("the best point of the next choices of each question, nearest first");
  add_question(table, layout, verdicts);
  table.column(count_column("rank", "rank", "1 for the nearest"), &Row::rank);
  add_contender(table, layout, verdicts, "the best of the choice",
                [](const Row& row) -> const Contender& { return row.item->point; });
  table
      .column(number_column("gap", "gap", "part of the best value by which it is worse"),
              item(&RunnerUp::gap))
      .column(name_column("standing", "standing",
                          "tie: within 1 %; within_error_bars: those of both overlap; "
                          "beyond_doubt: they do not; unknown: one has none; not_measured: they do "
                          "not, and of one something was measured nowhere (least_known)",
                          standing_names),
              item(&RunnerUp::standing));
  return table.of(rows_of(verdicts, &Verdict::others));
}

// No schema where it would have no row, as of the two below.
ResultTable axis_flip_table(const StudyLayout& layout, const Verdicts& verdicts) {
  using Row = RowOf<AxisFlip>;
  const std::vector<Row> rows = rows_of(verdicts, &Verdict::axis_flips);
  if (rows.empty()) {
    return {};
  }
  const std::vector<std::string>& along = verdicts.compared;
  std::vector<std::string> labels;
  for (const std::string& name : along) {
    for (const std::string& label : layout.axes[*layout.axis(name)].labels) {
      add_once(labels, label);
    }
  }
  const auto axis = [&](const std::string& name) -> const store::AxisValues& {
    return layout.axes[*layout.axis(name)];
  };
  const auto label_at = [&](const std::string& name, std::int32_t index) {
    return place_of(labels, axis(name).labels[static_cast<std::size_t>(index)]);
  };
  const auto value_at = [&](const std::string& name, std::int32_t index) {
    return axis(name).values[static_cast<std::size_t>(index)];
  };
  TableOf<Row> table(
      "neighbouring values of an ordered axis between which the best value of another axis "
      "changes, everything else chosen anew on both sides");
  add_question(table, layout, verdicts);
  table
      .column(name_column("along", "along", "the ordered axis", along),
              [&](const Row& row) { return place_of(along, row.item->along); })
      .column(number_column("from", "from", "its value on the one side, SI"),
              [&](const Row& row) { return value_at(row.item->along, row.item->from); })
      .column(number_column("to", "to", "its next value, SI"),
              [&](const Row& row) { return value_at(row.item->along, row.item->to); })
      .column(name_column("axis", "axis", "whose best value changes", along),
              [&](const Row& row) { return place_of(along, row.item->changed); })
      .column(name_column("before", "before", "the best at `from`", labels),
              [&](const Row& row) { return label_at(row.item->changed, row.item->before); })
      .column(name_column("after", "after", "the best at `to`", labels),
              [&](const Row& row) { return label_at(row.item->changed, row.item->after); })
      .column(number_column("gap_before", "gap before", "by which `after` is worse at from"),
              item(&AxisFlip::gap_before))
      .column(number_column("gap_after", "gap after", "by which `before` is worse at to"),
              item(&AxisFlip::gap_after))
      .column(number_column("crossing", "crossing",
                            "where they are equal, a line between the two; NaN: not known"),
              item(&AxisFlip::crossing));
  return table.of(rows);
}

ResultTable break_even_table(const StudyLayout& layout, const Verdicts& verdicts) {
  using Row = RowOf<BreakEven>;
  const std::vector<Row> rows = rows_of(verdicts, &Verdict::break_evens);
  if (rows.empty()) {
    return {};
  }
  TableOf<Row> table(
      "the value of each assumption beyond which another choice costs less, all else as it is; "
      "nearest first");
  add_question(table, layout, verdicts);
  add_assumption(table, verdicts);
  table.column(number_column("break_even", "break-even", "where both cost the same"),
               in_units(verdicts, &BreakEven::at));
  add_list(
      table, axis_columns(layout, verdicts.compared),
      [](const Row& row) -> const auto& { return row.item->other.choice; });
  table
      .column(count_column("point_id", "point", "of the other choice"),
              [](const Row& row) { return row.item->other.id; })
      .column(number_column(
                  "cost", "cost",
                  fmt::format("of a million {} there", counted_by(layout, role::unit_cost)), "USD"),
              [](const Row& row) { return row.item->other.value; });
  return table.of(rows);
}

ResultTable tornado_table(const StudyLayout& layout, const Verdicts& verdicts) {
  using Row = RowOf<CostSwing>;
  const std::vector<Row> rows = rows_of(verdicts, &Verdict::tornado);
  if (rows.empty()) {
    return {};
  }
  TableOf<Row> table(
      fmt::format("what a million {} of the answer cost with each assumption halved and "
                  "doubled, as far as it may be; the largest difference first",
                  counted_by(layout, role::unit_cost)));
  add_question(table, layout, verdicts);
  add_assumption(table, verdicts);
  table
      .column(number_column("low", "low", "half of it, or the least it may be"),
              in_units(verdicts, &CostSwing::low))
      .column(number_column("high", "high", "twice it, or the most it may be"),
              in_units(verdicts, &CostSwing::high))
      .column(number_column("cost", "cost", "as it is", "USD"), item(&CostSwing::cost))
      .column(number_column("cost_low", "cost at low", "at `low`", "USD"),
              item(&CostSwing::cost_low))
      .column(number_column("cost_high", "cost at high", "at `high`", "USD"),
              item(&CostSwing::cost_high));
  return table.of(rows);
}

ResultTable draw_table(const StudyLayout& layout, const Verdicts& verdicts) {
  struct Row {
    const DrawnAnswer* answer;
    const DrawnChoice* choice;
  };
  std::vector<Row> rows;
  for (const DrawnAnswer& answer : verdicts.drawn) {
    for (const DrawnChoice& choice : answer.choices) {
      rows.push_back({&answer, &choice});
    }
  }
  if (verdicts.drawn.empty()) {
    return {};
  }
  TableOf<Row> table(
      "how often each choice is the best over the draws of what nobody knows; most often first");
  add_list(
      table, group_columns(layout, verdicts.drawn_per),
      [](const Row& row) -> const auto& { return row.answer->key; });
  add_list(
      table, axis_columns(layout, verdicts.chosen),
      [](const Row& row) -> const auto& { return row.choice->choice; });
  const std::string& units = verdicts.objective_units;
  table
      .column(count_column("draws", "draws", "that have an answer"),
              [](const Row& row) { return row.answer->draws; })
      .column(share_column("best_share", "share of the best", "of them, in which it is the best"),
              [](const Row& row) {
                return static_cast<double>(row.choice->best) /
                       static_cast<double>(row.answer->draws);
              })
      .column(number_column("good", "one in ten", "nine of ten draws are not better", units),
              [](const Row& row) { return row.choice->good; })
      .column(number_column("median", "median", "half of the draws are not better", units),
              [](const Row& row) { return row.choice->median; })
      .column(number_column("bad", "nine in ten", "one of ten draws is not better", units),
              [](const Row& row) { return row.choice->bad; });
  return table.of(rows);
}

// A run, and a phase of it where rows are phases.
struct RunRow {
  const RecipeAnswer* answer = nullptr;
  std::size_t place = 0;
  const RecipePhase* phase = nullptr;

  const RecipeRun& run() const { return answer->runs[place]; }
};

std::vector<RunRow> run_rows(const Recipes& recipes) {
  std::vector<RunRow> rows;
  for (const RecipeAnswer& answer : recipes.answers) {
    for (std::size_t place = 0; place < answer.runs.size(); ++place) {
      rows.push_back({&answer, place, nullptr});
    }
  }
  return rows;
}

// The columns that tell runs apart.
void add_run(TableOf<RunRow>& table, const StudyLayout& layout, const Recipes& recipes) {
  add_list(
      table, group_columns(layout, recipes.per),
      [](const RunRow& row) -> const auto& { return row.answer->key; });
  add_list(
      table, axis_columns(layout, recipes.chosen),
      [](const RunRow& row) -> const auto& { return row.run().choice; });
  table.column(count_column("rank", "rank", "of the run by the objective, from 1"),
               [](const RunRow& row) { return row.place + 1; });
}

store::Schema sum_columns(const Recipes& recipes, const std::string& description) {
  store::Schema columns;
  for (const RecipeColumn& column : recipes.columns) {
    columns.push_back(number_column(column.name, column.words, description, column.units));
  }
  return columns;
}

// One row per question without its phase and combination of what is chosen that has all phases.
ResultTable recipe_table(const StudyLayout& layout, const Verdicts& verdicts) {
  const Recipes& recipes = verdicts.recipes;
  if (recipes.answers.empty()) {
    return {};
  }
  TableOf<RunRow> table(
      "what all phases of a run come to, each at its best point; the best run first");
  add_run(table, layout, recipes);
  add_list(
      table, sum_columns(recipes, "the sum over all phases"),
      [](const RunRow& row) -> const auto& { return row.run().sums; });
  return table.of(run_rows(recipes));
}

ResultTable recipe_phase_table(const StudyLayout& layout, const Verdicts& verdicts) {
  const Recipes& recipes = verdicts.recipes;
  if (recipes.answers.empty()) {
    return {};
  }
  std::vector<RunRow> rows;
  for (const RunRow& run : run_rows(recipes)) {
    for (const RecipePhase& phase : run.run().phases) {
      rows.push_back({run.answer, run.place, &phase});
    }
  }
  TableOf<RunRow> table("the best point of each phase of the runs, in the order of the phases");
  add_run(table, layout, recipes);
  table.column(axis_column(layout, *layout.axis(std::string(space::phase_axis))),
               [](const RunRow& row) { return row.phase->phase; });
  add_list(
      table, axis_columns(layout, recipes.with),
      [](const RunRow& row) -> const auto& { return row.phase->with; });
  table.column(count_column("point_id", "point", "the best of the phase"),
               [](const RunRow& row) { return row.phase->id; });
  add_list(
      table, schema_of(layout.schema, recipes.strategy),
      [](const RunRow& row) -> const auto& { return row.phase->strategy; });
  add_list(
      table, sum_columns(recipes, "of the phase"),
      [](const RunRow& row) -> const auto& { return row.phase->parts; });
  return table.of(rows);
}

template <ResultTable (*make)(const StudyLayout&, const Verdicts&)>
ResultTable of_verdicts(const TableInputs& in) {
  return make(in.reading.layout, in.verdicts);
}

}  // namespace

extern constinit const TableSpec verdicts_spec = {"verdicts", SeenIn::report,
                                                  of_verdicts<verdict_table>};
extern constinit const TableSpec runners_up_spec = {"runners_up", SeenIn::report,
                                                    of_verdicts<runner_up_table>};
extern constinit const TableSpec axis_flips_spec = {"axis_flips", SeenIn::report,
                                                    of_verdicts<axis_flip_table>};
extern constinit const TableSpec break_even_spec = {"break_even", SeenIn::report,
                                                    of_verdicts<break_even_table>};
extern constinit const TableSpec tornado_spec = {"tornado", SeenIn::report,
                                                 of_verdicts<tornado_table>};
extern constinit const TableSpec draws_spec = {"draws", SeenIn::report, of_verdicts<draw_table>};
extern constinit const TableSpec recipes_spec = {"recipes", SeenIn::report,
                                                 of_verdicts<recipe_table>};
extern constinit const TableSpec recipe_phases_spec = {"recipe_phases", SeenIn::report,
                                                       of_verdicts<recipe_phase_table>};

}  // namespace scalesweep::analysis
