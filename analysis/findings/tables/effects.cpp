#include <fmt/format.h>

#include "analysis/bottlenecks/table_of.hpp"
#include "analysis/file/result_columns.hpp"
#include "analysis/findings/tables/table_spec.hpp"

namespace scalesweep::analysis {
namespace {

ResultTable effect_table(const TableInputs& in) {
  if (!in.effects.is_known) {
    return {};
  }
  const std::string& better = in.reading.layout.time.better_words;
  TableOf<EffectRow> table(
      fmt::format("which axes and fields of the strategy the best {} depends on: Sobol indices of "
                  "its logarithm, every value weighing the same",
                  better));
  table
      .column(name_column("factor", "factor", "axis or field of the strategy", in.effects.factors),
              &EffectRow::factor)
      .column(name_column("kind", "kind", "what the factor is", {"axis", "strategy"}),
              &EffectRow::is_field)
      .column(count_column("levels", "values that take part"), &EffectRow::levels)
      .column(count_column("left_out", "values left out because combinations are missing"),
              &EffectRow::left_out)
      .column(share_column("first_order",
                           fmt::format("part of the variance of the logarithm of the best {} that "
                                       "it explains by itself; NaN: fewer than two values of it, "
                                       "or of all others, take part",
                                       better)),
              &EffectRow::first_order)
      .column(share_column("total", "part that it explains together with others"),
              &EffectRow::total)
      .column(count_column("combinations", "of the factorial that was decomposed"),
              &EffectRow::combinations);
  return table.of(in.effects.rows);
}

ResultTable interaction_table(const TableInputs& in) {
  if (!in.effects.is_known) {
    return {};
  }
  const std::vector<std::string>& names = in.effects.factors;
  TableOf<Interaction> table("what pairs of axes explain only together");
  table.column(name_column("first", "first axis", "one of the pair", names), &Interaction::first)
      .column(name_column("second", "second axis", "the other", names), &Interaction::second)
      .column(share_column("second_order", "second order",
                           "part of the variance that the two explain together beyond what each "
                           "does; NaN: fewer than two values of one take part"),
              &Interaction::second_order);
  return table.of(in.effects.interactions);
}

}  // namespace

extern constinit const TableSpec effects_spec = {tables::effects, SeenIn::report, effect_table};
extern constinit const TableSpec interactions_spec = {"interactions", SeenIn::report,
                                                      interaction_table};

}  // namespace scalesweep::analysis
