// Memory of weights where some linear layers have formats of their own.
#pragma once

#include "estimator/inference/job.hpp"
#include "estimator/parts/stages.hpp"

namespace scalesweep::estimator {

// What the layers of a stage take on a device beside what they would in the format of most linear
// layers; below 0 where they take less.
double apart_bytes(const InferenceJob& job, const workload::TransformerModel& model,
                   const parallel::Strategy& strategy, const StageShare& share);

}  // namespace scalesweep::estimator
