// Measured inference, read from a case file and held against the estimator.
//
// A case names a catalogued device and model, the layout, the batch or the number of open requests
// and what was measured; tests/validation/README.md has the columns and their defaults.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/catalog.hpp"
#include "estimator/inference/service/serving.hpp"
#include "technology/uncertainty.hpp"
#include "validation/cases/case_figures.hpp"
#include "validation/cases/case_sources.hpp"
#include "validation/cases/row_reader.hpp"
#include "validation/kinds/case_kind.hpp"
#include "validation/systems.hpp"

namespace scalesweep::validation {

struct InferenceCase {
  estimator::InferenceJob job;
  std::string framework;  // its name
  technology::System system;
  parallel::Strategy strategy;
  InferenceMetric metric = InferenceMetric::latency;
  // Open requests of an engine that keeps its batch filled, all replicas; 0: a batch.
  double concurrency = 0.0;
  // Devices of their own for prompts, beside those of the strategy.
  std::optional<estimator::PrefillDevices> prefill;
  // The source counts tokens per second from the first token on.
  bool rate_without_prompt = false;
  // Prompts go in iterations of their own.
  bool separate_prompts = false;
  estimator::Lengths lengths = estimator::Lengths::drawn;  // of a closed loop
  // Of each open request so many are answered, the first of all at once; 0: of a steady state.
  double requests_each = 0.0;
  // Times per token are medians of those between two tokens.
  bool median_gap = false;
  std::string group;  // of the source and metric, as targets are set for them; "" for none
  std::int64_t gpus = 0;
  std::optional<double> measured;  // in the unit of the metric
  CaseFigures measured_figures;
  std::string not_modelled;  // why the estimator cannot take this case, "" if it can
};

// The columns without which there is no inference case.
inline constexpr std::array<std::string_view, 5> inference_columns = {
    "case", "device", "metric", "prompt_tokens", "output_tokens"};

// Nothing, with the mistakes reported, if the row cannot be read.
std::optional<InferenceCase> read_inference_case(RowReader& row, const CaseDefaults& defaults);

struct InferencePrediction {
  std::optional<double> value;        // in the unit of the metric
  double relative_uncertainty = 0.0;  // of the time; 0: not known
  technology::Traits traits;          // that it heeds
  estimator::InferenceMemory memory;
  estimator::RequestCounts requests;
  bool fits = false;
  std::string bottleneck;
  double device_power_w = 0.0;
  // Of the running engine: from start to last token of a batch, of the steady state where requests
  // follow each other. Prompts are part of both.
  CaseFigures figures;
};

// Tokens that all devices process in the time that the metric is of; of a rate, in a second: 0, as
// none is told.
double tokens_of(const InferenceCase& c);

InferencePrediction predict(const InferenceCase& c);

}  // namespace scalesweep::validation
