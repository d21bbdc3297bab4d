#include "cli/catalog/entries/source_list.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "cli/output/terminal.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {

std::string SourceList::mark(const catalog::Value& value) {
  auto found = std::find(sources_.begin(), sources_.end(), value.source);
  if (found == sources_.end()) {
    sources_.push_back(value.source);
    found = sources_.end() - 1;
  }
  return fmt::format("[{}]", found - sources_.begin() + 1);
}

void SourceList::print(const Streams& streams) const {
  constexpr std::size_t number_width = 8;
  constexpr std::size_t widest = 100;  // longer lines are hard to read
  const std::size_t terminal = terminal_width(streams);
  const std::size_t width =
      (terminal > number_width ? std::min(terminal, widest) : widest) - number_width;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const std::vector<std::string> lines = split(wrapped(sources_[i], width), '\n');
    fmt::print(streams.out, "  {:<5} {}\n", fmt::format("[{}]", i + 1), join(lines, "\n        "));
  }
}

}  // namespace scalesweep::cli
