// How wide a table may be, text of such a width, and whether somebody watches.
#pragma once

#include <cstddef>
#include <string>

#include "cli/options/command.hpp"

namespace scalesweep::cli {

// Columns of the terminal that standard output is; 0 where it is none.
std::size_t terminal_width(const Streams& streams);

// Broken between words so that no line is longer than `width` columns, if words allow it.
std::string wrapped(const std::string& text, std::size_t width);

// Whether standard error is a terminal.
bool is_watched(const Streams& streams);

}  // namespace scalesweep::cli
