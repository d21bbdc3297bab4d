#include <algorithm>
#include <cmath>

#include "engine/master/pace.hpp"
#include "prediction/simulation.hpp"

namespace scalesweep::engine {
namespace {

// As tests/bench/scaling measures them (x86-64 server, Open MPI): messages of the master, one way
// between machines; making, syncing and renaming a file on a local disk, a shared one is slower.
constexpr double report_service_s = 8e-6;
constexpr double order_service_s = 4e-6;
constexpr double latency_s = 50e-6;
constexpr double write_seconds_per_segment = 10e-3;
// Of the way of rows to the disk again, for chunks that are copied as they are.
constexpr double compact_part = 0.1;
// Longer runs are the same in the middle.
constexpr double most_simulated_seconds = 900.0;
// Of ranges whose points cost the same, in work of one rank.
constexpr double range_seconds = 20.0;

double per_byte(double bytes_per_second) {
  return bytes_per_second > 0.0 ? 1.0 / bytes_per_second : 0.0;
}

SimulationOptions options_of(const PredictionInput& input, std::int64_t points) {
  const double bytes_per_point = input.rows_per_point * input.bytes_per_row;
  RunOptions run;
  if (input.segment_seconds > 0.0) {
    run.segment_seconds = input.segment_seconds;
  }
  const Pace pace = pace_of(input.ranks, run);
  SimulationOptions options;
  options.scheduler.ids = {0, points};
  options.scheduler.chunk_rows = input.chunk_rows;
  options.segment_seconds = pace.segment_seconds;
  options.report_interval_s = pace.report_interval_seconds;
  options.master_computes = pace.master_computes;
  options.silent = true;
  options.keeps_ranges = false;
  SimulatedCosts& costs = options.costs;
  costs.report_service = report_service_s;
  costs.order_service = order_service_s;
  costs.write_per_segment = write_seconds_per_segment;
  costs.write_per_point = bytes_per_point * per_byte(input.write_bytes_per_second);
  costs.compact_per_point = compact_part * costs.write_per_point;
  costs.latency_spread = 0.5;
  costs.spread_of_ranges = input.spread_of_ranges;
  costs.range_points = std::max<std::int64_t>(
      {1, points / 1'000'000, static_cast<std::int64_t>(range_seconds * input.points_per_second)});
  options.ranks.resize(static_cast<std::size_t>(input.ranks));
  for (std::size_t rank = 0; rank < options.ranks.size(); ++rank) {
    // Spread evenly over the range, in an order without a pattern (golden ratio sequence).
    const double u = std::fmod(0.6180339887498949 * static_cast<double>(rank), 1.0);
    options.ranks[rank].points_per_second =
        input.points_per_second * (1.0 + input.spread_of_ranks * (2.0 * u - 1.0));
    options.ranks[rank].latency_s = latency_s;
  }
  return options;
}

}  // namespace

Prediction predict_run(const PredictionInput& input) {
  Prediction prediction;
  if (input.points <= 0 || input.points_per_second <= 0.0 || input.ranks <= 0) {
    return prediction;
  }
  const double all_rates = input.points_per_second * input.ranks;
  const auto most = static_cast<std::int64_t>(all_rates * most_simulated_seconds);
  const std::int64_t points = std::min(input.points, std::max(most, input.chunk_rows));
  const SimulationOptions options = options_of(input, points);
  const SimulationResult result = simulate(options);
  // What was left out takes as long per point as what ranks did while all of them worked.
  const double more = static_cast<double>(input.points - points) / static_cast<double>(points);
  const double rank_seconds = result.seconds * input.ranks;
  const double busy_seconds = (rank_seconds - result.idle_seconds) / input.ranks;
  const double seconds = result.seconds + more * busy_seconds;
  const double merged_bytes =
      static_cast<double>(input.points) * input.rows_per_point * input.bytes_per_row;
  const auto sharing =
      static_cast<double>(std::clamp<std::int64_t>(input.merging_ranks, 1, input.ranks));
  prediction.merge_seconds = merged_bytes * (per_byte(input.merge_bytes_per_second) / sharing +
                                             per_byte(input.place_bytes_per_second));
  prediction.seconds = input.startup_seconds + seconds + prediction.merge_seconds;
  prediction.efficiency = static_cast<double>(input.points) / (prediction.seconds * all_rates);
  prediction.leases = static_cast<double>(result.lease_count) * (1.0 + more);
  prediction.segments = static_cast<double>(result.segment_count) * (1.0 + more);
  prediction.master_busy = result.master_busy_seconds / result.seconds;
  prediction.tail = result.idle_seconds / (input.ranks * seconds);
  return prediction;
}

}  // namespace scalesweep::engine
