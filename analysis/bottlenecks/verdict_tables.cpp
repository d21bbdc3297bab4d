#include "analysis/bottlenecks/verdict_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/bottlenecks/tables.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/result_columns.hpp"
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
std::string_view counted_by(const StudyLayout& layout, std::string_view role) {
  const store::Column* const column = column_with(layout.schema, role);
  return counted_in(column == nullptr ? "" : column->long_name);
}

std::string long_name_of(const FigureColumn& figure, const StudyLayout& layout) {
  return figure.role.empty()
             ? figure.long_name
             : fmt::format(fmt::runtime(figure.long_name), counted_by(layout, figure.role));
}

// A table that is filled row by row: whoever adds a cell says of which column.
class Rows {
 public:
  Rows(const std::string& name, const std::string& description) {
    result_.name = name;
    result_.description = description;
  }

  void add_column(store::Column column) { result_.schema.push_back(std::move(column)); }
  void begin() { result_.table = store::Table(result_.schema); }
  void next_row() { column_ = 0; }

  void add(double value) {
    const std::size_t column = column_++;
    switch (result_.schema[column].type) {
      case store::ColumnType::f64:
        return result_.table.values<double>(column).push_back(value);
      case store::ColumnType::f32:
        return result_.table.values<float>(column).push_back(static_cast<float>(value));
      case store::ColumnType::i64:
        return result_.table.values<std::int64_t>(column).push_back(
            static_cast<std::int64_t>(value));
      case store::ColumnType::i32:
        return result_.table.values<std::int32_t>(column).push_back(
            static_cast<std::int32_t>(value));
      case store::ColumnType::u8:
        return result_.table.values<std::uint8_t>(column).push_back(
            static_cast<std::uint8_t>(value));
    }
  }
  // An id or a count, which a double may not hold.
  void add_count(std::int64_t value) {
    result_.table.values<std::int64_t>(column_++).push_back(value);
  }

  ResultTable take() { return std::move(result_); }

 private:
  ResultTable result_;
  std::size_t column_ = 0;
};

// A place in a list of names, none where it is not there.
std::int32_t place_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? none : static_cast<std::int32_t>(found - names.begin());
}

void add_question_columns(Rows& rows, const StudyLayout& layout, const Verdicts& verdicts) {
  rows.add_column(count_column("question", "question", "number of the question, from 0"));
  for (const std::string& name : verdicts.per) {
    rows.add_column(group_column(layout, name));
  }
}

void add_question(Rows& rows, std::size_t number, const Verdict& verdict) {
  rows.add_count(static_cast<std::int64_t>(number));
  for (const std::int64_t value : verdict.key) {
    rows.add(static_cast<double>(value));
  }
}

void add_contender_columns(Rows& rows, const StudyLayout& layout, const Verdicts& verdicts,
                           const std::string& which) {
  for (const std::string& name : verdicts.chosen) {
    rows.add_column(axis_column(layout, *layout.axis(name)));
  }
  rows.add_column(count_column("point_id", "point", which));
  rows.add_column(number_column("value", verdicts.objective_words,
                                fmt::format("its {}", verdicts.objective_words),
                                verdicts.objective_units));
  rows.add_column(number_column("error_bar", "relative error bar",
                                "of the value; 0: taken as certain, NaN: not known"));
  for (const std::string& name : verdicts.strategy) {
    store::Column column = layout.schema[*layout.column(name)];
    column.type = store::ColumnType::i32;
    rows.add_column(std::move(column));
  }
}

void add_contender(Rows& rows, const Verdicts& verdicts, const Contender& point) {
  for (std::size_t i = 0; i < verdicts.chosen.size(); ++i) {
    rows.add(point.choice.empty() ? none : point.choice[i]);
  }
  rows.add_count(point.id);
  rows.add(point.value);
  rows.add(point.error_bar);
  for (std::size_t i = 0; i < verdicts.strategy.size(); ++i) {
    rows.add(point.strategy.empty() ? none : point.strategy[i]);
  }
}

void add_limits(Rows& rows, const Verdict& verdict, const Resources& resources) {
  rows.add(place_of(resources.names, verdict.resource));
  rows.add(place_of(resources.groups, verdict.group));
  rows.add(verdict.is_answered() ? verdict.group_share : nothing_known);
  for (const std::string& name : resources.names) {
    const auto found = std::find_if(verdict.limits.begin(), verdict.limits.end(),
                                    [&](const Limit& limit) { return limit.resource == name; });
    rows.add(found == verdict.limits.end() ? nothing_known : found->share);
    rows.add(found == verdict.limits.end() ? nothing_known : found->gain_10);
  }
}

void add_limit_columns(Rows& rows, const Verdicts& verdicts, const Resources& resources) {
  const std::string& time = verdicts.time_words;
  rows.add_column(name_column("dominant_resource", "dominant resource",
                              fmt::format("with the largest share of the {}", time),
                              resources.names));
  rows.add_column(name_column("dominant_group", "bottleneck",
                              fmt::format("group with the largest share of the {}", time),
                              resources.groups));
  rows.add_column(number_column("dominant_group_share", "share of the bottleneck",
                                fmt::format("its share of the {}", time)));
  for (const std::string& name : resources.names) {
    rows.add_column(number_column("share_" + name, "share of " + words(name),
                                  fmt::format("elasticity of the {} to {}", time, words(name))));
    rows.add_column(number_column(
        "gain_10_" + name, "gain by " + words(name),
        fmt::format("part of the {} that 10 % more of it saves, strategy held", time)));
  }
}

void add_obstacle(Rows& rows, const StudyLayout& layout, const Obstacle& obstacle) {
  rows.add(place_of(layout.statuses, obstacle.status));
  rows.add_count(obstacle.points);
  rows.add_count(obstacle.all);
  rows.add(obstacle.distance);
}

// A table of what each answer has of one kind; `add` fills a row behind the question.
template <typename Items, typename AddColumns, typename Add>
ResultTable table_of(Rows& rows, const StudyLayout& layout, const Verdicts& verdicts, Items items,
                     AddColumns add_columns, Add add) {
  if (std::all_of(verdicts.answers.begin(), verdicts.answers.end(),
                  [&](const Verdict& verdict) { return (verdict.*items).empty(); })) {
    return {};
  }
  add_question_columns(rows, layout, verdicts);
  add_columns();
  rows.begin();
  for (std::size_t number = 0; number < verdicts.answers.size(); ++number) {
    for (const auto& item : verdicts.answers[number].*items) {
      rows.next_row();
      add_question(rows, number, verdicts.answers[number]);
      add(item);
    }
  }
  return rows.take();
}

// Each once, as names of a column are.
std::vector<std::string> units_of(const Verdicts& verdicts) {
  std::vector<std::string> units;
  for (const std::string& one : verdicts.assumption_units) {
    add_once(units, one);
  }
  return units;
}

void add_assumption_column(Rows& rows, const Verdicts& verdicts) {
  rows.add_column(
      name_column("assumption", "assumption", "what is priced again", verdicts.assumptions));
  rows.add_column(name_column("assumption_units", "units", "of its values", units_of(verdicts)));
  rows.add_column(number_column("value", "value", "as the study assumes it"));
}

void add_assumption(Rows& rows, const Verdicts& verdicts, std::int32_t assumption, double value) {
  rows.add(assumption);
  rows.add(place_of(units_of(verdicts),
                    verdicts.assumption_units[static_cast<std::size_t>(assumption)]));
  rows.add(value);
}

}  // namespace

ResultTable verdict_table(const StudyLayout& layout, const Verdicts& verdicts) {
  const Resources resources = make_resources(layout.resources);
  Rows rows("verdicts",
            fmt::format("the answer to each question: the simplest layout within 1 % of the best "
                        "{}",
                        verdicts.objective_words));
  add_question_columns(rows, layout, verdicts);
  add_contender_columns(rows, layout, verdicts, "that is taken; -1: there is no answer");
  rows.add_column(count_column("best_point_id", "best point",
                               "with the best value at the same choice; -1: there is no answer"));
  rows.add_column(
      number_column("best_value", "best value", "that of best_point_id", verdicts.objective_units));
  rows.add_column(
      count_column("layouts", "layouts as good",
                   "points within 1 % of the best at the same choice, itself included"));
  rows.add_column(count_column("choices", "choices", "with a feasible point"));
  add_limit_columns(rows, verdicts, resources);
  for (const FigureColumn& figure : figure_rows) {
    const std::string long_name = long_name_of(figure, layout);
    rows.add_column(number_column(figure.name, long_name,
                                  fmt::format("{}; NaN: not known", long_name), figure.units));
  }
  rows.add_column(name_column("obstacle", "obstacle", "what most points ended in; -1: answered",
                              layout.statuses));
  rows.add_column(count_column("obstacle_points", "points of that status"));
  rows.add_column(count_column("points", "points of a question without an answer"));
  rows.add_column(number_column("distance", "distance",
                                "how far off the nearest is, by the column that tells of the "
                                "status; NaN: not known"));
  rows.begin();
  for (std::size_t number = 0; number < verdicts.answers.size(); ++number) {
    const Verdict& verdict = verdicts.answers[number];
    rows.next_row();
    add_question(rows, number, verdict);
    add_contender(rows, verdicts, verdict.taken);
    rows.add_count(verdict.best.id);
    rows.add(verdict.best.value);
    rows.add_count(verdict.layouts);
    rows.add_count(verdict.choices);
    add_limits(rows, verdict, resources);
    for (const FigureColumn& figure : figure_rows) {
      const auto found = std::find_if(verdict.figures.begin(), verdict.figures.end(),
                                      [&](const Figure& one) { return one.kind == figure.kind; });
      rows.add(found == verdict.figures.end() ? nothing_known : found->value);
    }
    add_obstacle(rows, layout, verdict.obstacle);
  }
  return rows.take();
}

ResultTable runner_up_table(const StudyLayout& layout, const Verdicts& verdicts) {
  Rows rows("runners_up", "the best point of the next choices of each question, nearest first");
  add_question_columns(rows, layout, verdicts);
  rows.add_column(count_column("rank", "rank", "1 for the nearest"));
  add_contender_columns(rows, layout, verdicts, "the best of the choice");
  rows.add_column(number_column("gap", "gap", "part of the best value by which it is worse"));
  rows.add_column(name_column("standing", "standing",
                              "tie: within 1 %; within_error_bars: those of both overlap; "
                              "beyond_doubt: they do not; unknown: one has none",
                              standing_names));
  rows.begin();
  for (std::size_t number = 0; number < verdicts.answers.size(); ++number) {
    std::int64_t rank = 0;
    for (const RunnerUp& other : verdicts.answers[number].others) {
      rows.next_row();
      add_question(rows, number, verdicts.answers[number]);
      rows.add_count(++rank);
      add_contender(rows, verdicts, other.point);
      rows.add(other.gap);
      rows.add(static_cast<double>(other.standing));
    }
  }
  return rows.take();
}

ResultTable axis_flip_table(const StudyLayout& layout, const Verdicts& verdicts) {
  std::vector<std::string> along;
  std::vector<std::string> labels;
  const auto add_names = [&](const std::string& name, const std::vector<std::string>& of) {
    along.push_back(name);
    for (const std::string& label : of) {
      add_once(labels, label);
    }
  };
  for (const std::string& name : verdicts.compared) {
    add_names(name, layout.axes[*layout.axis(name)].labels);
  }
  const auto add_label = [&](Rows& rows, const std::string& axis, std::int32_t index) {
    rows.add(
        place_of(labels, layout.axes[*layout.axis(axis)].labels[static_cast<std::size_t>(index)]));
  };
  const auto value_at = [&](const std::string& axis, std::int32_t index) {
    return layout.axes[*layout.axis(axis)].values[static_cast<std::size_t>(index)];
  };
  Rows rows("axis_flips",
            "neighbouring values of an ordered axis between which the best value of another axis "
            "changes, everything else chosen anew on both sides");
  const auto add_columns = [&] {
    rows.add_column(name_column("along", "along", "the ordered axis", along));
    rows.add_column(number_column("from", "from", "its value on the one side, SI"));
    rows.add_column(number_column("to", "to", "its next value, SI"));
    rows.add_column(name_column("axis", "axis", "whose best value changes", along));
    rows.add_column(name_column("before", "before", "the best at `from`", labels));
    rows.add_column(name_column("after", "after", "the best at `to`", labels));
    rows.add_column(number_column("gap_before", "gap before", "by which `after` is worse at from"));
    rows.add_column(number_column("gap_after", "gap after", "by which `before` is worse at to"));
    rows.add_column(number_column("crossing", "crossing",
                                  "where they are equal, a line between the two; NaN: not known"));
  };
  return table_of(rows, layout, verdicts, &Verdict::axis_flips, add_columns,
                  [&](const AxisFlip& flip) {
                    rows.add(place_of(along, flip.along));
                    rows.add(value_at(flip.along, flip.from));
                    rows.add(value_at(flip.along, flip.to));
                    rows.add(place_of(along, flip.changed));
                    add_label(rows, flip.changed, flip.before);
                    add_label(rows, flip.changed, flip.after);
                    rows.add(flip.gap_before);
                    rows.add(flip.gap_after);
                    rows.add(flip.crossing);
                  });
}

ResultTable break_even_table(const StudyLayout& layout, const Verdicts& verdicts) {
  Rows rows("break_even",
            "the value of each assumption beyond which another choice costs less, all else as it "
            "is; nearest first");
  const auto add_columns = [&] {
    add_assumption_column(rows, verdicts);
    rows.add_column(number_column("break_even", "break-even", "where both cost the same"));
    for (const std::string& name : verdicts.compared) {
      rows.add_column(axis_column(layout, *layout.axis(name)));
    }
    rows.add_column(count_column("point_id", "point", "of the other choice"));
    rows.add_column(number_column(
        "cost", "cost", fmt::format("of a million {} there", counted_by(layout, role::unit_cost)),
        "USD"));
  };
  return table_of(rows, layout, verdicts, &Verdict::break_evens, add_columns,
                  [&](const BreakEven& one) {
                    add_assumption(rows, verdicts, one.assumption, one.value);
                    rows.add(one.at);
                    for (const std::int32_t index : one.other.choice) {
                      rows.add(index);
                    }
                    rows.add_count(one.other.id);
                    rows.add(one.other.value);
                  });
}

ResultTable tornado_table(const StudyLayout& layout, const Verdicts& verdicts) {
  Rows rows("tornado",
            fmt::format("what a million {} of the answer cost with each assumption halved and "
                        "doubled, as far as it may be; the largest difference first",
                        counted_by(layout, role::unit_cost)));
  const auto add_columns = [&] {
    add_assumption_column(rows, verdicts);
    rows.add_column(number_column("low", "low", "half of it, or the least it may be"));
    rows.add_column(number_column("high", "high", "twice it, or the most it may be"));
    rows.add_column(number_column("cost", "cost", "as it is", "USD"));
    rows.add_column(number_column("cost_low", "cost at low", "at `low`", "USD"));
    rows.add_column(number_column("cost_high", "cost at high", "at `high`", "USD"));
  };
  return table_of(rows, layout, verdicts, &Verdict::tornado, add_columns,
                  [&](const CostSwing& one) {
                    add_assumption(rows, verdicts, one.assumption, one.value);
                    rows.add(one.low);
                    rows.add(one.high);
                    rows.add(one.cost);
                    rows.add(one.cost_low);
                    rows.add(one.cost_high);
                  });
}

ResultTable draw_table(const StudyLayout& layout, const Verdicts& verdicts) {
  if (verdicts.drawn.empty()) {
    return {};
  }
  Rows rows("draws",
            "how often each choice is the best over the draws of what nobody knows; most often "
            "first");
  for (const std::string& name : verdicts.drawn_per) {
    rows.add_column(group_column(layout, name));
  }
  for (const std::string& name : verdicts.chosen) {
    rows.add_column(axis_column(layout, *layout.axis(name)));
  }
  rows.add_column(count_column("draws", "draws", "that have an answer"));
  rows.add_column(
      number_column("best_share", "share of the best", "of them, in which it is the best"));
  const std::string& units = verdicts.objective_units;
  rows.add_column(number_column("good", "one in ten", "nine of ten draws are not better", units));
  rows.add_column(number_column("median", "median", "half of the draws are not better", units));
  rows.add_column(number_column("bad", "nine in ten", "one of ten draws is not better", units));
  rows.begin();
  for (const DrawnAnswer& answer : verdicts.drawn) {
    for (const DrawnChoice& choice : answer.choices) {
      rows.next_row();
      for (const std::int64_t value : answer.key) {
        rows.add(static_cast<double>(value));
      }
      for (const std::int32_t index : choice.choice) {
        rows.add(index);
      }
      rows.add_count(answer.draws);
      rows.add(static_cast<double>(choice.best) / static_cast<double>(answer.draws));
      rows.add(choice.good);
      rows.add(choice.median);
      rows.add(choice.bad);
    }
  }
  return rows.take();
}

namespace {

// The columns that tell runs apart.
void add_run_columns(Rows& rows, const StudyLayout& layout, const Recipes& recipes) {
  for (const std::string& name : recipes.per) {
    rows.add_column(group_column(layout, name));
  }
  for (const std::string& name : recipes.chosen) {
    rows.add_column(axis_column(layout, *layout.axis(name)));
  }
  rows.add_column(count_column("rank", "rank", "of the run by the objective, from 1"));
}

void add_run(Rows& rows, const RecipeAnswer& answer, std::size_t place) {
  rows.next_row();
  for (const std::int64_t value : answer.key) {
    rows.add(static_cast<double>(value));
  }
  for (const std::int32_t index : answer.runs[place].choice) {
    rows.add(index);
  }
  rows.add_count(static_cast<std::int64_t>(place) + 1);
}

void add_sum_columns(Rows& rows, const Recipes& recipes, const std::string& description) {
  for (const RecipeColumn& column : recipes.columns) {
    rows.add_column(number_column(column.name, column.words, description, column.units));
  }
}

void add_all(Rows& rows, const std::vector<double>& values) {
  for (const double value : values) {
    rows.add(value);
  }
}

// Calls `each` for every run.
template <typename Each>
void for_each_run(const Recipes& recipes, const Each& each) {
  for (const RecipeAnswer& answer : recipes.answers) {
    for (std::size_t place = 0; place < answer.runs.size(); ++place) {
      each(answer, place);
    }
  }
}

}  // namespace

ResultTable recipe_table(const StudyLayout& layout, const Verdicts& verdicts) {
  const Recipes& recipes = verdicts.recipes;
  if (recipes.answers.empty()) {
    return {};
  }
  Rows rows("recipes",
            "what all phases of a run come to, each at its best point; the best run first");
  add_run_columns(rows, layout, recipes);
  add_sum_columns(rows, recipes, "the sum over all phases");
  rows.begin();
  for_each_run(recipes, [&](const RecipeAnswer& answer, std::size_t place) {
    add_run(rows, answer, place);
    add_all(rows, answer.runs[place].sums);
  });
  return rows.take();
}

ResultTable recipe_phase_table(const StudyLayout& layout, const Verdicts& verdicts) {
  const Recipes& recipes = verdicts.recipes;
  if (recipes.answers.empty()) {
    return {};
  }
  Rows rows("recipe_phases",
            "the best point of each phase of the runs, in the order of the phases");
  add_run_columns(rows, layout, recipes);
  rows.add_column(axis_column(layout, *layout.axis(std::string(space::phase_axis))));
  for (const std::string& name : recipes.with) {
    rows.add_column(axis_column(layout, *layout.axis(name)));
  }
  rows.add_column(count_column("point_id", "point", "the best of the phase"));
  for (const std::string& name : recipes.strategy) {
    rows.add_column(layout.schema[*layout.column(name)]);
  }
  add_sum_columns(rows, recipes, "of the phase");
  rows.begin();
  for_each_run(recipes, [&](const RecipeAnswer& answer, std::size_t place) {
    for (const RecipePhase& phase : answer.runs[place].phases) {
      add_run(rows, answer, place);
      rows.add(phase.phase);
      add_all(rows, {phase.with.begin(), phase.with.end()});
      rows.add_count(phase.id);
      add_all(rows, phase.strategy);
      add_all(rows, phase.parts);
    }
  });
  return rows.take();
}

}  // namespace scalesweep::analysis
