// Processors of this machine that are meant for this process.
#pragma once

namespace scalesweep {

// Those that a launcher or the operating system binds it to; at least 1.
unsigned usable_processors();

// The share of each of `processes` that use the same ones, at least 1.
unsigned share_of_processors(int processes);

}  // namespace scalesweep
