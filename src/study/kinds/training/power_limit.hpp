// Power limits that no clock keeps.
#pragma once

#include <string>

#include "core/quantity.hpp"
#include "estimator/training/estimate.hpp"

namespace scalesweep::study {

// What a device of a step takes beside its cores, and these at the slowest clock, against its
// limit, where that is more: nobody can run it there. "" where the limit is kept, or none (0).
std::string broken_power_limit(const estimator::TrainingEstimate& step, Watts limit,
                               Hertz full_clock);

}  // namespace scalesweep::study
