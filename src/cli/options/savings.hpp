// What faster resources save at points of a study, by its estimator: for analysis, which knows
// none.
#pragma once

#include <filesystem>

#include "analysis/verdict/why/savings.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

analysis::SavingsOf savings_in(const study::Study& study);

// Of a file, whose study is read when the first of its points is asked for; of a union each of its
// studies. Nothing of a point where this version would compute others: of a study of another
// version, or unfinished.
analysis::SavingsOf savings_in(const std::filesystem::path& file);

}  // namespace scalesweep::cli
