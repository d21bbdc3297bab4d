#include "cli/output/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>

#include "core/text.hpp"

namespace scalesweep::cli {

std::size_t terminal_width(const Streams& streams) {
  winsize size = {};
  const bool is_terminal = &streams.out == &std::cout && ::isatty(STDOUT_FILENO) == 1 &&
                           ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return is_terminal ? size.ws_col : 0;
}

std::string wrapped(const std::string& text, std::size_t width) {
  std::string lines;
  std::size_t used = 0;
  for (const std::string& word : split(text, ' ')) {
    if (used > 0 && used + 1 + word.size() > width) {
      lines += '\n';
      used = 0;
    }
    lines += (used > 0 ? " " : "") + word;
    used += (used > 0 ? 1 : 0) + word.size();
  }
  return lines;
}

bool is_watched(const Streams& streams) {
  return &streams.err == &std::cerr && ::isatty(STDERR_FILENO) == 1;
}

}  // namespace scalesweep::cli
