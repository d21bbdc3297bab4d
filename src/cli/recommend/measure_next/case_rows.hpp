// A point of a study as a row of a case file, to be filled in with what was measured.
#pragma once

#include "analysis/verdict/verdict.hpp"
#include "cli/recommend/answer/layout_reader.hpp"
#include "study/study.hpp"
#include "technology/uncertainty.hpp"
#include "validation/measure/case_table.hpp"

namespace scalesweep::cli {

// Of training and serving: columns of tests/validation/README.md, those of what was measured
// (step_time_s, value) empty, and of a mix of requests their lengths. `open_requests`: of a
// service, in flight.
validation::CaseCells case_row(const study::Study& study, const study::Point& point,
                               double open_requests);

// How far estimates of its job were from measurements.
technology::Uncertainty uncertainty_of(const study::Study& study, const study::Point& point);

}  // namespace scalesweep::cli
