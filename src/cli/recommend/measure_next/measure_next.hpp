// For each answer which step, kernels or collectives would narrow it most
// (src/reduce/measurement_value.hpp):
//
// - A step of a layout that is measured is known, and so is what others have in common with it.
// - Kernels of a device of which none were measured: what that adds to its error bars is gone.
// Those
//   of another device are off by kernel_error, all alike; steps move with them by the share of
//   their time that kernels have, and the choice only where layouts differ in it.
// - Collectives likewise, by collective_error.
#pragma once

#include "cli/recommend/answer/answer.hpp"
#include "store/read/reader.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

// Fills in Answer::measure_next of each that has a layout. Error bars must be known.
void add_measurements(const store::StudyReader& reader, const study::Study& study,
                      Answers& answers);

}  // namespace scalesweep::cli
