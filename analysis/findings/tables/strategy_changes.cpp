#include <cmath>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/bottlenecks/doubt.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/result_columns.hpp"
#include "analysis/findings/tables/table_spec.hpp"

namespace scalesweep::analysis {
namespace {

store::Schema change_schema(const StudyLayout& layout, const ResultTable& best) {
  store::Schema schema = step_schema(layout, "change");
  for (const std::string& name : layout.strategy) {
    for (const std::string side : {"from_", "to_"}) {
      store::Column column = layout.schema[*layout.column(name)];
      column.name = side + name;
      column.type = column.labels.empty() ? store::ColumnType::i64 : store::ColumnType::i32;
      schema.push_back(column);
    }
  }
  const std::string& better = layout.time.better_words;
  schema.push_back(name_column("kept_status", "old strategy at the new value",
                               "what became of the first strategy at the second value",
                               kept_status_names(layout)));
  schema.push_back(
      count_column("kept_point_id", "old strategy, point",
                   "point of the first strategy at the second value; -1: not in the file"));
  schema.push_back(
      number_column("kept_time", "old strategy, " + better,
                    better + " of the first strategy at the second value; NaN: not feasible",
                    best.schema[column_of(best, layout.time.better)].units));
  schema.push_back(
      share_column("saving", "saved by the change",
                   "part of kept_time that the second strategy saves; NaN: not known"));
  schema.push_back(firm_column(
      "firm",
      "whether the saving is more than one error bar of the time. Strategies on one system share "
      "errors, so that their order may be surer than this says. Yes where the first strategy is "
      "not feasible"));
  return schema;
}

Firm firm_saving(const FoundStrategy& kept, double saving, double error) {
  if (kept.status > 0) {
    return Firm::yes;
  }
  if (kept.status < 0 || std::isnan(error)) {
    return Firm::unknown;
  }
  return saving > error ? Firm::yes : Firm::no;
}

// One row per step: what the study says of the old strategy at the new value.
ResultTable strategy_change_table(const TableInputs& in) {
  const StudyLayout& layout = in.reading.shown;
  const ResultTable& best = in.best;
  const std::vector<StrategyStep>& steps = in.asked.steps;
  const std::vector<FoundStrategy>& kept = in.strategies.found;
  ResultTable result;
  result.description = "changes of the best strategy between neighbouring values of " +
                       layout.axes[layout.along].name;
  result.schema = change_schema(layout, best);
  result.table = store::Table(result.schema);
  const auto strategies = strategies_of(layout, best);
  const auto ids = integers(best.table, best.schema, std::string(point_id_column));
  const auto better = numbers(best.table, best.schema, layout.time.better);
  const std::vector<double> errors = relative_errors(best);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i].step;
    std::size_t column = add_step(result.table, step, ids);
    for (const std::vector<std::int64_t>& values : strategies) {
      for (const std::size_t row : {step.from_row, step.to_row}) {
        if (result.schema[column].type == store::ColumnType::i32) {
          result.table.values<std::int32_t>(column).push_back(
              static_cast<std::int32_t>(values[row]));
        } else {
          result.table.values<std::int64_t>(column).push_back(values[row]);
        }
        ++column;
      }
    }
    const double saving = 1.0 - better[step.to_row] / kept[i].better;  // NaN where there is none
    const std::int64_t status =
        kept[i].status < 0 ? static_cast<std::int64_t>(layout.statuses.size()) : kept[i].status;
    result.table.values<std::int32_t>(column++).push_back(static_cast<std::int32_t>(status));
    result.table.values<std::int64_t>(column++).push_back(kept[i].id);
    result.table.values<double>(column++).push_back(kept[i].better);
    result.table.values<double>(column++).push_back(saving);
    result.table.values<std::int32_t>(column).push_back(
        static_cast<std::int32_t>(firm_saving(kept[i], saving, errors[step.to_row])));
  }
  return result;
}

}  // namespace

extern constinit const TableSpec strategy_changes_spec = {tables::strategy_changes,
                                                          SeenIn::own_views, strategy_change_table};

}  // namespace scalesweep::analysis
