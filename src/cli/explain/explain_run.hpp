// What is told of a whole run of training.
#pragma once

#include <optional>
#include <vector>

#include "cli/output/sheet.hpp"
#include "estimator/run/whole_run.hpp"
#include "estimator/training/estimate.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

// Of a point whose whole run is asked for; nothing of others.
std::optional<estimator::RunEstimator> runs_of(const study::Point& point);

// What it comes to, what its time goes into, and what fails; nothing where only a step is asked
// for. `step` is of the point, and so are `runs`.
void add_run_sheets(std::vector<Sheet>& sheets, const study::Point& point,
                    const estimator::TrainingEstimate& step,
                    const std::optional<estimator::RunEstimator>& runs);

}  // namespace scalesweep::cli
