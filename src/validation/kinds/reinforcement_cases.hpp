// Measured iterations of reinforcement learning, read from a case file and held against the
// estimator; tests/validation/README.md has the columns and their defaults.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "estimator/reinforcement/reinforcement.hpp"
#include "parallel/enumerate.hpp"
#include "validation/cases/row_reader.hpp"
#include "validation/kinds/case_kind.hpp"
#include "validation/systems.hpp"

namespace scalesweep::validation {

struct ReinforcementCase {
  estimator::ReinforcementJob job;
  std::string framework;  // names, of training and of rollouts
  std::string rollout_framework;
  technology::System system;
  parallel::StrategyRules layouts;    // of training, of which the fastest that fits is taken
  std::int64_t trainers = 1;          // devices
  std::optional<double> iteration_s;  // measured
};

// The columns without which there is no such case.
inline constexpr std::array<std::string_view, 7> reinforcement_columns = {
    "case", "device", "gpus", "model", "prompts", "prompt", "output"};

// Nothing, with the mistakes reported, if the row cannot be read.
std::optional<ReinforcementCase> read_reinforcement_case(RowReader& row,
                                                         const CaseDefaults& defaults);

// Publishers say neither micro-batches nor what is recomputed.
estimator::ReinforcementEstimate best_of(const ReinforcementCase& c);

const CaseKind& reinforcement_cases();

}  // namespace scalesweep::validation
