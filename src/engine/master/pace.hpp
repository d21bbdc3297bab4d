// How often ranks speak and write, so that any number of them can be served: pure arithmetic.
#pragma once

#include <cstdint>

#include "engine/run_options.hpp"

namespace scalesweep::engine {

struct Pace {
  double segment_seconds = 5.0;          // of work between two segments of a rank
  double report_interval_seconds = 0.2;  // between two words of a rank
  double rank_timeout_seconds = 60.0;    // of silence, on either side
  bool master_computes = true;
};

// All ranks together say at most about a thousand words of progress a second and, unless
// RunOptions::segment_seconds is given, begin about two hundred files.
Pace pace_of(int ranks, const RunOptions& options);

// Of rows that one rank holds before they are written.
inline constexpr std::int64_t segment_bytes = std::int64_t{32} << 20U;

// How long before the end of its time a run stops leasing: until ranks have written what is whole,
// all at the same time, and said so.
double draining_seconds(double limit_seconds, int ranks, double longest_write_seconds);

}  // namespace scalesweep::engine
