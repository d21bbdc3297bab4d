// Rows of the points of a run that can be kept, found by lower bounds, for kinds of work that have
// some.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

#include "study/kinds/point_estimator.hpp"
#include "study/search/search.hpp"

namespace scalesweep::study {

// `settle` settles the status of strategies[index], as estimate() would, without estimating it; of
// one that is not ok, settled_shortfall() says how near it came. `survey` finds all that are ok,
// from the least `step_s` on. Of such a one least_time_s() and least_figure() say what its estimate
// is not better than: after `coarse_bound` from what `survey` found, at once; after `quick_bound`
// nearer; after `tight_bound` as near as it gets. After `bound_of_rest` they say what neither it
// nor any that `survey` has behind it is better than, in what grows with time.
template <typename Work>
concept HasBounds = requires(Work& work, const Work& looked,
                             std::span<const parallel::Strategy> strategies,
                             const JobFigures& figures) {
  { work.settle(strategies, std::size_t{}) } -> std::same_as<Status>;
  { looked.settled_shortfall(figures) } -> std::same_as<double>;
  { work.survey(strategies).front().index } -> std::convertible_to<std::size_t>;
  { work.coarse_bound(strategies, work.survey(strategies).front()) } -> std::same_as<void>;
  { work.bound_of_rest(strategies, work.survey(strategies).front()) } -> std::same_as<void>;
  { work.quick_bound(strategies, std::size_t{}) } -> std::same_as<void>;
  { work.tight_bound(strategies, std::size_t{}) } -> std::same_as<void>;
  { looked.least_time_s() } -> std::same_as<double>;
  { looked.least_figure(figures, std::size_t{}) } -> std::same_as<double>;
};

// Of the point that was looked at last (RunSearch::least_of).
template <typename Work>
void read_bounds(const Work& work, const JobFigures& figures, const RunSearch& search,
                 std::span<double> values) {
  struct Least {
    const Work& work;
    const JobFigures& figures;
    double time_s() const { return work.least_time_s(); }
    double figure(std::size_t i) const { return work.least_figure(figures, i); }
  };
  search.least_of(Least{work, figures}, values);
}

// Candidates, with their lower bounds.
struct Candidates {
  explicit Candidates(std::size_t objectives) : width(objectives) {}

  std::size_t width;
  std::vector<std::size_t> indices;  // of their strategies
  std::vector<double> least;         // `width` values of each, as they are minimised

  std::span<const double> least_of(std::size_t i) const { return {&least[i * width], width}; }
  void add(std::size_t index, std::span<const double> values) {
    indices.push_back(index);
    least.insert(least.end(), values.begin(), values.end());
  }
  void clear() {
    indices.clear();
    least.clear();
  }
  // By the first objective, ties in the order of their ids.
  std::vector<std::size_t> best_first() const {
    std::vector<std::size_t> order(indices.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return std::tie(least[a * width], indices[a]) < std::tie(least[b * width], indices[b]);
    });
    return order;
  }
};

// The search through one run: what it goes along, and what it has found.
template <HasBounds Work>
class RunSearcher {
 public:
  RunSearcher(Work& work, const RunRows& to)
      : work_(work),
        to_(to),
        strategies_(to.run.strategies),
        first_(to.place_of(to.ids.first)),
        values_(to.search->objectives.size()),
        candidates_(values_.size()) {}

  // How many rows there are now more, in the order in which they were found.
  std::size_t append_rows() {
    const std::int64_t feasible = count_all();
    if (feasible > 0) {
      follow(work_.survey(strategies_));
    }
    const std::int64_t left = feasible - estimated_;
    to_.search->skipped += left;
    if (to_.judge != nullptr) {
      to_.judge->leave(left, to_.tally);
    }
    return appended_;
  }

 private:
  // So many are looked at before the best of them are estimated: enough that a good one is among
  // them, few beside all.
  static constexpr std::size_t most_candidates = 32;

  // Memory and power settle the status of every point. Returns how many are ok.
  std::int64_t count_all() {
    const auto points = static_cast<std::size_t>(to_.ids.size());
    if (!to_.filters.empty()) {
      accepted_.resize(points);
    }
    std::int64_t feasible = 0;
    for (PointId id = to_.ids.first; id < to_.ids.last; ++id) {
      const std::size_t index = to_.place_of(id);
      if (!accepted_.empty()) {
        accepted_[index - first_] = to_.filters.passes(to_.run, index);
        if (!accepted_[index - first_]) {
          to_.count(Status::filtered);
          continue;
        }
      }
      const Status status = work_.settle(strategies_, index);
      to_.count(status);
      if (status == Status::ok) {
        ++feasible;
        continue;
      }
      if (has_estimate(status, Work::statuses)) {
        to_.record_shortfall(status, work_.settled_shortfall(to_.figures));
      }
      if (status != Status::does_not_fit) {  // which no survey has
        accepted_.resize(points, 1);
        accepted_[index - first_] = 0;
      }
    }
    return feasible;
  }

  bool is_asked_for(std::size_t index) const {
    const std::size_t place = index - first_;  // wraps around before the first
    return place < static_cast<std::size_t>(to_.ids.size()) &&
           (accepted_.empty() || accepted_[place] != 0);
  }

  // Of the point that was looked at.
  void take_bounds() { read_bounds(work_, to_.figures, *to_.search, values_); }
  bool can_be_kept() {
    take_bounds();
    return to_.search->incumbents.can_be_kept(values_);
  }

  // From the fastest on, until neither a point nor any after it may stay.
  template <typename Steps>
  void follow(const Steps& steps) {
    const bool ends_early = to_.search->grow_with_time();
    for (const auto& step : steps) {
      if (!is_asked_for(step.index)) {
        continue;
      }
      if (ends_early) {
        work_.bound_of_rest(strategies_, step);
        if (!can_be_kept()) {
          break;
        }
      }
      work_.coarse_bound(strategies_, step);
      if (can_be_kept()) {
        look_at(step.index);
      }
    }
    estimate_candidates();
  }

  void look_at(std::size_t index) {
    work_.quick_bound(strategies_, index);
    if (can_be_kept()) {
      candidates_.add(index, values_);
    }
    if (candidates_.indices.size() == most_candidates) {
      estimate_candidates();
    }
  }

  void estimate_candidates() {
    for (const std::size_t i : candidates_.best_first()) {
      if (to_.search->incumbents.can_be_kept(candidates_.least_of(i))) {
        work_.tight_bound(strategies_, candidates_.indices[i]);
        if (can_be_kept()) {
          estimate(candidates_.indices[i]);
        }
      }
    }
    candidates_.clear();
  }

  void estimate(std::size_t index) {
    estimate_of(work_, strategies_, index, Rows::feasible);
    ++estimated_;
    const bool is_found =
        append_found(work_, to_, to_.ids.first + static_cast<PointId>(index - first_),
                     strategies_[index], values_);
    appended_ += is_found ? 1U : 0U;
  }

  Work& work_;
  const RunRows& to_;
  std::span<const parallel::Strategy> strategies_;
  std::size_t first_;                   // of the strategies that are asked for
  std::vector<std::uint8_t> accepted_;  // by place among these; empty: all pass
  std::vector<double> values_;          // of the point that was looked at last
  Candidates candidates_;
  std::int64_t estimated_ = 0;
  std::size_t appended_ = 0;
};

// How many rows there are now more, in the order in which they were found.
template <HasBounds Work>
std::size_t search_rows(Work& work, const RunRows& to) {
  return RunSearcher<Work>(work, to).append_rows();
}

}  // namespace scalesweep::study
