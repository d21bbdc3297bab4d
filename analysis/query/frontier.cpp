#include "analysis/query/frontier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/file/columns.hpp"
#include "analysis/frontier/frontier.hpp"
#include "analysis/frontier/groups.hpp"
#include "analysis/frontier/member_table.hpp"
#include "analysis/frontier/search.hpp"
#include "core/failure.hpp"

namespace scalesweep::analysis {
namespace {

// Axes that vary and whose values do not compete with each other.
std::vector<std::string> workloads_of(const store::StudyReader& reader) {
  std::vector<std::string> names;
  for (const store::AxisValues& axis : reader.axes()) {
    if (is_workload_axis(axis.name) && value_count(axis) > 1) {
      names.push_back(axis.name);
    }
  }
  return names;
}

void resolve_objectives(const store::StudyReader& reader, QueryOptions& options) {
  check_directions(reader.schema(), options.objectives);
  if (options.objectives.empty()) {
    options.objectives = default_objectives(reader);
  }
  if (options.objectives.empty()) {
    refuse("--frontier: this study names no objectives; give them with --minimize and --maximize");
  }
  for (Objective& objective : options.objectives) {
    const std::string what = fmt::format("--{}", space::word_of(objective.direction).word);
    objective.column = named_column(reader.schema(), objective.column, what).name;
  }
}

FrontierRequest request_of(const QueryOptions& options) {
  FrontierRequest request;
  request.objectives = options.objectives;
  request.where = options.rows.where;
  request.ids = options.rows.ids;
  request.per = options.per;
  request.ranks = options.ranks;
  request.reading = options.rows.reading;
  return request;
}

// The members of a group to show, the better ranks first.
std::vector<std::size_t> shown_members(const FrontierResult& found, const FrontierGroup& group,
                                       const QueryOptions& options, double& epsilon) {
  if (options.thin) {
    double distance = 0.0;
    const std::vector<std::size_t> members =
        thinned_members(found, group, static_cast<std::size_t>(*options.thin), &distance);
    epsilon = std::max(epsilon, distance);
    return members;
  }
  std::vector<std::size_t> members(group.rows.size());
  std::iota(members.begin(), members.end(), std::size_t{0});
  std::stable_sort(members.begin(), members.end(),
                   [&](std::size_t a, std::size_t b) { return group.ranks[a] < group.ranks[b]; });
  return members;
}

}  // namespace

store::Schema frontier_columns(const store::StudyReader& reader, const QueryOptions& options) {
  const bool error_bars = column_with(reader.schema(), role::uncertainty) != nullptr;
  return member_schema(options.ranks, error_bars);
}

void resolve_frontier(const store::StudyReader& reader, QueryOptions& options) {
  if (options.rows.all_statuses) {
    refuse("--frontier compares feasible points only; leave --all-statuses out");
  }
  if (options.ranks < 1 || options.ranks > most_ranks) {
    refuse(fmt::format("--ranks takes a number from 1 to {}, not {}", most_ranks, options.ranks));
  }
  if (options.thin && options.ranks > 1) {
    refuse("--thin is for the frontier itself, which is rank 1; leave --ranks out");
  }
  resolve_objectives(reader, options);
  // The best in every objective, the knee, and one that stands for the rest.
  const auto least = static_cast<std::int64_t>(options.objectives.size() + 2);
  if (options.thin && *options.thin < least) {
    refuse(
        fmt::format("--thin {}: for {} objectives it takes {} or more: the best in each, the "
                    "knee and one for the others",
                    *options.thin, options.objectives.size(), least));
  }
  if (options.per.empty()) {
    options.per = workloads_of(reader);
  }
  FrontierSearch(reader.schema(), reader.axes(), request_of(options));  // refuses what it must
}

ChosenRows frontier_rows(const store::StudyReader& reader, const QueryOptions& options,
                         QueryCounts& counts) {
  const FrontierResult found = find_frontier(reader, request_of(options));
  counts.rows = {reader.rows(), found.other_statuses, found.selected_rows};
  counts.notes = found.notes;
  ChosenRows chosen;
  chosen.schema = member_schema(found.ranks, found.has_error_bars);
  std::vector<std::size_t> places;
  std::size_t first = 0;
  double epsilon = 0.0;
  for (const FrontierGroup& group : found.groups) {
    for (const std::size_t member : shown_members(found, group, options, epsilon)) {
      chosen.rows.push_back(group.rows[member]);
      places.push_back(first + member);
    }
    first += group.rows.size();
  }
  chosen.told = member_table(found);
  chosen.told.select(places);
  counts.chosen = static_cast<std::int64_t>(first);
  if (places.size() < first) {
    counts.notes.push_back(thinning_words(places.size(), first, epsilon));
  }
  return chosen;
}

}  // namespace scalesweep::analysis
