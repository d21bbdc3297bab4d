// One estimate of a diffusion model as tables.
#pragma once

#include <vector>

#include "cli/output/sheet.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

// Result, time by resource and phase, terms, memory, cost and carbon, the device. `point` has a
// system.
void add_diffusion_sheets(std::vector<Sheet>& sheets, const study::Study& study,
                          const study::Point& point, Format format);

// The terms alone, for CSV.
Sheet diffusion_terms(const study::Point& point);

}  // namespace scalesweep::cli
