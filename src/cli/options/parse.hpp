// Reads a command line: which command it asks for, with its options filled in, or what else.
#pragma once

#include <string>
#include <vector>

#include "cli/options/command.hpp"

namespace scalesweep::cli {

// The first page of help.
struct Program {
  std::string description;
  std::string footer;
  std::vector<Command> commands;
};

struct Request {
  const Command* command = nullptr;
  std::string help;  // asked for, if there is any
  bool version = false;
  bool verbose = false;
};

// Throws Failure(usage) for what nobody declared and what is missing, with the closest name.
Request parse(const Program& program, const std::vector<std::string>& arguments);

}  // namespace scalesweep::cli
