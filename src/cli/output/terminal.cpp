#include "cli/output/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "analysis/words/text_lines.hpp"
#include "core/host/progress.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {

namespace {

// What the variable COLUMNS says; 0 where it says nothing.
std::size_t columns_wanted() {
  const char* const text = std::getenv("COLUMNS");
  const long columns = text == nullptr ? 0 : std::strtol(text, nullptr, 10);
  return static_cast<std::size_t>(std::max(columns, 0L));
}

}  // namespace

std::size_t terminal_width(const Streams& streams) {
  winsize size = {};
  const bool is_terminal = &streams.out == &std::cout && ::isatty(STDOUT_FILENO) == 1 &&
                           ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  if (!is_terminal) {
    return 0;
  }
  const std::size_t wanted = columns_wanted();
  return wanted > 0 ? wanted : size.ws_col;
}

std::size_t text_width(const Streams& streams) {
  const std::size_t terminal = terminal_width(streams);
  return terminal > 1 ? terminal - 1 : analysis::line_width;
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

void tell(const Streams& streams, const std::string& lines) {
  streams.err << (is_watched(streams) ? analysis::within(lines, terminal_columns()) : lines);
}

bool is_watched(const Streams& streams) {
  return &streams.err == &std::cerr && ::isatty(STDERR_FILENO) == 1;
}

}  // namespace scalesweep::cli
