// What an improvement of one resource would save at each best point, and which is the next to make.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "analysis/bottlenecks/table_of.hpp"
#include "analysis/bottlenecks/tables.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/result_columns.hpp"
#include "analysis/findings/tables/table_spec.hpp"

namespace scalesweep::analysis {
namespace {

store::Column resource_column(const Resources& resources) {
  return name_column("resource", "resource", "what is improved", resources.names);
}

// Rank of each resource, 1 for the largest share; ties to the first.
std::vector<std::int64_t> ranks_of(const Attribution& limits) {
  std::vector<std::size_t> order(limits.shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return limits.shares[a] > limits.shares[b];
  });
  std::vector<std::int64_t> ranks(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    ranks[order[i]] = static_cast<std::int64_t>(i) + 1;
  }
  return ranks;
}

// Of one resource over some best points, in one combination of the panels.
struct Improvement {
  std::size_t resource = 0;
  std::vector<std::int32_t> panel = {};
  double mean_gain = 0.0;
  double largest_gain = 0.0;
  double mean_gain_next = 0.0;
  std::int64_t next_at = 0;
  std::int64_t points = 0;
};

Improvement improvement_of(std::size_t resource, const std::vector<const Attribution*>& points) {
  Improvement result{resource};
  for (const Attribution* limits : points) {
    const double gain = gain_of_ten_percent(limits->shares[resource]);
    result.mean_gain += gain;
    result.largest_gain = std::max(result.largest_gain, gain);
    if (limits->resource == resource) {
      ++result.next_at;
      result.mean_gain_next += gain;
    }
    ++result.points;
  }
  if (result.points > 0) {
    result.mean_gain /= static_cast<double>(result.points);
  }
  result.mean_gain_next = result.next_at > 0
                              ? result.mean_gain_next / static_cast<double>(result.next_at)
                              : std::numeric_limits<double>::quiet_NaN();
  return result;
}

void add_improvements(TableOf<Improvement>& table, const Resources& resources,
                      std::string_view time) {
  table.column(resource_column(resources), &Improvement::resource)
      .column(share_column("mean_gain",
                           fmt::format("part of the {} that 10 % more of it saves, mean of the "
                                       "best points, strategies held",
                                       time)),
              &Improvement::mean_gain)
      .column(share_column("largest_gain", "the largest of them"), &Improvement::largest_gain)
      .column(count_column("next_at", "best points at which it gains more than any other"),
              &Improvement::next_at)
      .column(share_column("mean_gain_next", "mean gain over those; NaN where there is none"),
              &Improvement::mean_gain_next)
      .column(count_column("points", "best points"), &Improvement::points);
}

// One row per best point and resource: its elasticity, which is its share of the time (Euler's
// theorem: work fixed, the time is homogeneous of degree one in inverse rates and latencies), what
// 10 % more of it saves with the strategy held (gain_of_ten_percent: first order, and a lower
// bound on what the best of all strategies would gain once its own charges scale so), and its rank.
ResultTable sensitivity_table(const TableInputs& in) {
  const StudyLayout& layout = in.reading.shown;
  const Resources& resources = in.resources;
  const ResultTable& best = in.best;
  struct Row {
    std::size_t best;
    std::size_t resource;
    double share;
    std::int64_t rank;
  };
  std::vector<Row> rows;
  const std::vector<Attribution> limits = attributions(best, resources);
  for (std::size_t row = 0; row < limits.size(); ++row) {
    const std::vector<std::int64_t> ranks = ranks_of(limits[row]);
    for (std::size_t resource = 0; resource < resources.names.size(); ++resource) {
      rows.push_back({row, resource, limits[row].shares[resource], ranks[resource]});
    }
  }
  const auto of_best = [&](std::string_view name) {
    return [values = integers(best.table, best.schema, std::string(name))](const Row& row) {
      return values[row.best];
    };
  };
  TableOf<Row> table("what more of each resource would save at the best points");
  table.column(count_column("point_id", "point", "the best point"), of_best(point_id_column));
  std::vector<std::size_t> axes = layout.panels;
  axes.push_back(layout.along);
  for (const std::size_t axis : axes) {
    table.column(axis_column(layout, axis), of_best(layout.axes[axis].name));
  }
  table.column(resource_column(resources), &Row::resource)
      .column(number_column("elasticity", fmt::format("1 % more of it saves so many % of the {}",
                                                      layout.time.words)),
              &Row::share)
      .column(share_column("gain_10",
                           fmt::format("part of the {} that 10 % more of it saves, strategy held: "
                                       "first order in the charges",
                                       layout.time.words)),
              [](const Row& row) { return gain_of_ten_percent(row.share); })
      .column(count_column("rank", "1 for the resource that gains most"), &Row::rank);
  return table.of(rows);
}

// One row per resource, over all best points: the mean and the largest gain, and at how many of
// them it is the one that gains most, the next improvement.
ResultTable improvement_table(const TableInputs& in) {
  const Resources& resources = in.resources;
  const std::vector<Attribution> limits = attributions(in.best, resources);
  std::vector<const Attribution*> points;
  for (const Attribution& one : limits) {
    points.push_back(&one);
  }
  std::vector<Improvement> rows;
  for (std::size_t resource = 0; resource < resources.names.size(); ++resource) {
    rows.push_back(improvement_of(resource, points));
  }
  TableOf<Improvement> table("which resource to improve next: over all best points");
  add_improvements(table, resources, in.reading.shown.time.words);
  return table.of(rows);
}

// The same for every combination of panels; without a schema where there is only one.
ResultTable panel_improvement_table(const TableInputs& in) {
  const StudyLayout& layout = in.reading.shown;
  const Resources& resources = in.resources;
  if (layout.panels.empty()) {
    return {};
  }
  std::vector<Improvement> rows;
  const std::vector<Attribution> limits = attributions(in.best, resources);
  for (const Path& path : in.reading.paths) {
    std::vector<const Attribution*> points;
    for (const std::int64_t row : path.rows) {
      if (row >= 0) {
        points.push_back(&limits[static_cast<std::size_t>(row)]);
      }
    }
    for (std::size_t resource = 0; resource < resources.names.size() && !points.empty();
         ++resource) {
      rows.push_back(improvement_of(resource, points));
      rows.back().panel = path.panel;
    }
  }
  TableOf<Improvement> table(
      "which resource to improve next, for every combination of the other axes");
  for (std::size_t i = 0; i < layout.panels.size(); ++i) {
    table.column(axis_column(layout, layout.panels[i]),
                 [i](const Improvement& row) { return row.panel[i]; });
  }
  add_improvements(table, resources, layout.time.words);
  return table.of(rows);
}

}  // namespace

extern constinit const TableSpec sensitivity_spec = {"sensitivity", SeenIn::report,
                                                     sensitivity_table};
extern constinit const TableSpec improvements_spec = {tables::improvements, SeenIn::report,
                                                      improvement_table};
extern constinit const TableSpec panel_improvements_spec = {"panel_improvements", SeenIn::report,
                                                            panel_improvement_table};

}  // namespace scalesweep::analysis
