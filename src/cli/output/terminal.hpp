// How wide a table may be, text of such a width, and whether somebody watches.
#pragma once

#include <cstddef>
#include <string>

#include "cli/options/command.hpp"

namespace scalesweep::cli {

// Columns of the terminal that standard output is, or what COLUMNS says of it; 0 where it is none.
std::size_t terminal_width(const Streams& streams);

// Columns that running text keeps within: one less than the terminal has, since some break a line
// that is full; those of line_width where there is none.
std::size_t text_width(const Streams& streams);

// Broken between words so that no line is longer than `width` columns, if words allow it.
std::string wrapped(const std::string& text, std::size_t width);

// Lines for the log, each with its line break. On a terminal they go on in indented lines where
// they are longer than it is wide; elsewhere they stay as they are.
void tell(const Streams& streams, const std::string& lines);

// Whether standard error is a terminal.
bool is_watched(const Streams& streams);

}  // namespace scalesweep::cli
