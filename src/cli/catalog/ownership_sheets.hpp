// Cost and carbon of one estimate as tables.
#pragma once

#include <vector>

#include "cli/output/sheet.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

// What making a device takes, what is bought with it, and what a step uses up of it. Nothing where
// the catalog does not know what the device takes.
void add_ownership_sheets(std::vector<Sheet>& sheets, const study::Point& point,
                          const estimator::TrainingEstimate& estimate);

}  // namespace scalesweep::cli
