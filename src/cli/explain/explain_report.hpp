// One estimate as tables.
#pragma once

#include <vector>

#include "cli/output/sheet.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

// Configuration, step by resource and phase, terms, memory, energy, cost and carbon, and the device
// with the values it was derived by. For CSV: the terms alone.
std::vector<Sheet> explain_sheets(const study::Study& study, const study::Point& point,
                                  Format format);

}  // namespace scalesweep::cli
