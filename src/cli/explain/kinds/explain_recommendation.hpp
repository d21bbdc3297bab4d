// One estimate of a recommendation model as tables.
#pragma once

#include <vector>

#include "cli/output/sheet.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

// Result, time by resource and phase, terms, tables of the busiest device, memory, energy, cost and
// carbon, the device. `point` has a system.
void add_recommendation_sheets(std::vector<Sheet>& sheets, const study::Study& study,
                               const study::Point& point, Format format);

// The terms alone, for CSV.
Sheet recommendation_terms(const study::Point& point);

}  // namespace scalesweep::cli
