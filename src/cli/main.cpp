#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "cli/application.hpp"
#include "cli/launch/launch.hpp"

int main(int argc, char** argv) {
  // A file that grows over its limit is told like a full disk, and does not end us without a word.
  std::signal(SIGXFSZ, SIG_IGN);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const int code = scalesweep::cli::run(arguments, std::cout, std::cerr);
  const bool of_ranks = !arguments.empty() && arguments.front() == "run";
  return scalesweep::cli::exit_code_of_rank(code, of_ranks);
}
