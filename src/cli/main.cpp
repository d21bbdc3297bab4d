#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/application.hpp"
#include "cli/launch/launch.hpp"
#include "core/failure.hpp"

namespace {

bool is_over = false;  // all was said

// HDF5 1.10 calls exit(-1) where it gets no memory for an identifier, and says nothing.
void say_who_left() {
  if (!is_over) {
    constexpr std::string_view words =
        "scalesweep: error: a library ended the program, as HDF5 does where memory is short: run "
        "the same command again where there is more; what was computed is kept\n";
    (void)!write(STDERR_FILENO, words.data(), words.size());
    _exit(static_cast<int>(scalesweep::ExitCode::io));
  }
}

}  // namespace

int main(int argc, char** argv) {
  // A file that grows over its limit is told like a full disk, and does not end us without a word.
  std::signal(SIGXFSZ, SIG_IGN);
  std::atexit(say_who_left);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const int code = scalesweep::cli::run(arguments, std::cout, std::cerr);
  const bool of_ranks = !arguments.empty() && arguments.front() == "run";
  is_over = true;
  return scalesweep::cli::exit_code_of_rank(code, of_ranks);
}
