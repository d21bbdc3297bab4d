// Twins as tables.
#pragma once

#include <vector>

#include "cli/output/sheet.hpp"
#include "validation/twins.hpp"

namespace scalesweep::cli {

// For people, in 80 columns: time of derived over catalogued, what the catalogued device spends
// most time in and how much of it both, the largest difference of any share, watts of both.
Sheet twin_sheet(const std::vector<validation::Twin>& twins);

// The same for programs, every number in a column of its own: seconds, shares, watts.
Sheet twin_values_sheet(const std::vector<validation::Twin>& twins);

// What twins are compared in: model, devices, batch, tokens.
Sheet twin_works_sheet();

}  // namespace scalesweep::cli
