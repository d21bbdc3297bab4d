// A study that answers a question, as text.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace scalesweep::cli {

struct MadeSpec {
  std::string text;                    // TOML
  std::map<int, std::string> options;  // line, from 1 -> what of the question it says: "--device x"
  std::vector<std::string> assumed;    // "framework megatron-lm"

  // What a mistake in that line is of; "" for a line that no option is behind.
  std::string option_at(int line) const {
    const auto found = options.find(line);
    return found == options.end() ? "" : found->second;
  }
};

}  // namespace scalesweep::cli
