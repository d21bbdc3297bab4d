// What every stage of a pipeline does when in one training step: the terms of the estimate, laid
// out by the schedule that it assumes.
#pragma once

#include <vector>

#include "estimator/explain/pipeline_schedule.hpp"
#include "estimator/training/estimate.hpp"

namespace scalesweep::estimator {

struct Setting;

// One phase of one pass, what hides behind other work left out; or what comes once a step.
struct TimelineSlice {
  Phase phase = Phase::forward;
  PassKind pass = PassKind::forward;
  int chunk = 0;
  int micro_batch = -1;  // -1: once a step
  double start_s = 0.0;
  double duration_s = 0.0;
};

// Whether two slices are parts of the same pass.
inline bool of_one_pass(const TimelineSlice& one, const TimelineSlice& other) {
  return one.pass == other.pass && one.chunk == other.chunk && one.micro_batch == other.micro_batch;
}

struct StepTimeline {
  // By stage, in the order of time; one does not overlap the next. Gaps are the bubble.
  std::vector<std::vector<TimelineSlice>> stages;
  double end_s = 0.0;
  // Of the estimate. Another one than the end where stages hold different numbers of layers, whose
  // turns the estimate sums as those of one stage.
  double step_s = 0.0;
};

// At the clock that the estimate settles at. Of a schedule that has_order().
StepTimeline step_timeline(const Setting& setting);

}  // namespace scalesweep::estimator
