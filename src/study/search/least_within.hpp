// What no strategy is better than on any system between some: from bounds, from far to near.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "study/kinds/point_estimator.hpp"
#include "study/search/search.hpp"

namespace scalesweep::study {

// `Work` is of the fastest system of the envelope; as HasBounds says, and the same two looks at all
// systems of an envelope.
template <typename Work>
void least_within(Work& work, const EnvelopeRun& of, std::span<double> least) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  struct Looked {
    const Work& work;
    const JobFigures& figures;
    double time_s() const { return work.least_time_s(); }
    double figure(std::size_t i) const { return work.least_figure(figures, i); }
  };
  std::vector<double> values(least.size());
  const auto take_bounds = [&] {
    of.search.bounds_of(Looked{work, of.figures}, values);
    std::replace_if(
        values.begin(), values.end(), [](double value) { return std::isnan(value); }, -infinity);
  };
  std::fill(least.begin(), least.end(), infinity);
  const bool ends_early = of.search.grow_with_time();
  for (const auto& step : work.survey(of.strategies)) {
    work.look_far(of.strategies, step, of.envelope);
    take_bounds();
    const bool may_lower = !std::equal(values.begin(), values.end(), least.begin(),
                                       [](double value, double known) { return value >= known; });
    if (!may_lower && ends_early) {
      return;
    }
    if (may_lower) {
      work.look_closer(of.strategies, step.index, of.envelope);
      take_bounds();
      std::transform(values.begin(), values.end(), least.begin(), least.begin(),
                     [](double value, double known) { return std::min(value, known); });
    }
  }
}

}  // namespace scalesweep::study
