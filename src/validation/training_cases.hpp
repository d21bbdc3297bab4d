// Measured training steps, read from a case file and held against the estimator.
//
// A case names a catalogued device, a model (or its shape), the layout and what was measured;
// tests/validation/README.md has the columns and their defaults.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/catalog.hpp"
#include "core/diagnostic.hpp"
#include "estimator/run/run_plan.hpp"
#include "estimator/training/training.hpp"
#include "validation/cases/case_figures.hpp"
#include "validation/cases/row_reader.hpp"
#include "validation/kinds/case_kind.hpp"
#include "validation/systems.hpp"

namespace scalesweep::validation {

struct TrainingCase {
  estimator::TrainingJob job;
  std::string framework;  // its name
  technology::System system;
  parallel::Strategy strategy;
  std::int64_t gpus = 0;
  double measured_step_s = 0.0;  // 0: not measured (ran out of memory)
  CaseFigures measured_figures;
  std::optional<estimator::RunPlan> run;  // of the whole run, where tokens say how long it was
  std::string not_modelled;               // why the estimator cannot take this case, "" if it can
};

// The columns without which there is no training case.
inline constexpr std::array<std::string_view, 6> training_columns = {
    "case", "device", "gpus", "seq", "global_batch", "micro_batch"};

// Nothing, with the mistakes reported, if the row cannot be read.
std::optional<TrainingCase> read_training_case(RowReader& row, const CaseDefaults& defaults);

}  // namespace scalesweep::validation
