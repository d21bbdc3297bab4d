// A training log of Megatron-LM: arguments, then a line for each iteration.
#pragma once

#include <optional>
#include <string>

#include "validation/measure/logs.hpp"

namespace scalesweep::cli {

// One row of a case file of training steps. `vocab`: where the log does not say it. Throws
// Failure(bad_input) where there are no arguments or no times.
validation::LogRows read_training_log(const validation::Log& log, std::int64_t vocab);

}  // namespace scalesweep::cli
