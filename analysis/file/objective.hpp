// What a frontier is about: objectives of a study, or others.
#pragma once

#include <string>
#include <vector>

#include "space/objective.hpp"
#include "store/read/table.hpp"

namespace scalesweep::store {
class StudyReader;
}

namespace scalesweep::analysis {

using space::columns_of;
using space::Direction;
using space::Objective;

// Those that the study names, else usual ones for what it is about.
std::vector<Objective> default_objectives(const store::StudyReader& reader);

// That somebody asks for: none may take the worst of a column for the best. Throws
// Failure(bad_input).
void check_directions(const store::Schema& schema, const std::vector<Objective>& objectives);

// "step_time, tokens_per_second (most)".
std::string words_of(const std::vector<Objective>& objectives);

}  // namespace scalesweep::analysis
