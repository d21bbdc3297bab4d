// The values of axes that rows have which take part.
#pragma once

#include <string>

#include "analysis/file/study_layout.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {

// Leaves those values of each axis that rows have where a condition (condition.hpp) holds, all
// where it holds nowhere, and fills StudyLayout::renumbered. Reads the axes of the whole study.
void keep_selected_values(StudyLayout& layout, const store::StudyReader& reader,
                          const std::string& where);

}  // namespace scalesweep::analysis
