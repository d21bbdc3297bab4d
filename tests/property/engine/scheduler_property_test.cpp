#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

#include "engine/scheduler.hpp"

namespace scalesweep::engine {
namespace {

// Thousands of choices per case: too many for generators that remember each to shrink it.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint32_t>(n)); }

 private:
  std::mt19937 engine_;
};

SchedulerOptions any_options() {
  SchedulerOptions options;
  options.chunk_rows = *rc::gen::inRange<std::int64_t>(1, 50);
  options.points = *rc::gen::inRange<std::int64_t>(0, 3000);
  options.ranks = *rc::gen::inRange(1, 9);
  options.lease_seconds = *rc::gen::element(0.001, 0.1, 5.0);
  return options;
}

// Whole chunks that an earlier run has written.
std::vector<IdRange> any_completed(const SchedulerOptions& options) {
  std::vector<IdRange> completed;
  for (PointId first = 0; first < options.points;) {
    const std::int64_t chunks = *rc::gen::inRange<std::int64_t>(1, 20);
    const PointId last = std::min(options.points, first + chunks * options.chunk_rows);
    if (*rc::gen::arbitrary<bool>()) {
      completed.push_back({first, last});
    }
    first = last;
  }
  return completed;
}

void assert_aligned(const IdRange& ids, const SchedulerOptions& options) {
  RC_ASSERT(!ids.empty());
  RC_ASSERT(ids.first % options.chunk_rows == 0);
  RC_ASSERT(ids.last % options.chunk_rows == 0 || ids.last == options.points);
}

void count(std::vector<int>& times, const IdRange& ids) {
  for (PointId id = ids.first; id < ids.last; ++id) {
    ++times[static_cast<std::size_t>(id)];
  }
}

// Whatever the ranks do in whatever order, every id is completed, and none twice unless a rank
// that was given up wrote after all.
RC_GTEST_PROP(SchedulerProperty, EveryIdExactlyOnce, ()) {
  const SchedulerOptions options = any_options();
  const std::vector<IdRange> before = any_completed(options);
  Scheduler scheduler(options, before);
  std::vector<int> times(static_cast<std::size_t>(options.points), 0);
  for (const IdRange& ids : before) {
    count(times, ids);
  }
  Dice dice(*rc::gen::arbitrary<std::uint32_t>());
  while (!scheduler.complete()) {
    const int rank = dice.below(options.ranks);
    const std::vector<IdRange> held = scheduler.leases(rank);
    const int action = dice.below(10);
    if (action == 0) {
      scheduler.lost(rank);
    } else if (action == 1) {
      scheduler.measured(rank, dice.below(2000), 1.0);
    } else if (action < 6 || held.empty()) {
      if (const std::optional<IdRange> lease = scheduler.next(rank)) {
        assert_aligned(*lease, options);
      }
    } else {
      IdRange ids = held[static_cast<std::size_t>(dice.below(static_cast<int>(held.size())))];
      if (action == 9) {  // stopped: only the front
        ids.last = std::min(ids.last, ids.first + options.chunk_rows);
      }
      RC_ASSERT(scheduler.completed(rank, ids) == ids.size());
      count(times, ids);
    }
  }
  RC_ASSERT(std::all_of(times.begin(), times.end(), [](int n) { return n == 1; }));
  RC_ASSERT(scheduler.free_points() == 0);
}

RC_GTEST_PROP(SchedulerProperty, SameCallsGiveSameLeases, ()) {
  const SchedulerOptions options = any_options();
  Scheduler a(options, {});
  Scheduler b(options, {});
  Dice dice(*rc::gen::arbitrary<std::uint32_t>());
  for (int step = 0; step < 200; ++step) {
    const int rank = dice.below(options.ranks);
    if (dice.below(2) == 0) {
      const std::int64_t ids = dice.below(1000);
      a.measured(rank, ids, 0.5);
      b.measured(rank, ids, 0.5);
    }
    RC_ASSERT(a.next(rank) == b.next(rank));
  }
}

RC_GTEST_PROP(SchedulerProperty, NoLeaseIsLongerThanAllowed, ()) {
  SchedulerOptions options = any_options();
  options.max_lease_points = *rc::gen::inRange<std::int64_t>(1, 500);
  Scheduler scheduler(options, {});
  const double rate = *rc::gen::inRange(1, 100'000);
  scheduler.measured(0, static_cast<std::int64_t>(rate), 1.0);
  while (const std::optional<IdRange> lease = scheduler.next(0)) {
    const auto longest = std::max<std::int64_t>(
        options.chunk_rows,
        std::min(options.max_lease_points,
                 static_cast<std::int64_t>(rate * options.lease_seconds * 1.0001)));
    RC_ASSERT(lease->size() <= longest);
  }
}

}  // namespace
}  // namespace scalesweep::engine
