// One estimate of answered requests as tables: what a static batch or a service does, and every
// operator of its iterations with what bounds it.
#pragma once

#include <vector>

#include "cli/output/sheet.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

// Result, time by resource and phase, operators of prompts and of next tokens (for programs each
// with its block), memory, device.
// `point` is one of inference or serving that has a system.
void add_answer_sheets(std::vector<Sheet>& sheets, const study::Point& point, Format format);

// The operators of both in one table, for CSV.
Sheet operators_sheet(const study::Point& point);

}  // namespace scalesweep::cli
