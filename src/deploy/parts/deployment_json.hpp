// A deployment for programs.
#pragma once

#include <string>

#include "deploy/deployment.hpp"

namespace scalesweep::deploy {

// {"target", "version", "source", "command", "flags": {name: value}, "files": {name: content},
// "memory": {...} of the (first) pool with "pools" of all, "notes": [...]}; a switch has the value
// true, numbers are numbers. Two blanks of indent, and a line feed at the end.
std::string json_text(const Deployment& deployment);

}  // namespace scalesweep::deploy
