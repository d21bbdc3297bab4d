#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "analysis/bottlenecks/doubt.hpp"
#include "analysis/bottlenecks/table_of.hpp"
#include "analysis/bottlenecks/tables.hpp"
#include "analysis/bottlenecks/ties.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/result_columns.hpp"
#include "analysis/findings/tables/table_spec.hpp"
#include "analysis/words/words.hpp"
#include "core/contracts.hpp"

namespace scalesweep::analysis {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// A cell of the plane and combination of the other axes.
struct PhaseRow {
  std::int64_t point_id = -1;
  std::vector<std::int32_t> at;         // indices of the axes of the grid
  const Attribution* limits = nullptr;  // of its best point; null: nothing is feasible
  double error = nan;
  const Ties* ties = nullptr;     // with its best point
  std::vector<double> crossings;  // by axis of the plane

  Leaders leaders() const { return ties->leaders[static_cast<std::size_t>(LimitLevel::group)]; }
};

double group_margin(const Attribution& a) {
  double second = 0.0;
  for (std::size_t group = 0; group < a.group_shares.size(); ++group) {
    second = group == a.group ? second : std::max(second, a.group_shares[group]);
  }
  return a.group_shares[a.group] - second;
}

// Where another group takes over between two neighbours, in steps from the first; NaN: nowhere, or
// a layout that ties at the one has what limits the other.
double boundary(const PhaseRow& at, const PhaseRow& after) {
  if ((at.leaders() & after.leaders()) != 0) {
    return nan;
  }
  const Attribution& here = *at.limits;
  const Attribution& next = *after.limits;
  return crossing({here.group_shares[here.group], here.group_shares[next.group],
                   next.group_shares[here.group], next.group_shares[next.group]});
}

// What limits the best point; the last name, "none", where nothing is feasible.
void add_limits(TableOf<PhaseRow>& table, const Resources& resources, const std::string& time,
                bool ties_are_known) {
  const auto add = [&](const store::Column& column, double absent, auto get) {
    table.column(column, [=](const PhaseRow& row) {
      return row.limits == nullptr ? absent : static_cast<double>(get(*row.limits));
    });
  };
  const auto add_name = [&](const std::string& name, const std::string& long_name,
                            const std::string& what, std::vector<std::string> names, auto get) {
    names.emplace_back("none");
    add(name_column(name, long_name, fmt::format("{} with the largest share of the {}", what, time),
                    names),
        static_cast<double>(names.size() - 1), get);
  };
  add_name("dominant_group", "bottleneck", "group", resources.groups,
           [](const Attribution& a) { return a.group; });
  add(share_column("dominant_group_share", "its share"), nan,
      [](const Attribution& a) { return a.group_shares[a.group]; });
  add(share_column("group_margin", "its share less that of the second group"), nan, group_margin);
  add_name("dominant_resource", "dominant resource", "resource", resources.names,
           [](const Attribution& a) { return a.resource; });
  add(share_column("dominant_share", "its share"), nan,
      [](const Attribution& a) { return a.shares[a.resource]; });
  add(share_column("dominant_margin", "its share less that of the second resource"), nan,
      [](const Attribution& a) { return a.margin(); });
  table.column(firm_column("firm",
                           "whether the group leads by more than one error bar, and in every "
                           "layout that ties; unknown without error bars or such layouts"),
               [=](const PhaseRow& row) {
                 return row.limits == nullptr
                            ? Firm::unknown
                            : firm_over(leads_firmly(row.limits->group_shares, row.error),
                                        *row.ties, LimitLevel::group, ties_are_known);
               });
}

// One row per cell of the plane and combination of the other varying axes: the best point, what
// dominates it, and where on the way to the next cell along each of the two axes another group
// takes over (crossing_<axis>, in steps of the axis; NaN where none does). Where nothing is
// feasible point_id is -1 and dominant_group "none".
ResultTable phase_table(const TableInputs& in) {
  const StudyLayout& layout = in.reading.layout;
  const std::vector<std::size_t>& axes = in.combinations.phase_axes;
  const Resources& resources = in.resources;
  const ResultTable& best = in.combinations.best;
  const Grid& grid = in.scan.grid;
  const std::vector<std::int64_t>& best_rows = in.combinations.places;
  if (axes.empty()) {
    return {};
  }
  const std::vector<Attribution> limits = attributions(best, resources);
  const auto ids = integers(best.table, best.schema, std::string(point_id_column));
  const std::vector<double> errors = relative_errors(best);
  std::vector<PhaseRow> rows(grid.size());
  for (std::size_t cell = 0; cell < grid.size(); ++cell) {
    rows[cell].at = grid.coordinates(cell);
    if (best_rows[cell] >= 0) {
      const auto row = static_cast<std::size_t>(best_rows[cell]);
      rows[cell].point_id = ids[row];
      rows[cell].limits = &limits[row];
      rows[cell].error = errors[row];
      rows[cell].ties = &in.combinations.ties[cell];
    }
  }
  for (PhaseRow& row : rows) {
    for (const std::size_t axis : axes) {
      const auto place = static_cast<std::size_t>(
          std::find(grid.axes().begin(), grid.axes().end(), axis) - grid.axes().begin());
      SCALESWEEP_ASSERT(place < grid.axes().size());
      std::vector<std::int32_t> next = row.at;
      const bool has_next =
          static_cast<std::size_t>(++next[place]) < layout.axes[axis].labels.size();
      const PhaseRow* const there = has_next ? &rows[grid.cell(next)] : nullptr;
      const bool known = row.limits != nullptr && there != nullptr && there->limits != nullptr;
      row.crossings.push_back(row.at[place] + (known ? boundary(row, *there) : nan));
    }
  }
  TableOf<PhaseRow> table(fmt::format("what limits the best strategy over {} and {}",
                                      words(layout.axes[axes[0]].name),
                                      words(layout.axes[axes[1]].name)));
  table.column(
      count_column("point_id", "best point", "the best point of the cell; -1: nothing feasible"),
      &PhaseRow::point_id);
  for (std::size_t i = 0; i < grid.axes().size(); ++i) {
    table.column(axis_column(layout, grid.axes()[i]),
                 [i](const PhaseRow& row) { return row.at[i]; });
  }
  add_limits(table, resources, layout.time.words, in.scan.keeps_ties);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    table.column(number_column("crossing_" + layout.axes[axes[i]].name,
                               "where on the way to the next value another group takes over, in "
                               "steps of the axis"),
                 [i](const PhaseRow& row) { return row.crossings[i]; });
  }
  return table.of(rows);
}

}  // namespace

extern constinit const TableSpec phases_spec = {"phases", SeenIn::report, phase_table};

}  // namespace scalesweep::analysis
