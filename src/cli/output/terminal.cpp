#include "cli/output/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>

namespace scalesweep::cli {

std::size_t terminal_width(const Streams& streams) {
  winsize size = {};
  const bool is_terminal = &streams.out == &std::cout && ::isatty(STDOUT_FILENO) == 1 &&
                           ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return is_terminal ? size.ws_col : 0;
}

bool is_watched(const Streams& streams) {
  return &streams.err == &std::cerr && ::isatty(STDERR_FILENO) == 1;
}

}  // namespace scalesweep::cli
