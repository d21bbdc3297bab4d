// What is best: columns of a study, each better when it is smaller or larger. The same in a spec,
// on the command line and in a file.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace scalesweep::space {

enum class Direction : std::uint8_t { minimize, maximize };

// The keys of a spec, and with two dashes the options of commands, that name objectives; in the
// order in which they count where both are given.
struct ObjectiveWord {
  Direction direction;
  std::string_view word;
  std::string_view better;  // a value that is
};
inline constexpr std::array<ObjectiveWord, 2> objective_words = {
    {{Direction::minimize, "minimize", "smaller"}, {Direction::maximize, "maximize", "larger"}}};

constexpr const ObjectiveWord& word_of(Direction direction) {
  return objective_words[static_cast<std::size_t>(direction)];
}

struct Objective {
  std::string column;  // of the study, or an axis whose values are numbers
  Direction direction = Direction::minimize;

  // Of a value, so that less is better whichever way it is.
  double to_minimize(double value) const {
    return direction == Direction::maximize ? -value : value;
  }
  friend bool operator==(const Objective&, const Objective&) = default;
};

// The columns of objectives, in their order.
std::vector<std::string> columns_of(const std::vector<Objective>& objectives);

// As an identity has them: a line for each word that names some, "minimize: step_time\n".
std::string objective_lines(const std::vector<Objective>& objectives);

// What is wrong with an objective whose column says which values of it are `better` ("smaller",
// "larger", "": neither), and the way out; "" if nothing is. `dashes` stand before the words.
std::string direction_problem(const Objective& objective, std::string_view better,
                              std::string_view dashes = "");

}  // namespace scalesweep::space
