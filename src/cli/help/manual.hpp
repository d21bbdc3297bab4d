// Manual pages, from what the commands say of themselves.
#pragma once

#include <string>
#include <vector>

#include "cli/options/command.hpp"

namespace scalesweep::cli {

// A page as man(1) reads it, man(7) in the macros of its language; `file` is "scalesweep-run.1".
struct ManualPage {
  std::string file;
  std::string text;
};

// One of the program and one of each command.
std::vector<ManualPage> manual_pages(const Program& program);

}  // namespace scalesweep::cli
