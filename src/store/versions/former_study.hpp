// A study that format version 1 or 2 wrote, as if this version had written it.
#pragma once

#include "store/read/study_file.hpp"

namespace scalesweep::store {

// The first version with the names of former_names.hpp, and with JSON where there were sentences.
constexpr std::int64_t version_of_names = 3;

// What a file of its version says, as this version writes it: names of columns and statuses, and
// texts that programs read. Its rows stay what they are, and so does `version`.
void use_present_names(StudyDescription& study);

}  // namespace scalesweep::store
