// A policy as a file and an identity name it.
#pragma once

#include <optional>
#include <string>

#include "space/spec/spec.hpp"

namespace scalesweep::space {

// "all", "feasible", "frontier", "frontier per model", "best 3 per logic, memory", behind the last
// two "; counts bounded"; and back, nothing for another text.
std::string keep_text(const Keep& keep);
std::optional<Keep> keep_of_text(const std::string& text);

}  // namespace scalesweep::space
