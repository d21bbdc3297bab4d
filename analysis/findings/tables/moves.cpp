#include "analysis/bottlenecks/table_of.hpp"
#include "analysis/file/result_columns.hpp"
#include "analysis/findings/tables/table_spec.hpp"

namespace scalesweep::analysis {
namespace {

// One row per axis, the most telling first.
ResultTable moves_table(const TableInputs& in) {
  const StudyLayout& layout = in.reading.layout;
  const Moves& moves = in.moves;
  std::vector<std::string> names;
  for (const AxisMoves& one : moves.axes) {
    names.push_back(layout.axes[one.axis].name);
  }
  TableOf<AxisMoves> table(
      "how much moves along each axis of what is built, the most telling first");
  table
      .column(name_column("axis", "axis", "along which", names),
              [&](const AxisMoves& one) { return &one - moves.axes.data(); })
      .column(count_column("combinations", "of the others, with two feasible values or more"),
              &AxisMoves::lines)
      .column(count_column("moved", "of them, those along which the dominant group changes"),
              &AxisMoves::moved)
      .column(count_column("choices", "other axes of what is built, once a question"),
              &AxisMoves::choices)
      .column(count_column("changed", "of them, those whose best value changes"),
              &AxisMoves::changed)
      .column(
          number_column("telling", "mean of the two shares, of the one where there is no other"),
          &AxisMoves::telling);
  return table.of(moves.axes);
}

}  // namespace

extern constinit const TableSpec moves_spec = {"moves", SeenIn::report, moves_table};

}  // namespace scalesweep::analysis
