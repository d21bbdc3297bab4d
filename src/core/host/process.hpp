// Another program, run to its end.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace scalesweep {

struct ProcessResult {
  bool started = false;
  int status = -1;  // exit status; -1 if it died by a signal
  std::string output;
  std::string errors;
};

// Without standard input. `on_error_line` gets what it says on standard error line by line, while
// it runs.
ProcessResult run_process(
    const std::vector<std::string>& arguments,
    const std::function<void(const std::string& line)>& on_error_line = nullptr);

}  // namespace scalesweep
