// Measured batches of recommendation models, read from a case file and held against the estimator.
//
// A case names a catalogued device and model, the samples, where tables are and what was measured;
// tests/validation/README.md has the columns and their defaults.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "estimator/recommendation/recommendation.hpp"
#include "parallel/strategy.hpp"
#include "validation/cases/row_reader.hpp"
#include "validation/kinds/case_kind.hpp"
#include "validation/systems.hpp"

namespace scalesweep::validation {

struct RecommendationCase {
  estimator::RecommendationJob job;
  std::string framework;  // its name
  technology::System system;
  parallel::Strategy strategy;
  std::int64_t gpus = 0;
  std::optional<double> samples_per_s;  // measured, of all devices
};

// The columns without which there is no such case.
inline constexpr std::array<std::string_view, 5> recommendation_columns = {"case", "device", "gpus",
                                                                           "recommender", "batch"};

// Nothing, with the mistakes reported, if the row cannot be read.
std::optional<RecommendationCase> read_recommendation_case(RowReader& row,
                                                           const CaseDefaults& defaults);

const CaseKind& recommendation_cases();

}  // namespace scalesweep::validation
