// What faster resources save at points of a study, by its estimator: for analysis, which knows
// none.
#pragma once

#include <filesystem>

#include "analysis/verdict/why/savings.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

analysis::SavingsOf savings_in(const study::Study& study);

// Of a file, which is read when the first point is asked for. Nothing of a point where this version
// would compute others: of a file of another version, unfinished or put together of several.
analysis::SavingsOf savings_in(const std::filesystem::path& file);

}  // namespace scalesweep::cli
