// Sessions of several turns: people who chat, agents that call tools. The prompt of each turn is
// all that was said before it and what is added.
#pragma once

#include <cstdint>

#include "core/enum_names.hpp"

namespace scalesweep::estimator {

// How many turns a session has: as many as are said, or after each turn another one with the same
// probability, so that they are a mean.
enum class TurnsLaw : std::uint8_t { fixed, geometric };
inline constexpr auto turns_law_names = enum_names<TurnsLaw>("fixed", "geometric");

struct SessionLaw {
  double turns = 0.0;  // a mean; 0: requests stand alone
  TurnsLaw law = TurnsLaw::fixed;
  double prompt = 0.0;       // tokens of the first turn
  double output = 0.0;       // tokens of each turn
  double turn_tokens = 0.0;  // that a user or a tool adds before each turn but the first
  double shared = 0.0;       // tokens of the prompt that all sessions begin with
  double think_s = 0.0;      // from an answer to the next turn, a mean (exponential)

  bool on() const { return turns > 0.0; }
  // A mean over turns: none behind the last one of a session.
  double think_of_turn_s() const { return on() ? think_s * (turns - 1.0) / turns : 0.0; }
  // From its first prompt to its last token.
  double length_s(double time_to_first_token_s, double time_per_output_token_s) const {
    return turns *
           (time_to_first_token_s + (output - 1.0) * time_per_output_token_s + think_of_turn_s());
  }
};

}  // namespace scalesweep::estimator
