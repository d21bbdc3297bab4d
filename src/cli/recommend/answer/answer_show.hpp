// Answers as people and as programs read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/recommend/answer/answer.hpp"

namespace scalesweep::cli {

// What stands before the verdict.
struct Preface {
  std::string title;                 // "Training llama-3-70b on 64 h100"
  std::vector<std::string> assumed;  // "framework megatron-lm"
  std::vector<std::string> notes;    // sentences
  std::int64_t points = 0;           // that were tried
  std::string tried = "layouts";     // what they are
  std::int64_t feasible = 0;         // of them
  double seconds = 0.0;
  std::optional<std::int64_t> run_tokens;  // of a whole training run, whose time is told
};

// Its lines, with an empty one behind them.
std::string preface_text(const Preface& preface, std::size_t width);
Json::Members preface_members(const Preface& preface);

// At most `width` columns wide, where words allow it.
std::string answers_text(const Preface& preface, const Answers& answers, std::size_t width);

// {"verdict", "layouts", "launch"} of one question beside what was assumed; of several a list
// "answers" of such objects.
Json answers_json(const Preface& preface, const Answers& answers);

}  // namespace scalesweep::cli
