// By how much one value is worse than the best, and whether that is more than the error bars.
#pragma once

#include "analysis/file/objective.hpp"
#include "analysis/frontier/error_bars.hpp"
#include "analysis/verdict/verdict.hpp"

namespace scalesweep::analysis {

// The part of the best value by which another is worse: 0.1 is 10 % more of what is minimised, 10 %
// less of what is maximised. Without a positive best there are no parts: 0 for equal values, else
// infinite.
double gap_of(double value, double best, Direction direction);

// What `follows` has of the error bar of the time: 0 where it is taken as certain.
double error_bar_of(double time_error, FollowsTime follows);

// Both with their error bars, as relative errors of the values; of different points they are taken
// as independent, as beyond_doubt of frontiers does. Nothing is beyond doubt of a point of which
// something was measured nowhere: how far such are off is known from others alone.
Standing standing_of(const Contender& other, const Contender& best, FollowsTime follows,
                     Direction direction);

}  // namespace scalesweep::analysis
