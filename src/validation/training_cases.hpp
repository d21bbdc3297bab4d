// Measured training steps, read from a case file and held against the estimator.
//
// A case names a catalogued device, a model (or its shape), the layout and what was measured;
// tests/validation/README.md has the columns and their defaults.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "core/diagnostic.hpp"
#include "estimator/training.hpp"
#include "validation/statistics.hpp"

namespace scalesweep::validation {

struct TrainingCase {
  std::string name;
  std::string source;
  estimator::TrainingJob job;
  technology::System system;
  parallel::Strategy strategy;
  double measured_step_s = 0.0;  // 0: not measured (ran out of memory)
  std::string not_modelled;      // why the estimator cannot take this case, "" if it can
};

// Every row that can be read; mistakes in the others go to `diagnostics` with line and column.
// `framework` is what rows run on that do not name one.
std::vector<TrainingCase> read_training_cases(const std::string& file, const std::string& text,
                                              const catalog::Catalog& catalog,
                                              const workload::Framework& framework,
                                              Diagnostics& diagnostics);

struct CaseResult {
  const TrainingCase* measured = nullptr;
  std::optional<estimator::TrainingEstimate> estimate;  // nothing where not modelled

  // predicted / measured - 1; nothing unless both are there.
  std::optional<double> error() const;
};

std::vector<CaseResult> evaluate(const std::vector<TrainingCase>& cases);
ErrorStatistics step_time_statistics(const std::vector<CaseResult>& results);

}  // namespace scalesweep::validation
