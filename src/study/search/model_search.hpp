// The best places of a grid where nothing is known of a place before it is looked at: a model of
// those that were says where looking pays most, until it expects that it does not any more
// (efficient global optimization: Jones, Schonlau and Welch 1998, sections 4 and 5). Of several
// values in turn different mixtures of them (ParEGO: J. Knowles, IEEE Transactions on Evolutionary
// Computation 10(1), 2006, eq. 2). What it says of the others is an expectation, no proof.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "study/search/climb.hpp"

namespace scalesweep::study {

// Looks at a place: the values of what is there, as they are minimised, of several those that none
// of the others is better in; empty where nothing is.
using LookAt = std::function<std::vector<std::vector<double>>(const GridPlace& place)>;

struct PlacesSearched {
  std::int64_t places = 0;  // looked at
  // Of one value, what that of no other place is expected to be below, by two standard deviations
  // of the model at the most promising of some thousand; infinity where all were looked at. Of
  // several, and without a model, -infinity: nobody knows.
  double least_left = std::numeric_limits<double>::infinity();
};

// `sizes`: places along each axis; `values`: how many there are of each point. Ends where less than
// `tolerance` of the best is expected to be won, or `most` places were looked at. The same in every
// run.
PlacesSearched search_by_model(std::span<const std::int32_t> sizes, std::size_t values,
                               const LookAt& look_at, double tolerance, std::int64_t most);

// From the middle to whatever is better in the first value; where nothing is in the middle, from
// one of some thousand places, evenly spread, where something is.
PlacesSearched search_by_climbing(std::span<const std::int32_t> sizes, const LookAt& look_at,
                                  std::int64_t most);

}  // namespace scalesweep::study
