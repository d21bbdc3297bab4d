// A run in simulated time: the real master, ranks that only pretend to compute, messages that take
// as long as they are told to. The same options give the same run, event by event. Tests kill and
// delay with it; with measured costs it predicts runs on more ranks than there are.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/master/scheduler.hpp"

namespace scalesweep::engine {

inline constexpr double never = std::numeric_limits<double>::infinity();

struct SimulatedRank {
  double points_per_second = 1000.0;
  double latency_s = 1e-4;  // of every message from and to it, at most
  double starts_at_s = 0.0;
  double dies_at_s = never;
  // Neither works nor speaks in between, but is not dead.
  double sleeps_at_s = never;
  double wakes_at_s = never;
};

// What things cost, in seconds; tests/bench/scaling measures them.
struct SimulatedCosts {
  // Of the master, which does one thing at a time: a message that it gets, one that it sends.
  double report_service = 0.0;
  double order_service = 0.0;
  double write_per_segment = 0.0;
  double write_per_point = 0.0;
  double compact_per_point = 0.0;  // of leases that took several segments
  double merge_per_point = 0.0;    // at the end, on one rank
  // A message takes between (1 - this) and 1 times the latency of its rank; those of one rank keep
  // their order, those of several may overtake each other.
  double latency_spread = 0.0;
  // Evaluating a point costs between 1 - this and 1 + this times the usual, the same in ranges of
  // `range_points`.
  double spread_of_ranges = 0.0;
  std::int64_t range_points = 100'000;
  std::uint64_t seed = 0;
};

struct SimulationOptions {
  SchedulerOptions scheduler;  // its `ranks` are those below
  std::vector<SimulatedRank> ranks;
  SimulatedCosts costs;
  double segment_seconds = 5.0;
  double report_interval_s = 0.2;
  double rank_timeout_s = 5.0;
  double stop_at_s = never;
  std::vector<IdRange> completed;  // by an earlier run
  bool master_computes = true;     // rank 0, beside serving, which slows it down
  // Without events for words of progress, whose cost to the master is added at the end: for many
  // ranks, none of which dies or sleeps.
  bool silent = false;
  bool keeps_ranges = true;  // leases and written
};

struct SimulationResult {
  bool over = false;  // before the events ran out
  bool complete = false;
  double seconds = 0.0;        // to the last segment
  double merge_seconds = 0.0;  // after that
  double work_seconds = 0.0;   // of evaluation, summed over ranks
  double idle_seconds = 0.0;   // after its last work, summed over ranks that live
  double master_busy_seconds = 0.0;
  std::int64_t completed_points = 0;
  std::int64_t lease_count = 0;
  std::int64_t segment_count = 0;
  std::int64_t message_count = 0;  // both ways
  std::vector<IdRange> leases;     // as they were given
  std::vector<IdRange> written;    // segments on disk, in the order of their writing
  // One segment in place of those of a lease that took several, after so many were written.
  struct Compaction {
    IdRange ids;
    std::size_t after = 0;
  };
  std::vector<Compaction> compacted;
};

SimulationResult simulate(const SimulationOptions& options);

// What is known of a run before it begins.
struct PredictionInput {
  std::int64_t points = 0;
  double points_per_second = 0.0;  // of one rank that has a core to itself
  int ranks = 1;
  std::int64_t chunk_rows = 16384;
  double rows_per_point = 1.0;            // that are kept
  double bytes_per_row = 0.0;             // on disk
  double write_bytes_per_second = never;  // of one rank, with compression
  double merge_bytes_per_second = never;  // at the end, of each rank that shares the merge
  double place_bytes_per_second = never;  // of rank 0 alone: what HDF5 is told of them
  std::int64_t merging_ranks = 1;         // that can share it at most
  double segment_seconds = 0.0;           // 0: as a run would choose
  double spread_of_ranges = 0.3;          // how much the cost of points differs over the study
  double spread_of_ranks = 0.05;          // how much ranks differ
  double startup_seconds = 0.0;           // of the launcher
};

struct Prediction {
  double seconds = 0.0;        // with start and merge
  double merge_seconds = 0.0;  // of them
  double efficiency = 0.0;     // points / (seconds x points_per_second x ranks)
  double leases = 0.0;
  double segments = 0.0;
  double master_busy = 0.0;  // share of the time
  double tail = 0.0;         // rank time lost at the end / all rank time
};

// Simulates what differs from run to run, the beginning and the end, and adds the rest in
// proportion: half a second at most for ten thousand ranks.
Prediction predict_run(const PredictionInput& input);

}  // namespace scalesweep::engine
