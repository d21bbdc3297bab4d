// What a frontier is about: columns of a study, each better when it is smaller or larger.
#pragma once

#include <string>
#include <vector>

namespace scalesweep::store {
class StudyReader;
}

namespace scalesweep::analysis {

enum class Direction { minimize, maximize };

struct Objective {
  std::string column;  // of the study, or an axis whose values are numbers
  Direction direction = Direction::minimize;

  friend bool operator==(const Objective&, const Objective&) = default;
};

// Those that the study names, else usual ones for what it is about.
std::vector<Objective> default_objectives(const store::StudyReader& reader);

// The columns of objectives, in their order.
std::vector<std::string> columns_of(const std::vector<Objective>& objectives);
// "step_time, tokens_per_second (most)".
std::string words_of(const std::vector<Objective>& objectives);

}  // namespace scalesweep::analysis
