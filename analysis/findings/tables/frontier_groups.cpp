#include <algorithm>
#include <cstdint>
#include <numeric>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/bottlenecks/table_of.hpp"
#include "analysis/bottlenecks/tables.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/result_columns.hpp"
#include "analysis/findings/tables/table_spec.hpp"

namespace scalesweep::analysis {
namespace {

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

// One row per group: the columns that tell groups apart, then its sizes and measures.
ResultTable frontier_group_table(const TableInputs& in) {
  const StudyLayout& layout = in.reading.layout;
  const std::vector<std::string>& per = in.scan.per;
  const FrontierResult& frontiers = in.scan.frontiers;
  const std::vector<ShownFrontier>& shown = in.pictured;
  const ResultTable& members = in.frontier;
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

}  // namespace

extern constinit const TableSpec frontier_groups_spec = {tables::frontier_groups, SeenIn::own_views,
                                                         frontier_group_table};

}  // namespace scalesweep::analysis
