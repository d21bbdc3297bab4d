// Reads a command line: which command it asks for, with its options filled in, or what else.
#pragma once

#include <string>
#include <vector>

#include "cli/options/command.hpp"

namespace scalesweep::cli {

struct Request {
  const Command* command = nullptr;
  std::string help;  // asked for, if there is any
  bool version = false;
  bool verbose = false;
};

// Help of a command that was parsed for, and the line that shows how to call it.
std::string help_text(const Command& command);
std::string usage_of(const Command& command);

// The first page of help.
std::string help_text(const Program& program);

// Throws Failure(usage) for what nobody declared and what is missing, with the closest name.
Request parse(const Program& program, const std::vector<std::string>& arguments);

}  // namespace scalesweep::cli
