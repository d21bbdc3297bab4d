// What a frontier is about: columns of a study, each better when it is smaller or larger.
#pragma once

#include <string>

namespace scalesweep::analysis {

enum class Direction { minimize, maximize };

struct Objective {
  std::string column;  // of the study, or an axis whose values are numbers
  Direction direction = Direction::minimize;

  friend bool operator==(const Objective&, const Objective&) = default;
};

}  // namespace scalesweep::analysis
