#include "analysis/findings/frontier_tables.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/bottlenecks/table_of.hpp"
#include "analysis/bottlenecks/tables.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/result_columns.hpp"
#include "analysis/file/table_values.hpp"
#include "analysis/frontier/frontier.hpp"
#include "analysis/frontier/member_table.hpp"
#include "analysis/selection/kept_points.hpp"

namespace scalesweep::analysis {
namespace {

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

// A frontier, and the values of the columns that tell it from others: indices as in the layout.
struct GroupRow {
  const FrontierGroup* group = nullptr;
  const ShownFrontier* shown = nullptr;
  std::vector<std::int64_t> keys;
  std::int64_t knee_id = -1;
};

void add_objectives(TableOf<GroupRow>& table, const StudyLayout& layout,
                    const std::vector<Objective>& objectives) {
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    const store::Column& column = layout.schema[layout.column(objectives[i].column).value()];
    table
        .column(number_column("ideal_" + column.name, "best " + column.long_name,
                              "best value of a member", column.units),
                [i](const GroupRow& row) { return row.group->ideal[i]; })
        .column(
            number_column("reference_" + column.name, "reference " + column.long_name,
                          "worst value of a member and a tenth of the range beyond", column.units),
            [i](const GroupRow& row) { return row.group->reference[i]; });
  }
}

TableOf<GroupRow> group_table(const StudyLayout& layout, const std::vector<std::string>& per,
                              const FrontierResult& frontiers) {
  TableOf<GroupRow> table("points that compete with each other: their frontier and its measures");
  for (std::size_t i = 0; i < per.size(); ++i) {
    table.column(group_column(layout, per[i]), [i](const GroupRow& row) { return row.keys[i]; });
  }
  table
      .column(count_column("members", "members", "points on the frontier"),
              [](const GroupRow& row) {
                return std::count(row.group->ranks.begin(), row.group->ranks.end(), 1);
              })
      .column(count_column("candidates", "candidates", "feasible points that were compared"),
              [](const GroupRow& row) { return row.group->candidates; });
  if (frontiers.has_error_bars) {
    table.column(count_column("members_beyond_doubt", "members beyond doubt",
                              "members that no other point puts in doubt by its error bar"),
                 [](const GroupRow& row) {
                   const auto& marks = row.group->beyond_doubt;
                   return std::accumulate(marks.begin(), marks.end(), std::int64_t{0});
                 });
  }
  table
      .column(count_column("knee_id", "knee", "point at the knee; -1: there is none"),
              &GroupRow::knee_id)
      .column(share_column("hypervolume", "hypervolume",
                           "share of the box from the ideal to the reference that is dominated; "
                           "NaN where it takes too long"),
              [](const GroupRow& row) { return row.group->hypervolume; })
      .column(count_column("shown", "shown in pictures", "members that stand for all in pictures"),
              [](const GroupRow& row) { return row.shown->rows.size(); })
      .column(number_column("shown_within", "shown within",
                            "no member is worse than one that is shown by more than this, in any "
                            "objective, as a share of its range, a logarithmic one where its "
                            "values have one sign"),
              [](const GroupRow& row) { return row.shown->epsilon; });
  add_objectives(table, layout, frontiers.objectives);
  return table;
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
  const auto& ids =
      members.table.values<std::int64_t>(column_of(members, std::string(point_id_column)));
  std::vector<GroupRow> rows;
  std::size_t first = 0;
  for (std::size_t g = 0; g < frontiers.groups.size(); ++g) {
    const FrontierGroup& group = frontiers.groups[g];
    const auto knee = std::find(group.knee.begin(), group.knee.end(), 1);
    const auto place = first + static_cast<std::size_t>(knee - group.knee.begin());
    rows.push_back({&group, &shown[g], group.key, knee == group.knee.end() ? -1 : ids[place]});
    for (std::size_t i = 0; i < per.size(); ++i) {
      const auto axis = layout.axis(per[i]);
      std::int64_t& key = rows.back().keys[i];
      key = axis ? layout.number_of(*axis, key) : key;
    }
    first += group.rows.size();
  }
  return group_table(layout, per, frontiers).of(rows);
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
