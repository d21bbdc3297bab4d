#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "simulated_run.hpp"

namespace scalesweep::test {
namespace {

SimulatedOptions any_run() {
  SimulatedOptions options;
  options.scheduler.chunk_rows = *rc::gen::inRange<std::int64_t>(1, 100);
  options.scheduler.points = *rc::gen::inRange<std::int64_t>(1, 20'000);
  options.scheduler.lease_seconds = *rc::gen::element(0.05, 0.5, 5.0);
  options.write_seconds_per_segment = *rc::gen::element(0.0, 0.01, 0.3);
  options.ranks.resize(*rc::gen::inRange<std::size_t>(1, 10));
  for (SimulatedRank& rank : options.ranks) {
    rank.points_per_second = *rc::gen::element(100.0, 1'000.0, 50'000.0);
    rank.latency_s = *rc::gen::element(1e-5, 1e-3, 0.3);
  }
  return options;
}

std::vector<int> times_written(const SimulatedOptions& options, const SimulatedResult& result) {
  std::vector<int> times(static_cast<std::size_t>(options.scheduler.points), 0);
  for (const IdRange& ids : result.written) {
    for (PointId id = ids.first; id < ids.last; ++id) {
      ++times[static_cast<std::size_t>(id)];
    }
  }
  return times;
}

std::int64_t points_written(const SimulatedOptions& options, const SimulatedResult& result) {
  const std::vector<int> times = times_written(options, result);
  return std::count_if(times.begin(), times.end(), [](int n) { return n > 0; });
}

RC_GTEST_PROP(SimulatedRuns, WriteEveryIdOnce, ()) {
  const SimulatedOptions options = any_run();

  const SimulatedResult result = SimulatedRun(options).run();

  RC_ASSERT(result.over);
  RC_ASSERT(result.complete);
  const std::vector<int> times = times_written(options, result);
  RC_ASSERT(std::all_of(times.begin(), times.end(), [](int n) { return n == 1; }));
}

RC_GTEST_PROP(SimulatedRuns, SurviveRanksThatDieAndSleep, ()) {
  SimulatedOptions options = any_run();
  for (std::size_t rank = 1; rank < options.ranks.size(); ++rank) {
    const int fate = *rc::gen::inRange(0, 3);
    const double when_s = 0.001 * *rc::gen::inRange(0, 4'000);
    if (fate == 1) {
      options.ranks[rank].dies_at_s = when_s;
    } else if (fate == 2) {
      options.ranks[rank].sleeps_at_s = when_s;
      options.ranks[rank].wakes_at_s = when_s + 0.001 * *rc::gen::inRange(1, 20'000);
    }
  }

  const SimulatedResult result = SimulatedRun(options).run();

  RC_ASSERT(result.complete);
  RC_ASSERT(points_written(options, result) == options.scheduler.points);
  // What was written twice is the same lease: the same segment file, no overlap on disk.
  std::vector<IdRange> written = result.written;
  std::sort(written.begin(), written.end(),
            [](const IdRange& a, const IdRange& b) { return a.first < b.first; });
  written.erase(std::unique(written.begin(), written.end()), written.end());
  for (std::size_t i = 1; i < written.size(); ++i) {
    RC_ASSERT(written[i - 1].last <= written[i].first);
  }
}

RC_GTEST_PROP(SimulatedRuns, StopSoonAndGoOn, ()) {
  SimulatedOptions options = any_run();
  options.stop_at_s = 0.001 * *rc::gen::inRange(0, 2'000);

  const SimulatedResult stopped = SimulatedRun(options).run();

  RC_ASSERT(stopped.over);
  RC_ASSERT(stopped.seconds <= options.stop_at_s + 2.0);
  RC_ASSERT(stopped.completed_points == points_written(options, stopped));

  options.completed = stopped.written;
  options.stop_at_s = never;
  SimulatedResult resumed = SimulatedRun(options).run();
  RC_ASSERT(resumed.complete);
  resumed.written.insert(resumed.written.end(), stopped.written.begin(), stopped.written.end());
  const std::vector<int> times = times_written(options, resumed);
  RC_ASSERT(std::all_of(times.begin(), times.end(), [](int n) { return n == 1; }));
}

// Guided leases end together: with a hundred times as much work as ranks x chunks, little is lost.
RC_GTEST_PROP(SimulatedRuns, UseAllRanksToTheEnd, ()) {
  SimulatedOptions options;
  options.ranks.resize(*rc::gen::inRange<std::size_t>(2, 65));
  options.scheduler.chunk_rows = 100;
  double all_points_per_second = 0.0;
  for (SimulatedRank& rank : options.ranks) {
    rank.points_per_second = *rc::gen::inRange(5'000, 20'000);
    all_points_per_second += rank.points_per_second;
  }
  options.scheduler.points = static_cast<std::int64_t>(options.ranks.size()) * 100'000;

  const SimulatedResult result = SimulatedRun(options).run();

  const double ideal_s = static_cast<double>(options.scheduler.points) / all_points_per_second;
  RC_ASSERT(result.complete);
  RC_ASSERT(result.seconds < 1.05 * ideal_s);
}

}  // namespace
}  // namespace scalesweep::test
