#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "analysis/bottlenecks/doubt.hpp"
#include "analysis/bottlenecks/tables.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/result_columns.hpp"
#include "analysis/findings/tables/table_spec.hpp"
#include "analysis/selection/slice.hpp"

namespace scalesweep::analysis {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// One level at which a limit is named: single resources, or groups of them.
struct Named {
  LimitLevel level;
  std::vector<std::string> names;  // in the table's labels
  std::function<std::size_t(const Attribution&)> dominant;
  std::function<const std::vector<double>&(const Attribution&)> shares;
};

std::vector<Named> levels_of(const Resources& resources) {
  return {
      {LimitLevel::group, resources.groups, [](const Attribution& a) { return a.group; },
       [](const Attribution& a) -> const std::vector<double>& { return a.group_shares; }},
      {LimitLevel::resource, resources.names, [](const Attribution& a) { return a.resource; },
       [](const Attribution& a) -> const std::vector<double>& { return a.shares; }},
  };
}

// Groups and resources, each name once: a resource without a group is a group of the same name.
std::vector<std::string> limit_names(const Resources& resources) {
  std::vector<std::string> limits = resources.groups;
  for (const std::string& name : resources.names) {
    add_once(limits, name);
  }
  return limits;
}

std::vector<std::string> names_of(const std::vector<Quantity>& quantities) {
  std::vector<std::string> names;
  for (const Quantity& quantity : quantities) {
    names.push_back(quantity.name.empty() ? "none" : quantity.name);
  }
  return names;
}

// Each once.
std::vector<std::string> units_of(const std::vector<Quantity>& quantities) {
  std::vector<std::string> units;
  for (const Quantity& quantity : quantities) {
    add_once(units, quantity.units);
  }
  return units;
}

// Why the limit changes: the rate of what gives way has grown, or that of what takes over has
// fallen; where neither has, what changes most. Of several that which changes most, then the first.
std::size_t told_quantity(const std::vector<Quantity>& quantities, const Step& step,
                          const std::string& from_limit, const std::string& to_limit) {
  std::size_t told = 0;
  std::pair<int, double> most = {0, 0.0};
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    const double before = quantities[i].values[step.from_row];
    const double after = quantities[i].values[step.to_row];
    if (std::isnan(quantity_at(quantities[i], step, 0.0))) {
      continue;
    }
    const bool relieves = after > before && is_limit(from_limit, quantities[i].rate_of);
    const bool tightens = after < before && is_limit(to_limit, quantities[i].rate_of);
    const std::pair<int, double> here = {relieves   ? 3
                                         : tightens ? 2
                                                    : 1,
                                         std::abs(std::log(after / before))};
    if (here > most) {
      told = i;
      most = here;
    }
  }
  return told;
}

// The second resource, the quantity that varies, and how sure the place is.
void add_crossing_columns(store::Schema& schema, const Resources& resources,
                          const std::vector<Quantity>& quantities) {
  const std::vector<std::string> units = units_of(quantities);
  schema.push_back(name_column(
      "second_resource", "second resource",
      "resource with the largest share at the second value beside to_limit, and outside of it "
      "where that is a group",
      resources.names));
  schema.push_back(
      name_column("quantity", "quantity that varies",
                  "what the values of the axis stand for, taken at both points; of several the "
                  "rate of from_limit where that grows, else the rate of to_limit where that "
                  "falls, else what changes most",
                  names_of(quantities)));
  schema.push_back(name_column("quantity_units", "units of the quantity",
                               "units of crossing_quantity, crossing_low and crossing_high",
                               units));
  const std::string method =
      " Equal steps of the place are taken as equal ratios of the quantity. NaN where it is not "
      "known or the same at both points to 1 %.";
  // One attribute holds for all rows, or for none.
  const std::string common = units.size() == 1 ? units.front() : "";
  schema.push_back(number_column("crossing_quantity", "quantity at the change",
                                 "the quantity at crossing_index." + method, common));
  schema.push_back(number_column("crossing_low", "quantity from which on",
                                 "where the lead may be gone within one error bar." + method,
                                 common));
  schema.push_back(number_column("crossing_high", "quantity up to which",
                                 "where the lead may last within one error bar." + method, common));
  schema.push_back(number_column("crossing_index_low", "place from which on",
                                 "the place of crossing_low, in steps of the axis; that of the "
                                 "first value also where the lead is within the error bar there"));
  schema.push_back(number_column("crossing_index_high", "place up to which",
                                 "the place of crossing_high, in steps of the axis"));
  schema.push_back(firm_column("firm",
                               "whether both limits lead all others by more than one error bar at "
                               "their values, in every layout that ties there; unknown where the "
                               "study has no error bars, or does not keep layouts that tie"));
}

store::Schema transition_schema(const StudyLayout& layout, const Resources& resources,
                                const std::vector<Quantity>& quantities) {
  const std::vector<std::string> limits = limit_names(resources);
  const store::AxisValues& axis = layout.axes[layout.along];
  store::Schema schema = step_schema(layout, "transition");
  const auto add_name = [&](const std::string& name, const std::string& description,
                            const std::vector<std::string>& labels) {
    schema.push_back(name_column(name, name, description, labels));
  };
  add_name("level", "whether single resources or groups of them are compared",
           {"group", "resource"});
  add_name(
      "from_limit",
      fmt::format("what has the largest share of the {} at the first value", layout.time.words),
      limits);
  add_name("to_limit", "what has the largest share at the second value", limits);
  for (const std::string limit : {"from", "to"}) {
    for (const std::string when : {"before", "after"}) {
      schema.push_back(
          share_column(fmt::format("{}_limit_share_{}", limit, when),
                       fmt::format("share of {}_limit {}", limit, when),
                       fmt::format("share of {}_limit in the {} at the {} value", limit,
                                   layout.time.words, when == "before" ? "first" : "second")));
    }
  }
  schema.push_back(number_column("crossing_index", "place of the change",
                                 "place at which to_limit overtakes from_limit, in steps of the "
                                 "axis from its value 0; logarithms of shares taken as straight "
                                 "lines between"));
  schema.push_back(number_column("crossing_value", "value at the change",
                                 "value of the axis there, where it is a quantity; else NaN",
                                 axis.units));
  add_crossing_columns(schema, resources, quantities);
  return schema;
}

// What is the same for every row of the table.
struct TransitionContext {
  const StudyLayout& layout;
  const Resources& resources;
  std::vector<std::string> limits;
  std::vector<Quantity> quantities;
  std::vector<std::string> units;  // of the quantities, each once
  std::vector<double> errors;      // relative, by row of the best table
  const Reading& reading;
};

void add_crossing(store::Table& table, std::size_t column, const TransitionContext& context,
                  const Step& step, const Overtaking& shares, std::size_t second, std::size_t told,
                  Firm firm) {
  const double place = crossing(shares);
  const double before = context.errors[step.from_row];
  const double after = context.errors[step.to_row];
  const bool known = !std::isnan(before) && !std::isnan(after);
  const CrossingRange range =
      known ? crossing_range(shares, before, after) : CrossingRange{nan, nan};
  const auto index_at = [&](double at) {
    return static_cast<double>(step.from) + at * static_cast<double>(step.to - step.from);
  };
  const auto quantity = [&](double at) {
    return std::isnan(at) ? nan : quantity_at(context.quantities[told], step, at);
  };
  const bool is_axis = is_quantity(context.layout.axes[context.layout.along]);
  table.values<double>(column++).push_back(index_at(place));
  table.values<double>(column++).push_back(is_axis ? quantity(place) : nan);
  const auto unit =
      std::find(context.units.begin(), context.units.end(), context.quantities[told].units) -
      context.units.begin();
  table.values<std::int32_t>(column++).push_back(static_cast<std::int32_t>(second));
  table.values<std::int32_t>(column++).push_back(static_cast<std::int32_t>(told));
  table.values<std::int32_t>(column++).push_back(static_cast<std::int32_t>(unit));
  for (const double value : {quantity(place), quantity(range.low), quantity(range.high),
                             index_at(range.low), index_at(range.high)}) {
    table.values<double>(column++).push_back(value);
  }
  table.values<std::int32_t>(column).push_back(static_cast<std::int32_t>(firm));
}

// The largest of the other resources: those outside of the group where groups are compared.
std::size_t next_in_line(const TransitionContext& context, std::size_t level, std::size_t limit,
                         const Attribution& at) {
  if (level > 0) {
    return at.second;
  }
  std::optional<std::size_t> next;
  for (std::size_t i = 0; i < at.shares.size(); ++i) {
    const bool is_outside = context.resources.group_of[i] != limit;
    if (is_outside && (!next || at.shares[i] > at.shares[*next])) {
      next = i;
    }
  }
  return next.value_or(at.second);
}

// Fills the columns of transition_schema from `column` on.
void add_transition(store::Table& table, std::size_t column, const TransitionContext& context,
                    const Step& step, std::size_t level, const Named& names,
                    const Attribution& before, const Attribution& after) {
  const std::size_t from = names.dominant(before);
  const std::size_t to = names.dominant(after);
  const auto label_of = [&](std::size_t index) {
    const auto place = std::find(context.limits.begin(), context.limits.end(), names.names[index]);
    return static_cast<std::size_t>(place - context.limits.begin());
  };
  for (const std::size_t value : {level, label_of(from), label_of(to)}) {
    table.values<std::int32_t>(column++).push_back(static_cast<std::int32_t>(value));
  }
  const std::vector<double>& was = names.shares(before);
  const std::vector<double>& is = names.shares(after);
  for (const double value : {was[from], is[from], was[to], is[to]}) {
    table.values<double>(column++).push_back(value);
  }
  const auto firm_at = [&](const std::vector<double>& shares, std::size_t row) {
    return firm_over(leads_firmly(shares, context.errors[row]), context.reading.ties[row],
                     names.level, context.reading.ties_are_known);
  };
  const Firm firm = both(firm_at(was, step.from_row), firm_at(is, step.to_row));
  const std::size_t told =
      told_quantity(context.quantities, step, names.names[from], names.names[to]);
  add_crossing(table, column, context, step, {was[from], was[to], is[from], is[to]},
               next_in_line(context, level, to, after), told, firm);
}

// With their levels, path by path and along each.
std::vector<std::pair<Step, std::size_t>> told_changes(const TableInputs& in,
                                                       const std::vector<Attribution>& limits,
                                                       const std::vector<Named>& levels) {
  std::vector<std::pair<Step, std::size_t>> told;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    for (const Step& step : leader_changes(in.reading.shown, in.reading.paths, limits,
                                           in.reading.ties, levels[level].level)
                                .told) {
      told.emplace_back(step, level);
    }
  }
  std::stable_sort(told.begin(), told.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.path, a.first.to) < std::pair(b.first.path, b.first.to);
  });
  return told;
}

// One row per change of the dominant group or resource that holds for all layouts that tie: the
// shares on both sides, where the one overtakes the other (attribution.hpp says how that is
// interpolated) in steps of the axis and in the quantity that varies, the range of that within the
// error bars, and whether it is firm.
ResultTable transition_table(const TableInputs& in) {
  const StudyLayout& layout = in.reading.shown;
  const Resources& resources = in.resources;
  const ResultTable& best = in.best;
  const std::vector<Quantity> quantities = quantities_along(layout, best);
  const TransitionContext context = {layout,
                                     resources,
                                     limit_names(resources),
                                     quantities,
                                     units_of(quantities),
                                     relative_errors(best),
                                     in.reading};
  ResultTable result;
  result.description =
      "changes of what limits the best strategy, and all that tie with it, "
      "between neighbouring values of " +
      layout.axes[layout.along].name +
      (has_order(layout) ? "" : ", which do not follow each other: none");
  result.schema = transition_schema(layout, resources, quantities);
  result.table = store::Table(result.schema);
  const std::vector<Attribution> limits = attributions(best, resources);
  const auto ids = integers(best.table, best.schema, std::string(point_id_column));
  const std::vector<Named> levels = levels_of(resources);
  for (const auto& [step, level] : told_changes(in, limits, levels)) {
    const std::size_t column = add_step(result.table, step, ids);
    add_transition(result.table, column, context, step, level, levels[level], limits[step.from_row],
                   limits[step.to_row]);
  }
  return result;
}

}  // namespace

extern constinit const TableSpec transitions_spec = {tables::transitions, SeenIn::own_views,
                                                     transition_table};

}  // namespace scalesweep::analysis
