#include "study/search/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace scalesweep::study {
namespace {

// So many groups at most are remembered: leases come in order, and groups that were left are rarely
// met again.
constexpr std::size_t most_groups_searched = 4096;

// Members of a frontier that every estimate is compared with: a fraction of what its row takes.
constexpr std::size_t most_members_sieved = 32;

bool dominates(std::span<const double> a, std::span<const double> b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(a[i] <= b[i])) {
      return false;
    }
    better = better || a[i] < b[i];
  }
  return better;
}

}  // namespace

bool is_bounded(const space::Keep& keep, const space::Spec& spec) {
  return keep.counts == space::Counts::bounded || spec.search.has_value();
}

std::optional<ObjectiveSource> source_of(const space::Objective& objective,
                                         const std::vector<space::Axis>& axes,
                                         const EstimateColumns& columns) {
  using From = ObjectiveSource::From;
  if (const auto axis = space::find_axis(axes, objective.column)) {
    return ObjectiveSource{From::axis, *axis, objective, axes[*axis].values};
  }
  if (objective.column == columns.time.name) {
    return ObjectiveSource{From::time, 0, objective};
  }
  const auto figure =
      std::find_if(columns.figures.begin(), columns.figures.end(),
                   [&](const store::Column& column) { return column.name == objective.column; });
  if (figure == columns.figures.end()) {
    return std::nullopt;
  }
  const auto place = static_cast<std::size_t>(figure - columns.figures.begin());
  return ObjectiveSource{From::figure, place, objective};
}

std::optional<ObjectiveSource> bounded_source_of(const space::Objective& objective,
                                                 const std::vector<space::Axis>& axes,
                                                 const EstimateColumns& columns) {
  using From = ObjectiveSource::From;
  std::optional<ObjectiveSource> source = source_of(objective, axes, columns);
  if (!source || source->from == From::axis) {
    return source;
  }
  if (source->from == From::time) {
    return columns.bounds == Bounds::of_time ? source : std::nullopt;
  }
  const std::size_t place = source->index;
  const Bounded bounded = place < columns.bounded.size() ? columns.bounded[place] : Bounded::no;
  source->grows_with_time = bounded == Bounded::yes;
  return bounded == Bounded::no ? std::nullopt : source;
}

std::vector<space::Objective> deciding(const space::Keep& keep,
                                       const std::vector<space::Objective>& objectives) {
  return keep.policy == space::KeepPolicy::best ? std::vector{objectives.front()} : objectives;
}

std::string bounds_problem(const std::string& asked,
                           const std::vector<space::Objective>& objectives,
                           const std::vector<space::Axis>& axes, const EstimateColumns& columns) {
  if (columns.bounds == Bounds::none) {
    return fmt::format(
        "{} does not go with this kind of workload, of which every point is "
        "estimated; leave it out",
        asked);
  }
  const std::string known =
      columns.bounds == Bounds::of_rate
          ? "the request rate, throughput, energy, cost and carbon"
          : fmt::format("{} and of throughput, energy, memory, cost and carbon", columns.time.name);
  for (const space::Objective& objective : objectives) {
    if (!bounded_source_of(objective, axes, columns)) {
      return fmt::format(
          "{} needs a bound of '{}' before it is estimated, and there is none; there are bounds of "
          "{}; leave one of both out",
          asked, objective.column, known);
    }
  }
  return "";
}

namespace {

// By source_of or bounded_source_of; nothing where one of them has none.
std::optional<std::vector<ObjectiveSource>> sources_of(
    const std::vector<space::Objective>& objectives, const std::vector<space::Axis>& axes,
    const EstimateColumns& columns, decltype(source_of)* find_source) {
  std::vector<ObjectiveSource> sources;
  for (const space::Objective& objective : objectives) {
    const std::optional<ObjectiveSource> source = find_source(objective, axes, columns);
    if (!source) {
      return std::nullopt;
    }
    sources.push_back(*source);
  }
  return sources;
}

}  // namespace

std::optional<Search> make_search(const space::Keep& keep,
                                  const std::vector<space::Objective>& objectives,
                                  const std::vector<space::Axis>& axes,
                                  const EstimateColumns& columns) {
  if (!bounds_problem("", objectives, axes, columns).empty()) {
    return std::nullopt;
  }
  return Search(keep, *sources_of(objectives, axes, columns, bounded_source_of), axes);
}

std::optional<Search> make_sieve(const space::Keep& keep,
                                 const std::vector<space::Objective>& objectives,
                                 const std::vector<space::Axis>& axes,
                                 const EstimateColumns& columns) {
  std::optional<std::vector<ObjectiveSource>> sources =
      sources_of(objectives, axes, columns, source_of);
  return sources ? std::optional(Search(keep, std::move(*sources), axes, most_members_sieved))
                 : std::nullopt;
}

Incumbents::Incumbents(const space::Keep& keep, std::size_t most_members)
    : is_frontier_(keep.policy == space::KeepPolicy::frontier),
      most_(is_frontier_ ? most_members : static_cast<std::size_t>(keep.best_count)) {}

bool Incumbents::can_be_kept(std::span<const double> least) const {
  if (is_frontier_) {
    return std::none_of(kept_.begin(), kept_.end(),
                        [&](const std::vector<double>& kept) { return dominates(kept, least); });
  }
  // Of what is as good, the smaller id stays.
  return kept_.size() < most_ || !(least.front() > kept_.back().front());
}

void Incumbents::add(std::span<const double> values) {
  if (std::any_of(values.begin(), values.end(), [](double value) { return value != value; })) {
    return;  // such a point never stays
  }
  if (is_frontier_) {
    if (!can_be_kept(values)) {
      return;
    }
    std::erase_if(kept_, [&](const std::vector<double>& kept) { return dominates(values, kept); });
    if (kept_.size() < most_) {
      kept_.emplace_back(values.begin(), values.end());
    }
    return;
  }
  const auto place = std::upper_bound(
      kept_.begin(), kept_.end(), values.front(),
      [](double value, const std::vector<double>& kept) { return value < kept.front(); });
  kept_.emplace(place, values.begin(), values.end());
  if (kept_.size() > most_) {
    kept_.pop_back();
  }
}

double Incumbents::best() const {
  double best = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& kept : kept_) {
    best = std::min(best, kept.front());
  }
  return best;
}

Search::Search(space::Keep keep, std::vector<ObjectiveSource> objectives,
               const std::vector<space::Axis>& axes, std::size_t most_members)
    : keep_(std::move(keep)), objectives_(std::move(objectives)), most_members_(most_members) {
  for (const std::string& name : keep_.per) {
    group_axes_.push_back(*space::find_axis(axes, name));
  }
}

Incumbents& Search::group_at(std::span<const std::int32_t> axis_index) {
  std::vector<std::int32_t> group;
  for (const std::size_t axis : group_axes_) {
    group.push_back(axis_index[axis]);
  }
  if (groups_.size() >= most_groups_searched && !groups_.contains(group)) {
    forget();
  }
  return groups_.try_emplace(std::move(group), keep_, most_members_).first->second;
}

void RunSearch::values_of(const EstimateRow& row, std::span<double> values) const {
  struct Of {
    const EstimateRow& row;
    std::size_t phases;
    double time_s() const { return row.time_s; }
    double figure(std::size_t i) const { return row.figures[phases + i]; }
  };
  bounds_of(Of{row, phases}, values);
}

}  // namespace scalesweep::study
