// Measured batches of diffusion models, made or trained on, read from a case file and held against
// the estimator.
//
// A case names a catalogued device and model, what comes out, the layout and what was measured;
// tests/validation/README.md has the columns and their defaults.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "estimator/diffusion/job.hpp"
#include "parallel/strategy.hpp"
#include "validation/cases/row_reader.hpp"
#include "validation/kinds/case_kind.hpp"
#include "validation/systems.hpp"

namespace scalesweep::validation {

struct DiffusionCase {
  estimator::DiffusionJob job;
  std::string framework;  // its name
  technology::System system;
  parallel::Strategy strategy;
  std::int64_t gpus = 0;
  std::optional<double> batch_s;  // measured, the whole batch
};

// The columns without which there is no such case.
inline constexpr std::array<std::string_view, 7> diffusion_columns = {
    "case", "device", "gpus", "diffusion_model", "width", "height", "batch"};

// Nothing, with the mistakes reported, if the row cannot be read.
std::optional<DiffusionCase> read_diffusion_case(RowReader& row, const CaseDefaults& defaults);

const CaseKind& diffusion_cases();

}  // namespace scalesweep::validation
