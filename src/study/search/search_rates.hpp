// Rows of the points of a run that may stay, where figures follow from the rate that a point
// serves: of each point the best so far ask for a rate, and its estimate ends where it shows that
// less is served.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "estimator/inference/bounds/least_energy.hpp"
#include "study/kinds/point_estimator.hpp"
#include "study/search/search.hpp"

namespace scalesweep::study {

// estimate() with a rate that is asked for settles the status, or nothing where the point serves
// less or is not ok: pruned_status. What does not fit has its own. figure_at_rate() says what a
// figure is not better than where so many requests are served and take so much energy, or more.
template <typename Work>
concept HasRates = requires(Work& work, const Work& known, const parallel::Strategy& strategy,
                            const JobFigures& figures, const estimator::AskedRate& asked,
                            const estimator::LeastEnergy& energy) {
  { work.estimate(strategy, asked) } -> std::same_as<std::optional<Status>>;
  { known.figure_at_rate(figures, double{}, energy, std::size_t{}) } -> std::same_as<double>;
};

template <HasRates Work>
class RateSearcher {
 public:
  RateSearcher(Work& work, const RunRows& to)
      : work_(work), to_(to), values_(to.search->objectives.size()) {}

  // How many rows there are now more.
  std::size_t append_rows() {
    const estimator::AskedRate asked = [this](const estimator::LeastEnergy& energy) {
      return asked_rate(energy);
    };
    for (PointId id = to_.ids.first; id < to_.ids.last; ++id) {
      const std::size_t index = to_.place_of(id);
      const parallel::Strategy& strategy = to_.run.strategies[index];
      if (!to_.filters.passes(to_.run, index)) {
        to_.count(Status::filtered);
      } else if (const std::optional<Status> status = work_.estimate(strategy, asked)) {
        add_estimated(id, strategy, *status);
      } else {
        to_.count(Work::pruned_status);
        ++to_.search->skipped;
      }
    }
    return appended_;
  }

 private:
  static constexpr double slowest_rate = 1e-12;  // requests a second
  static constexpr double fastest_rate = 1e15;
  static constexpr int halvings = 40;  // of that range, in logarithms

  bool can_be_kept(double request_rate, const estimator::LeastEnergy& energy) {
    struct Least {
      const Work& work;
      const JobFigures& figures;
      double request_rate;
      const estimator::LeastEnergy& energy;
      // No objective is the time of a service.
      double time_s() const { return -std::numeric_limits<double>::infinity(); }
      double figure(std::size_t i) const {
        return work.figure_at_rate(figures, request_rate, energy, i);
      }
    };
    to_.search->least_of(Least{work_, to_.figures, request_rate, energy}, values_);
    return to_.search->incumbents.can_be_kept(values_);
  }

  // The highest rate that is too low to stay; infinite where none is enough.
  double asked_rate(const estimator::LeastEnergy& energy) {
    if (can_be_kept(slowest_rate, energy)) {
      return 0.0;
    }
    if (!can_be_kept(fastest_rate, energy)) {
      return std::numeric_limits<double>::infinity();
    }
    double low = std::log2(slowest_rate);
    double high = std::log2(fastest_rate);
    for (int i = 0; i < halvings; ++i) {
      const double middle = 0.5 * (low + high);
      (can_be_kept(std::exp2(middle), energy) ? high : low) = middle;
    }
    return std::exp2(low);
  }

  void add_estimated(PointId id, const parallel::Strategy& strategy, Status status) {
    to_.count(status);
    if (status == Status::ok) {
      appended_ += append_found(work_, to_, id, strategy, values_) ? 1U : 0U;
    } else if (has_estimate(status, Work::statuses)) {
      to_.record_shortfall(status, work_.nearest(to_.figures));
    }
  }

  Work& work_;
  const RunRows& to_;
  std::vector<double> values_;  // of the point that was asked about last
  std::size_t appended_ = 0;
};

}  // namespace scalesweep::study
