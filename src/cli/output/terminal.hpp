// How wide a table may be, and whether somebody watches.
#pragma once

#include <cstddef>

#include "cli/options/command.hpp"

namespace scalesweep::cli {

// Columns of the terminal that standard output is; 0 where it is none.
std::size_t terminal_width(const Streams& streams);

// Whether standard error is a terminal.
bool is_watched(const Streams& streams);

}  // namespace scalesweep::cli
