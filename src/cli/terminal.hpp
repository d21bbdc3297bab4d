// How wide a table may be.
#pragma once

#include <cstddef>

#include "cli/command.hpp"

namespace scalesweep::cli {

// Columns of the terminal that standard output is; 0 where it is none.
std::size_t terminal_width(const Streams& streams);

}  // namespace scalesweep::cli
