#include "analysis/flips/find_flips.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/file/columns.hpp"
#include "analysis/flips/assumptions.hpp"
#include "analysis/flips/axis_flips.hpp"
#include "analysis/flips/price_flips.hpp"
#include "analysis/flips/pricing.hpp"
#include "analysis/selection/rows.hpp"
#include "analysis/selection/slice.hpp"
#include "analysis/words/words.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

constexpr std::size_t most_axis_flips = 1;   // that are told in words
constexpr std::size_t most_price_flips = 2;  // likewise
constexpr double nearest_factor = 4.0;       // of a price, that somebody would think of
constexpr double most_of_the_cost = 0.5;
// Axes of a spec.
constexpr const char* margin_axis = "margin";
constexpr const char* given_price_axis = "device_price";
constexpr const char* derived_axis = "template";

// Indices of axes and columns of one table.
std::vector<std::vector<std::int64_t>> key_values(const StudyLayout& layout,
                                                  const store::Table& table,
                                                  const store::Schema& schema,
                                                  const std::vector<std::string>& names) {
  std::vector<std::vector<std::int64_t>> values;
  for (const std::string& name : names) {
    const auto axis = layout.axis(name);
    values.push_back(axis ? axis_indices(layout, table, schema, *axis)
                          : integers(table, schema, name));
  }
  return values;
}

// Columns of rows of a table as quantities.
class PricedTable {
 public:
  PricedTable(const StudyLayout& layout, const std::vector<std::string>& columns,
              const store::Table& table, const store::Schema& schema) {
    for (const std::string& name : columns) {
      values_.push_back(quantities(layout, table, schema, name));
    }
  }
  PricedRow row(std::size_t row) const {
    std::vector<double> values;
    for (const std::vector<double>& column : values_) {
      values.push_back(column[row]);
    }
    return priced_row(values);
  }

 private:
  std::vector<std::vector<double>> values_;
};

std::map<QuestionKey, PricedChoices> priced_choices(const store::StudyReader& reader,
                                                    const StudyLayout& layout,
                                                    const std::string& where,
                                                    const Verdicts& verdicts,
                                                    const std::vector<std::string>& pricing) {
  std::vector<std::string> columns = {std::string(point_id_column)};
  for (const auto* const names : {&verdicts.per, &verdicts.compared, &pricing}) {
    for (const std::string& name : *names) {
      add_once(columns, name);
    }
  }
  const store::Schema schema = schema_of(layout.schema, columns);
  std::map<QuestionKey, PricedChoices> found;
  const RowSelection rows(reader, {.where = where, .ids = {}, .reading = layout.reading});
  rows.scan(columns, [&](const RowSlice& slice) {
    const auto keys = key_values(layout, slice.table, schema, verdicts.per);
    const auto choices = key_values(layout, slice.table, schema, verdicts.compared);
    const auto ids = integers(slice.table, schema, std::string(point_id_column));
    const PricedTable priced(layout, pricing, slice.table, schema);
    for (std::size_t row = 0; row < ids.size(); ++row) {
      const PricedRow one = priced.row(row);
      if (!std::isfinite(one.parts.front() + one.device_s)) {
        continue;
      }
      QuestionKey key;
      ChoiceKey choice;
      for (const auto& column : keys) {
        key.push_back(column[row]);
      }
      for (const auto& column : choices) {
        choice.push_back(static_cast<std::int32_t>(column[row]));
      }
      add_priced(found[key][choice], {ids[row], one});
    }
  });
  return found;
}

// "N3, HBM4".
std::string choice_of(const StudyLayout& layout, const Verdicts& verdicts,
                      const std::vector<std::int32_t>& choice) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < choice.size(); ++i) {
    labels.push_back(layout.axes[*layout.axis(verdicts.compared[i])]
                         .labels[static_cast<std::size_t>(choice[i])]);
  }
  return join(choice_words(verdicts.compared, labels, verdicts.prompts_apart), ", ");
}

// "h200-sxm if the price of memory is below 9.1 USD/GB (15.2 USD/GB here)".
std::string break_even_words(const StudyLayout& layout, const Verdicts& verdicts,
                             const BreakEven& one) {
  const AssumptionRow& row = assumption_rows()[static_cast<std::size_t>(one.assumption)];
  return fmt::format("{} if {} is {} {} ({} here)", choice_of(layout, verdicts, one.other.choice),
                     row.words, one.at < one.value ? "below" : "above",
                     assumption_text(row.which, one.at), assumption_text(row.which, one.value));
}

// "0.237 USD per million tokens".
std::string unit_cost_words(const Verdicts& verdicts, double usd) {
  std::string per = verdicts.objective_words;  // "cost per million tokens"
  if (constexpr std::string_view cost = "cost "; per.starts_with(cost)) {
    per.erase(0, cost.size());
  }
  return fmt::format("{:.3g} USD {}", usd, per);
}

// "the maker's margin is taken to grow with what its dies cost; as a fixed sum per device N1 is the
// best: 0.237 USD per million tokens, 0.327 for this one".
std::string other_margin_words(const StudyLayout& layout, const Verdicts& verdicts,
                               const OtherReading& other) {
  const bool is_sum = layout.axis(margin_axis).has_value();
  const std::string choice = choice_of(layout, verdicts, other.best.choice);
  return fmt::format("the maker's margin is taken {}; {} {} is the best: {}, {:.3g} for this one",
                     is_sum ? "as a fixed sum per device" : "to grow with what its dies cost",
                     is_sum ? "if it grew with what dies cost" : "as a fixed sum per device",
                     choice, unit_cost_words(verdicts, other.best.value), other.winner_cost);
}

// "57 % of the cost is the price of dies, whose maker's margin is assumed; as a fixed sum per
// device this is the best as well: 0.327 USD per million tokens".
std::string silicon_words(const StudyLayout& layout, const Verdicts& verdicts, double share,
                          double by_other_margin) {
  return fmt::format(
      "{:.0f} % of the cost is the price of dies, whose maker's margin is assumed; {} this is the "
      "best as well: {}",
      100.0 * share,
      layout.axis(margin_axis) ? "if it grew with what dies cost" : "as a fixed sum per device",
      unit_cost_words(verdicts, by_other_margin));
}

// Where margins grow with what dies cost, their price and that of wafers say the same.
bool is_said_of_dies(const BreakEven& one, const std::vector<BreakEven>& all) {
  constexpr double alike = 0.1;
  const auto is = [](const BreakEven& some, Assumption which) {
    return some.assumption == static_cast<std::int32_t>(which);
  };
  return is(one, Assumption::wafer_price) &&
         std::any_of(all.begin(), all.end(), [&](const BreakEven& other) {
           return is(other, Assumption::silicon_price) && other.other.choice == one.other.choice &&
                  std::fabs(std::log((other.at / other.value) / (one.at / one.value))) < alike;
         });
}

// The nearest of the assumptions that half or twice of it decides; not the maker's margin, of which
// another line is, nor what says the same.
const BreakEven* turning_point(const std::vector<BreakEven>& all) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const BreakEven& one) {
    return one.assumption != static_cast<std::int32_t>(Assumption::silicon_price) &&
           one.assumption != static_cast<std::int32_t>(Assumption::margin) &&
           !is_said_of_dies(one, all);
  });
  const bool is_near = found != all.end() && found->at <= found->value * swing_factor &&
                       found->at >= found->value / swing_factor;
  return is_near ? &*found : nullptr;
}

// "the price of memory is taken to be 15.2 USD/GB; below 9.1 USD/GB h200-sxm is the best: 0.4 USD
// per million tokens".
std::string turning_words(const StudyLayout& layout, const Verdicts& verdicts,
                          const BreakEven& one) {
  const AssumptionRow& row = assumption_rows()[static_cast<std::size_t>(one.assumption)];
  return fmt::format("{} is taken to be {}; {} {} {} is the best: {}", row.words,
                     assumption_text(row.which, one.value), one.at < one.value ? "below" : "above",
                     assumption_text(row.which, one.at),
                     choice_of(layout, verdicts, one.other.choice),
                     unit_cost_words(verdicts, one.other.value));
}

// Whether the answer rests on how the margin of a device that nobody sells is taken.
void caution_of_margin(const StudyLayout& layout, const Verdicts& verdicts,
                       const PricedChoices& choices, const ChoiceKey& winner, Verdict& verdict) {
  const auto other = by_other_margin(choices, winner);
  if (!other || layout.axis(given_price_axis)) {
    return;
  }
  if (other->best.value < other->winner_cost * (1.0 - tie)) {
    verdict.cautions.push_back(other_margin_words(layout, verdicts, *other));
    return;
  }
  const std::vector<PricedPoint>& own = choices.at(winner);
  const PricedRow& best =
      std::min_element(own.begin(), own.end(), [](const PricedPoint& a, const PricedPoint& b) {
        return a.row.cost() < b.row.cost();
      })->row;
  const double share = best.part(CostPart::silicon) / best.cost();
  if (layout.axis(derived_axis) && share > most_of_the_cost) {
    verdict.cautions.push_back(silicon_words(layout, verdicts, share, other->winner_cost));
  }
}

void add_words(const StudyLayout& layout, const Verdicts& verdicts, Verdict& verdict) {
  std::vector<AxisFlip> flips = verdict.axis_flips;
  std::erase_if(flips,
                [](const AxisFlip& one) { return one.gap_before <= tie && one.gap_after <= tie; });
  const auto gap = [](const AxisFlip& one) { return std::min(one.gap_before, one.gap_after); };
  std::stable_sort(flips.begin(), flips.end(),
                   [&](const AxisFlip& a, const AxisFlip& b) { return gap(a) > gap(b); });
  for (std::size_t i = 0; i < std::min(flips.size(), most_axis_flips); ++i) {
    verdict.flips.push_back(axis_flip_words(layout, flips[i]));
  }
  const BreakEven* const turning = turning_point(verdict.break_evens);
  if (turning != nullptr) {
    verdict.cautions.push_back(turning_words(layout, verdicts, *turning));
  }
  std::size_t told = 0;
  for (const BreakEven& one : verdict.break_evens) {
    const double factor = one.at / one.value;
    if (&one == turning || is_said_of_dies(one, verdict.break_evens)) {
      continue;
    }
    if (told < most_price_flips && factor < nearest_factor && factor > 1.0 / nearest_factor) {
      verdict.flips.push_back(break_even_words(layout, verdicts, one));
      ++told;
    }
  }
}

bool minimizes_unit_cost(const StudyLayout& layout, const Objective& objective) {
  const store::Column* const cost = column_with(layout.schema, role::unit_cost);
  return cost != nullptr && cost->name == objective.column &&
         objective.direction == Direction::minimize;
}

void name_assumptions(Verdicts& verdicts) {
  for (const AssumptionRow& row : assumption_rows()) {
    verdicts.assumptions.emplace_back(row.name);
    verdicts.assumption_units.push_back(assumption_units(row.which));
    verdicts.assumption_scales.push_back(assumption_scale(row.which));
  }
}

void add_tornados(const store::StudyReader& reader, const StudyLayout& layout,
                  const std::vector<std::string>& pricing, const Assumptions& assumed,
                  Verdicts& verdicts) {
  std::vector<std::int64_t> rows;
  for (const Verdict& verdict : verdicts.answers) {
    if (verdict.is_answered()) {
      rows.push_back(verdict.taken.row);
    }
  }
  const store::Schema schema = schema_of(layout.schema, pricing);
  const store::Table table = gather(reader, layout, pricing, rows);
  const PricedTable priced(layout, pricing, table, schema);
  std::size_t next = 0;
  for (Verdict& verdict : verdicts.answers) {
    if (verdict.is_answered()) {
      const PricedRow row = priced.row(next++);
      if (std::isfinite(row.parts.front() + row.device_s)) {
        verdict.tornado = tornado(row, assumed);
      }
    }
  }
}

// Of the axes whose choices are compared.
ChoiceKey compared_choice(const Verdicts& verdicts, const Contender& best) {
  ChoiceKey key;
  for (std::size_t i = 0; i < verdicts.chosen.size(); ++i) {
    if (std::find(verdicts.compared.begin(), verdicts.compared.end(), verdicts.chosen[i]) !=
        verdicts.compared.end()) {
      key.push_back(best.choice[i]);
    }
  }
  return key;
}

}  // namespace

void find_flips(const store::StudyReader& reader, const StudyLayout& layout,
                const std::string& where, Verdicts& verdicts) {
  for (Verdict& verdict : verdicts.answers) {
    verdict.axis_flips = axis_flips(layout, verdicts, verdict);
  }
  const auto pricing = pricing_columns(layout);
  const auto assumed = read_assumptions(reader, layout);
  if (pricing && assumed) {
    name_assumptions(verdicts);
    add_tornados(reader, layout, *pricing, *assumed, verdicts);
  }
  if (pricing && minimizes_unit_cost(layout, verdicts.objective)) {
    const auto found = priced_choices(reader, layout, where, verdicts, *pricing);
    for (Verdict& verdict : verdicts.answers) {
      const auto choices = found.find(verdict.key);
      if (choices == found.end() || !verdict.is_answered()) {
        continue;
      }
      const ChoiceKey winner = compared_choice(verdicts, verdict.best);
      if (!choices->second.contains(winner)) {
        continue;
      }
      if (assumed) {
        verdict.break_evens = break_evens(choices->second, winner, *assumed);
      }
      caution_of_margin(layout, verdicts, choices->second, winner, verdict);
    }
  }
  for (Verdict& verdict : verdicts.answers) {
    add_words(layout, verdicts, verdict);
  }
}

}  // namespace scalesweep::analysis
