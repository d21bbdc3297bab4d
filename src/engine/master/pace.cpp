#include "engine/master/pace.hpp"

#include <algorithm>

namespace scalesweep::engine {
namespace {

constexpr double default_segment_seconds = 5.0;
constexpr double files_per_second = 200.0;
constexpr double shortest_report_interval = 0.2;
constexpr double reports_per_second = 1000.0;
// Up to here rank 0 evaluates too. Serving so many costs it less than it adds.
constexpr int default_computing_ranks = 512;
// Writes of all ranks at once take longer than that of one did.
constexpr double writes_at_once = 3.0;
constexpr double draining_part = 0.1;
constexpr double draining_seconds_of_long_runs = 3.0;
constexpr double draining_seconds_per_rank = 1e-3;

}  // namespace

Pace pace_of(int ranks, const RunOptions& options) {
  Pace pace;
  pace.segment_seconds =
      options.segment_seconds.value_or(std::max(default_segment_seconds, ranks / files_per_second));
  const double interval = ranks / reports_per_second;
  // A rank is taken for dead after four words were missed, however rarely it speaks.
  pace.rank_timeout_seconds = std::max(options.rank_timeout_seconds, 4.0 * interval);
  pace.report_interval_seconds =
      std::min(std::max(shortest_report_interval, interval), pace.rank_timeout_seconds / 4.0);
  const int computing = options.master_computes_up_to_ranks > 0
                            ? options.master_computes_up_to_ranks
                            : default_computing_ranks;
  pace.master_computes = ranks == 1 || ranks <= computing;
  return pace;
}

double draining_seconds(double limit_seconds, int ranks, double longest_write_seconds) {
  const double usual = draining_seconds_of_long_runs + draining_seconds_per_rank * ranks;
  const double wanted = std::max(usual, writes_at_once * longest_write_seconds);
  // Of a short limit, most of it is for work; what is not written in time is lost at worst.
  return std::min(wanted,
                  std::max(draining_part * limit_seconds,
                           std::min(writes_at_once * longest_write_seconds, 0.5 * limit_seconds)));
}

}  // namespace scalesweep::engine
