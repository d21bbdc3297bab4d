// What is told of a whole run of training.
#pragma once

#include <vector>

#include "cli/output/sheet.hpp"
#include "estimator/training/estimate.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

// Of the point, the time of writing a checkpoint over the interval that is asked for; 0 where none
// is.
double checkpoint_over_interval(const study::Point& point);

// What it comes to, what its time goes into, and what fails; nothing where only a step is asked
// for. `step` is of the point.
void add_run_sheets(std::vector<Sheet>& sheets, const study::Point& point,
                    const estimator::TrainingEstimate& step);

}  // namespace scalesweep::cli
