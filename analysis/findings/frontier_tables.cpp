#include "analysis/findings/parts.hpp"

#include <algorithm>
#include <cstdint>

#include "analysis/bottlenecks/tables.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/result_columns.hpp"
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
