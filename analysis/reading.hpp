// What a reader of results should know about how much of a study they are made of.
#pragma once

#include <string>
#include <vector>

#include "store/reader.hpp"

namespace scalesweep::analysis {

// Sentences without a full stop; empty for a finished study.
std::vector<std::string> reading_notes(const store::StudyReader& reader);

}  // namespace scalesweep::analysis
