// The command line as a function: arguments in, text and an exit code out, so that tests call it.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace scalesweep::cli {

// `arguments` without the program name. Data goes to `out`, messages and progress to `err`; nothing
// is thrown. Exit codes: core/failure.hpp.
int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace scalesweep::cli
