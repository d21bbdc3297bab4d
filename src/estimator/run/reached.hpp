// How long runs take beside how long they take if all goes well. Pure.
#pragma once

#include "technology/reliability.hpp"

namespace scalesweep::estimator {

// As multiples of the time that is estimated, failures included.
struct ReachedTimes {
  double middle = 0.0;  // 0: nobody knows
  double low = 0.0;     // two of three runs lie between them
  double high = 0.0;
  double reported = 0.0;  // of all of the time, what labs report beside failures

  bool is_known() const { return middle > 0.0; }
};

// As published runs were, and no narrower to either side of the middle than what is known of a step
// (relative_uncertainty; 0: nothing is).
ReachedTimes reached_times(const technology::Reliability& reliability, double step_uncertainty);

// Of a run that took so many times as long as estimated: how many error bars it is off the middle,
// in logarithms, each side by its own.
double bars_off(const ReachedTimes& reached, double times_estimated);

}  // namespace scalesweep::estimator
