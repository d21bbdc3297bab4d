// Looking for the points that stay without estimating all of them. Where a bound says that a point
// cannot be among them, it is skipped; what stays is the same.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "space/read/spec_types.hpp"
#include "study/columns/schema.hpp"
#include "study/kinds/point_estimator.hpp"
#include "study/rows/requirement_check.hpp"

namespace scalesweep::study {

// Whether points are left out that cannot stay, with such a policy.
bool is_bounded(const space::Keep& keep, const space::Spec& spec);

// Where an objective stands before and after its point is estimated.
struct ObjectiveSource {
  enum class From : std::uint8_t { axis, time, figure };

  From from = From::time;
  std::size_t index = 0;  // of the axis, or of the figure among those of the kind
  space::Objective objective;
  std::vector<double> axis_values = {};
  // Of two points that differ in the strategy alone, the one whose time and energy are larger is
  // not better in it.
  bool grows_with_time = true;
};

// Nothing for a column that no estimate has.
std::optional<ObjectiveSource> source_of(const space::Objective& objective,
                                         const std::vector<space::Axis>& axes,
                                         const EstimateColumns& columns);
// Nor for one of which nobody knows bounds.
std::optional<ObjectiveSource> bounded_source_of(const space::Objective& objective,
                                                 const std::vector<space::Axis>& axes,
                                                 const EstimateColumns& columns);

// Those of them that decide which points stay.
std::vector<space::Objective> deciding(const space::Keep& keep,
                                       const std::vector<space::Objective>& objectives);
// Why points cannot be skipped where these decide, in the words of a spec; "" if they can be.
// `asked`: what it is that skips them, as a spec writes it.
std::string bounds_problem(const std::string& asked,
                           const std::vector<space::Objective>& objectives,
                           const std::vector<space::Axis>& axes, const EstimateColumns& columns);

// The values of the best points so far, of one group of points that compete.
class Incumbents {
 public:
  // Of a frontier, some of so many members at most: they leave out fewer points, each at once.
  explicit Incumbents(const space::Keep& keep,
                      std::size_t most_members = std::numeric_limits<std::size_t>::max());

  // False where a point whose values, as they are minimised, are these or more cannot stay. Nobody
  // knows that of NaN.
  bool can_be_kept(std::span<const double> least) const;
  void add(std::span<const double> values);
  // In the first objective; infinity while there is none.
  double best() const;

 private:
  bool is_frontier_;
  std::size_t most_;                       // of the best, or of the members of a frontier
  std::vector<std::vector<double>> kept_;  // the best: ascending in the first objective
};

// What a policy looks for, over a whole study: one for each evaluator.
class Search {
 public:
  // `most_members`: as Incumbents has it.
  Search(space::Keep keep, std::vector<ObjectiveSource> objectives,
         const std::vector<space::Axis>& axes,
         std::size_t most_members = std::numeric_limits<std::size_t>::max());

  const std::vector<ObjectiveSource>& objectives() const { return objectives_; }
  // Of a group in which nothing was found yet.
  Incumbents new_group() const { return Incumbents(keep_, most_members_); }
  // Of the group that points with these values of all axes are in.
  Incumbents& group_at(std::span<const std::int32_t> axis_index);
  void forget() { groups_.clear(); }

 private:
  space::Keep keep_;
  std::vector<ObjectiveSource> objectives_;
  std::size_t most_members_;
  std::vector<std::size_t> group_axes_;
  std::map<std::vector<std::int32_t>, Incumbents> groups_;
};

// Of points that are estimated before it is known whether they may stay; nothing where an objective
// is no column of an estimate.
std::optional<Search> make_sieve(const space::Keep& keep,
                                 const std::vector<space::Objective>& objectives,
                                 const std::vector<space::Axis>& axes,
                                 const EstimateColumns& columns);

// Nothing where there is a bounds_problem().
std::optional<Search> make_search(const space::Keep& keep,
                                  const std::vector<space::Objective>& objectives,
                                  const std::vector<space::Axis>& axes,
                                  const EstimateColumns& columns);

// The same over the points of one run, which share all axes.
struct RunSearch {
  std::span<const ObjectiveSource> objectives;
  std::span<const std::int32_t> axis_index;
  std::size_t phases;  // that stand before the figures of a row
  Incumbents& incumbents;
  std::int64_t skipped = 0;

  // Whether all objectives grow with time.
  bool grow_with_time() const {
    return std::all_of(objectives.begin(), objectives.end(),
                       [](const ObjectiveSource& source) { return source.grows_with_time; });
  }
  // As they are minimised, of a point that was estimated.
  void values_of(const EstimateRow& row, std::span<double> values) const;
  // The same of one that was not, whose bound says what it is not better than; of what nobody
  // knows, anything.
  template <typename Least>
  void least_of(const Least& bound, std::span<double> values) const {
    bounds_of(bound, values);
    std::replace_if(
        values.begin(), values.end(), [](double value) { return std::isnan(value); },
        -std::numeric_limits<double>::infinity());
  }

 private:
  // `time_s()` and `figure(i)` of a point.
  template <typename Least>
  void bounds_of(const Least& bound, std::span<double> values) const {
    for (std::size_t i = 0; i < objectives.size(); ++i) {
      const ObjectiveSource& source = objectives[i];
      values[i] = source.objective.to_minimize(
          source.from == ObjectiveSource::From::axis   ? axis_value(source)
          : source.from == ObjectiveSource::From::time ? bound.time_s()
                                                       : stored(bound.figure(source.index)));
    }
  }
  double axis_value(const ObjectiveSource& source) const {
    return source.axis_values[static_cast<std::size_t>(axis_index[source.index])];
  }
  // As columns hold figures: values that differ may be the same there.
  static double stored(double figure) { return static_cast<float>(figure); }
};

// The row of the last estimate, which is ok, unless it misses a requirement; its values, as they
// are minimised, go to `values`.
template <typename Work>
bool append_found(const Work& work, const RunRows& to, PointId id,
                  const parallel::Strategy& strategy, std::span<double> values) {
  work.fill(to.row, to.figures);
  if (to.judge != nullptr && !to.judge->meets(to.run.axis_index, id, strategy, to.row, to.tally)) {
    return false;
  }
  to.search->values_of(to.row, values);
  to.search->incumbents.add(values);
  to.writer.append_estimate(id, strategy, to.row);
  return true;
}

}  // namespace scalesweep::study
