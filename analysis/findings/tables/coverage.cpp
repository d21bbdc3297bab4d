#include <numeric>

#include "analysis/bottlenecks/table_of.hpp"
#include "analysis/bottlenecks/tables.hpp"
#include "analysis/file/result_columns.hpp"
#include "analysis/findings/tables/table_spec.hpp"
#include "analysis/selection/slice.hpp"
#include "analysis/words/words.hpp"

namespace scalesweep::analysis {
namespace {

// Points by status, for every combination of the grid: of the whole study, or those that the file
// keeps.
ResultTable coverage_table(const TableInputs& in) {
  const StudyLayout& layout = in.reading.shown;
  std::vector<std::size_t> axes = layout.panels;
  axes.push_back(layout.along);
  const Grid grid(layout, axes);
  const std::string what =
      in.coverage_is_whole ? "points of the study" : "points that the file keeps";
  std::vector<std::size_t> rows(grid.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  TableOf<std::size_t> table(what + " by status, for every combination of the varying axes");
  table.column(count_column("combination", "number of the combination of axis values"),
               [](std::size_t cell) { return cell; });
  for (std::size_t i = 0; i < axes.size(); ++i) {
    table.column(axis_column(layout, axes[i]),
                 [&, i](std::size_t cell) { return grid.coordinates(cell)[i]; });
  }
  for (std::size_t i = 0; i < layout.statuses.size(); ++i) {
    const std::string& status = layout.statuses[i];
    table.column(
        count_column("rows_" + status, "rows " + words(status), what + " with status " + status),
        [&, i](std::size_t cell) {
          return in.scan.statuses[in.reading.cells[cell] * layout.statuses.size() + i];
        });
  }
  return table.of(rows);
}

}  // namespace

extern constinit const TableSpec coverage_spec = {tables::coverage, SeenIn::own_views,
                                                  coverage_table};

}  // namespace scalesweep::analysis
