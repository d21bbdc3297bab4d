// One training step as it is drawn: what runs when on every stage, what a device holds meanwhile,
// and how both compare with the estimate.
#pragma once

#include <string>
#include <vector>

#include "estimator/explain/step_memory.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

struct StepDrawing {
  estimator::StepTimeline timeline;
  std::vector<estimator::StageMemory> memory;  // by stage
  std::size_t fullest = 0;                     // the stage whose devices hold most at their peak
  std::vector<std::string> notes;              // sentences
};

// Why the steps of a schedule cannot be drawn; "" where they can.
std::string drawing_problem(parallel::Schedule schedule);

// Of a training point that has an estimate, and a schedule without drawing_problem.
StepDrawing step_drawing(const study::Point& point);

}  // namespace scalesweep::cli
