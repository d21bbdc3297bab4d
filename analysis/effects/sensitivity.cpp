#include "analysis/effects/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "analysis/bottlenecks/tables.hpp"
#include "analysis/effects/transitions.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/result_columns.hpp"
#include "analysis/file/table_values.hpp"

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

struct Improvement {
  double mean_gain = 0.0;
  double largest_gain = 0.0;
  double mean_gain_next = 0.0;
  std::int64_t next_at = 0;
  std::int64_t points = 0;
};

Improvement improvement_of(std::size_t resource, const std::vector<const Attribution*>& points) {
  Improvement result;
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

void add_improvement_columns(store::Schema& schema, const Resources& resources,
                             std::string_view time) {
  schema.push_back(resource_column(resources));
  schema.push_back(number_column(
      "mean_gain", fmt::format("part of the {} that 10 % more of it saves, mean of the best "
                               "points, strategies held",
                               time)));
  schema.push_back(number_column("largest_gain", "the largest of them"));
  schema.push_back(count_column("next_at", "best points at which it gains more than any other"));
  schema.push_back(
      number_column("mean_gain_next", "mean gain over those; NaN where there is none"));
  schema.push_back(count_column("points", "best points"));
}

void add_improvement(store::Table& table, std::size_t column, std::size_t resource,
                     const Improvement& improvement) {
  table.values<std::int32_t>(column++).push_back(static_cast<std::int32_t>(resource));
  table.values<double>(column++).push_back(improvement.mean_gain);
  table.values<double>(column++).push_back(improvement.largest_gain);
  table.values<std::int64_t>(column++).push_back(improvement.next_at);
  table.values<double>(column++).push_back(improvement.mean_gain_next);
  table.values<std::int64_t>(column).push_back(improvement.points);
}

}  // namespace

ResultTable sensitivity_table(const StudyLayout& layout, const Resources& resources,
                              const ResultTable& best) {
  ResultTable result;
  result.name = "sensitivity";
  result.description = "what more of each resource would save at the best points";
  result.schema = {count_column("point_id", "point", "the best point")};
  std::vector<std::size_t> axes = layout.panels;
  axes.push_back(layout.along);
  std::vector<std::vector<std::int64_t>> coordinates;
  for (const std::size_t axis : axes) {
    result.schema.push_back(axis_column(layout, axis));
    coordinates.push_back(integers(best.table, best.schema, layout.axes[axis].name));
  }
  result.schema.push_back(resource_column(resources));
  result.schema.push_back(number_column(
      "elasticity", fmt::format("1 % more of it saves so many % of the {}", layout.time.words)));
  result.schema.push_back(number_column(
      "gain_10", fmt::format("part of the {} that 10 % more of it saves, strategy held: first "
                             "order in the charges",
                             layout.time.words)));
  result.schema.push_back(count_column("rank", "1 for the resource that gains most"));
  result.table = store::Table(result.schema);
  const auto ids = integers(best.table, best.schema, std::string(point_id_column));
  const std::vector<Attribution> limits = attributions(best, resources);
  for (std::size_t row = 0; row < limits.size(); ++row) {
    const std::vector<std::int64_t> ranks = ranks_of(limits[row]);
    for (std::size_t resource = 0; resource < resources.names.size(); ++resource) {
      std::size_t column = 0;
      result.table.values<std::int64_t>(column++).push_back(ids[row]);
      for (const std::vector<std::int64_t>& axis : coordinates) {
        result.table.values<std::int32_t>(column++).push_back(static_cast<std::int32_t>(axis[row]));
      }
      const double share = limits[row].shares[resource];
      result.table.values<std::int32_t>(column++).push_back(static_cast<std::int32_t>(resource));
      result.table.values<double>(column++).push_back(share);
      result.table.values<double>(column++).push_back(gain_of_ten_percent(share));
      result.table.values<std::int64_t>(column).push_back(ranks[resource]);
    }
  }
  return result;
}

ResultTable improvement_table(const StudyLayout& layout, const Resources& resources,
                              const ResultTable& best) {
  ResultTable result;
  result.name = "improvements";
  result.description = "which resource to improve next: over all best points";
  add_improvement_columns(result.schema, resources, layout.time.words);
  result.table = store::Table(result.schema);
  const std::vector<Attribution> limits = attributions(best, resources);
  std::vector<const Attribution*> points;
  for (const Attribution& one : limits) {
    points.push_back(&one);
  }
  for (std::size_t resource = 0; resource < resources.names.size(); ++resource) {
    add_improvement(result.table, 0, resource, improvement_of(resource, points));
  }
  return result;
}

ResultTable panel_improvement_table(const StudyLayout& layout, const Resources& resources,
                                    const ResultTable& best, const std::vector<Path>& paths) {
  ResultTable result;
  if (layout.panels.empty()) {
    return result;
  }
  result.name = "panel_improvements";
  result.description = "which resource to improve next, for every combination of the other axes";
  for (const std::size_t axis : layout.panels) {
    result.schema.push_back(axis_column(layout, axis));
  }
  add_improvement_columns(result.schema, resources, layout.time.words);
  result.table = store::Table(result.schema);
  const std::vector<Attribution> limits = attributions(best, resources);
  for (const Path& path : paths) {
    std::vector<const Attribution*> points;
    for (const std::int64_t row : path.rows) {
      if (row >= 0) {
        points.push_back(&limits[static_cast<std::size_t>(row)]);
      }
    }
    for (std::size_t resource = 0; resource < resources.names.size() && !points.empty();
         ++resource) {
      std::size_t column = 0;
      for (const std::int32_t index : path.panel) {
        result.table.values<std::int32_t>(column++).push_back(index);
      }
      add_improvement(result.table, column, resource, improvement_of(resource, points));
    }
  }
  return result;
}

}  // namespace scalesweep::analysis
