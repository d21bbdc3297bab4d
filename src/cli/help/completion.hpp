// What a shell offers while a command is typed, from what the commands say of themselves.
#pragma once

#include <string>
#include <vector>

#include "cli/options/command.hpp"

namespace scalesweep::cli {

// "bash", "zsh", "fish".
const std::vector<std::string>& shells();

// A script for that shell to read.
std::string completion_script(const Program& program, const std::string& shell);

}  // namespace scalesweep::cli
