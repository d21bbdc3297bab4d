// Rows of the points of a run that may stay, found from bounds. For kinds of work that have some.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "study/kinds/point_estimator.hpp"
#include "study/search/search.hpp"

namespace scalesweep::study {

// `look` settles the status of strategies[i], as estimate() would, without estimating one that is
// ok; of such a one least_time_s() and least_figure() then say what its estimate is not better
// than, where the energy may be left open, and of others looked_nearest() how near they came.
// `look_closer` takes longer, and the bounds are as near or nearer.
template <typename Work>
concept HasBounds = requires(Work& work, const Work& looked,
                             std::span<const parallel::Strategy> strategies,
                             const JobFigures& figures) {
  { work.look(strategies, std::size_t{}) } -> std::same_as<Status>;
  { work.look_closer(strategies, std::size_t{}) } -> std::same_as<void>;
  { looked.looked_nearest(figures) } -> std::same_as<double>;
  { looked.least_time_s() } -> std::same_as<double>;
  { looked.least_figure(figures, std::size_t{}) } -> std::same_as<double>;
};

// Those that are ok and pass the filters, and what they are not better than.
struct Candidates {
  explicit Candidates(std::size_t objectives) : width(objectives) {}

  std::size_t width;
  std::vector<PointId> ids;
  std::vector<double> least;  // `width` values of each, as they are minimised

  std::span<const double> least_of(std::size_t i) const { return {&least[i * width], width}; }
  // By the first objective, ties in the order of their ids.
  std::vector<std::size_t> best_first() const {
    std::vector<std::size_t> order(ids.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return least[a * width] < least[b * width];
    });
    return order;
  }
};

// What the point that was looked at is not better than.
template <HasBounds Work>
void take_bounds(const Work& work, const RunRows& to, std::span<double> least) {
  struct Least {
    const Work& work;
    const JobFigures& figures;
    double time_s() const { return work.least_time_s(); }
    double figure(std::size_t i) const { return work.least_figure(figures, i); }
  };
  to.search->bounds_of(Least{work, to.figures}, least);
  std::replace_if(
      least.begin(), least.end(), [](double value) { return std::isnan(value); },
      -std::numeric_limits<double>::infinity());
}

template <HasBounds Work>
Candidates look_at_all(Work& work, const RunRows& to) {
  Candidates candidates(to.search->objectives.size());
  for (PointId id = to.ids.first; id < to.ids.last; ++id) {
    const std::size_t index = to.place_of(id);
    const Status status =
        to.filters.passes(to.run, index) ? work.look(to.run.strategies, index) : Status::filtered;
    to.count(status);
    if (status == Status::ok) {
      if (to.search->rests_on_energy()) {
        work.look_closer(to.run.strategies, index);
      }
      candidates.ids.push_back(id);
      candidates.least.resize(candidates.least.size() + candidates.width);
      take_bounds(work, to, std::span(candidates.least).last(candidates.width));
    } else if (has_estimate(status, Work::statuses)) {
      to.came_near(status, work.looked_nearest(to.figures));
    }
  }
  return candidates;
}

// How many rows there are now more, in the order in which they were found.
template <HasBounds Work>
std::size_t search_rows(Work& work, const RunRows& to) {
  const Candidates candidates = look_at_all(work, to);
  std::vector<double> values(candidates.width);
  std::size_t appended = 0;
  for (const std::size_t i : candidates.best_first()) {
    const Incumbents& incumbents = to.search->incumbents;
    if (!incumbents.may_stay(candidates.least_of(i))) {
      continue;
    }
    const PointId id = candidates.ids[i];
    const std::size_t index = to.place_of(id);
    work.look_closer(to.run.strategies, index);
    take_bounds(work, to, values);
    if (!incumbents.may_stay(values)) {
      continue;
    }
    const parallel::Strategy& strategy = to.run.strategies[index];
    work.estimate(strategy, Rows::feasible);
    work.fill(to.row, to.figures);
    to.search->values_of(to.row, values);
    to.search->incumbents.add(values);
    to.writer.append_estimate(id, strategy, to.row);
    ++appended;
  }
  to.search->skipped += static_cast<std::int64_t>(candidates.ids.size() - appended);
  return appended;
}

}  // namespace scalesweep::study
