// What no strategy is better than on any system between some: from bounds, from far to near.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "study/kinds/point_estimator.hpp"
#include "study/search/search_rows.hpp"

namespace scalesweep::study {

// `Work` is of the fastest system of the envelope; as HasBounds says, and the same two looks at all
// systems of an envelope.
template <typename Work>
void least_within(Work& work, const EnvelopeRun& of, std::span<double> least) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> values(least.size());
  std::fill(least.begin(), least.end(), infinity);
  const bool ends_early = of.search.grow_with_time();
  for (const auto& step : work.survey(of.strategies)) {
    work.coarse_bound(of.strategies, step, of.envelope);
    read_bounds(work, of.figures, of.search, values);
    const bool may_lower = !std::equal(values.begin(), values.end(), least.begin(),
                                       [](double value, double known) { return value >= known; });
    if (!may_lower && ends_early) {
      return;
    }
    if (may_lower) {
      work.tight_bound(of.strategies, step.index, of.envelope);
      read_bounds(work, of.figures, of.search, values);
      std::transform(values.begin(), values.end(), least.begin(), least.begin(),
                     [](double value, double known) { return std::min(value, known); });
    }
  }
}

}  // namespace scalesweep::study
