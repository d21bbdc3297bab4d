#include "analysis/findings/frontier_tables.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/bottlenecks/tables.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/result_columns.hpp"
#include "analysis/file/table_values.hpp"
#include "analysis/frontier/frontier.hpp"
#include "analysis/frontier/member_table.hpp"
#include "analysis/selection/kept_points.hpp"

namespace scalesweep::analysis {
namespace {

using store::ColumnType;

// A table with more columns, which are empty.
ResultTable widened(const ResultTable& table, const store::Schema& more) {
  ResultTable wide{table.name, table.description, table.schema, store::Table{store::Schema{}}};
  wide.schema.insert(wide.schema.end(), more.begin(), more.end());
  wide.table = store::Table(wide.schema);
  for (std::size_t c = 0; c < table.schema.size(); ++c) {
    copy_column(table.table, c, wide.table, c, table.schema[c].type);
  }
  return wide;
}

store::Schema group_schema(const StudyLayout& layout, const std::vector<std::string>& per,
                           const FrontierResult& frontiers) {
  store::Schema schema;
  for (const std::string& name : per) {
    schema.push_back(group_column(layout, name));
  }
  schema.push_back(count_column("members", "members", "points on the frontier"));
  schema.push_back(count_column("candidates", "candidates", "feasible points that were compared"));
  if (frontiers.has_error_bars) {
    schema.push_back(count_column("members_beyond_doubt", "members beyond doubt",
                                  "members that no other point puts in doubt by its error bar"));
  }
  schema.push_back(count_column("knee_id", "knee", "point at the knee; -1: there is none"));
  schema.push_back(number_column("hypervolume", "hypervolume",
                                 "share of the box from the ideal to the reference that is "
                                 "dominated; NaN where it takes too long"));
  schema.push_back(
      count_column("shown", "shown in pictures", "members that stand for all in pictures"));
  schema.push_back(number_column("shown_within", "shown within",
                                 "no member is worse than one that is shown by more than this, in "
                                 "any objective, as a share of its range, a "
                                 "logarithmic one where its values have one sign"));
  for (const Objective& objective : frontiers.objectives) {
    const store::Column& column = layout.schema[layout.column(objective.column).value()];
    schema.push_back(number_column("ideal_" + column.name, "best " + column.long_name,
                                   "best value of a member", column.units));
    schema.push_back(number_column("reference_" + column.name, "reference " + column.long_name,
                                   "worst value of a member and a tenth of the range beyond",
                                   column.units));
  }
  return schema;
}

// `keys` are those of the group, with indices of axes as in the layout.
void add_group(store::Table& table, const store::Schema& schema, const FrontierResult& frontiers,
               const FrontierGroup& group, const ShownFrontier& shown,
               const std::vector<std::int64_t>& keys, std::int64_t knee_id) {
  std::size_t column = 0;
  const auto add_count = [&](std::int64_t value) {
    table.values<std::int64_t>(column++).push_back(value);
  };
  const auto add_number = [&](double value) { table.values<double>(column++).push_back(value); };
  for (const std::int64_t key : keys) {
    if (schema[column].type == ColumnType::i64) {
      add_count(key);
    } else {
      table.values<std::int32_t>(column++).push_back(static_cast<std::int32_t>(key));
    }
  }
  add_count(std::count(group.ranks.begin(), group.ranks.end(), 1));
  add_count(group.candidates);
  if (frontiers.has_error_bars) {
    add_count(
        std::accumulate(group.beyond_doubt.begin(), group.beyond_doubt.end(), std::int64_t{0}));
  }
  add_count(knee_id);
  add_number(group.hypervolume);
  add_count(static_cast<std::int64_t>(shown.rows.size()));
  add_number(shown.epsilon);
  for (std::size_t i = 0; i < frontiers.objectives.size(); ++i) {
    add_number(group.ideal[i]);
    add_number(group.reference[i]);
  }
}

}  // namespace

void add_frontier_columns(ResultTable& members, const FrontierResult& frontiers,
                          const std::vector<ShownFrontier>& shown) {
  store::Schema more = member_schema(frontiers.ranks, frontiers.has_error_bars);
  const store::Table values = member_table(frontiers);
  const std::size_t first = members.schema.size();
  more.push_back(yes_no_column("shown", "shown in pictures",
                               "one of the points that stand for all in pictures, which have no "
                               "room for all"));
  ResultTable wide = widened(members, more);
  for (std::size_t c = 0; c + 1 < more.size(); ++c) {
    copy_column(values, c, wide.table, first + c, more[c].type);
  }
  std::vector<std::uint8_t>& marks = wide.table.values<std::uint8_t>(wide.schema.size() - 1);
  marks.assign(members.table.rows(), 0);
  for (const ShownFrontier& one : shown) {
    for (const std::size_t row : one.rows) {
      marks[row] = 1;
    }
    for (const std::size_t row : one.behind) {
      marks[row] = 1;
    }
  }
  members = std::move(wide);
}

ResultTable frontier_group_table(const StudyLayout& layout, const std::vector<std::string>& per,
                                 const FrontierResult& frontiers,
                                 const std::vector<ShownFrontier>& shown,
                                 const ResultTable& members) {
  ResultTable result;
  result.name = "frontier_groups";
  result.description = "points that compete with each other: their frontier and its measures";
  result.schema = group_schema(layout, per, frontiers);
  result.table = store::Table(result.schema);
  const auto& ids =
      members.table.values<std::int64_t>(column_of(members, std::string(point_id_column)));
  std::size_t first = 0;
  for (std::size_t g = 0; g < frontiers.groups.size(); ++g) {
    const FrontierGroup& group = frontiers.groups[g];
    const auto knee = std::find(group.knee.begin(), group.knee.end(), 1);
    const auto place = first + static_cast<std::size_t>(knee - group.knee.begin());
    std::vector<std::int64_t> keys = group.key;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto axis = layout.axis(per[i]);
      keys[i] = axis ? layout.number_of(*axis, keys[i]) : keys[i];
    }
    add_group(result.table, result.schema, frontiers, group, shown[g], keys,
              knee == group.knee.end() ? -1 : ids[place]);
    first += group.rows.size();
  }
  return result;
}

// Why these rows are enough. A filter leaves some cells: combinations of axis values. A row that
// another one of its cell dominates is dominated whichever cells are left, and of rows that are
// equal the smallest id of a cell stands for it: so the frontier of some cells is that of their
// frontiers.
CellFrontiers cell_frontiers(const store::StudyReader& reader, const StudyLayout& layout,
                             const Resources& resources, FrontierRequest request,
                             std::size_t most) {
  CellFrontiers cells;
  cells.per = request.per;
  for (const store::AxisValues& axis : layout.axes) {
    const bool is_there = layout.column(axis.name).has_value();
    if (is_there && axis.labels.size() > 1 &&
        std::find(request.per.begin(), request.per.end(), axis.name) == request.per.end()) {
      request.per.push_back(axis.name);
    }
  }
  request.ranks = 1;
  request.error_bars = false;
  cells.are_whole = KeptPoints(reader).hold_frontier(
      {request.objectives, request.per, request.where, false, request.ranks});
  std::vector<std::int64_t> rows;
  for (const FrontierGroup& group : find_frontier(reader, request).groups) {
    rows.insert(rows.end(), group.rows.begin(), group.rows.end());
  }
  cells.rows = rows.size();
  if (rows.size() > most) {
    return cells;
  }
  std::sort(rows.begin(), rows.end());
  cells.members = point_table(reader, layout, resources, rows);
  cells.members.name = "frontier_cells";
  cells.members.description =
      "feasible points that no other of the same axis values dominates: the frontier of any choice "
      "of values is among them";
  return cells;
}

}  // namespace scalesweep::analysis
