#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

#include "engine/master/scheduler.hpp"

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
  options.ids.first = *rc::gen::inRange<std::int64_t>(0, 300);
  options.ids.last = options.ids.first + *rc::gen::inRange<std::int64_t>(0, 3000);
  options.ranks = *rc::gen::inRange(1, 9);
  options.lease_seconds = *rc::gen::element(0.001, 0.1, 5.0);
  return options;
}

// Whole chunks that an earlier run has written.
std::vector<IdRange> any_completed(const SchedulerOptions& options) {
  std::vector<IdRange> completed;
  for (PointId first = options.ids.first; first < options.ids.last;) {
    const std::int64_t chunks = *rc::gen::inRange<std::int64_t>(1, 20);
    const PointId whole = (first / options.chunk_rows + chunks) * options.chunk_rows;
    const PointId last = std::min(options.ids.last, whole);
    if (*rc::gen::arbitrary<bool>()) {
      completed.push_back({first, last});
    }
    first = last;
  }
  return completed;
}

void assert_aligned(const IdRange& ids, const SchedulerOptions& options) {
  RC_ASSERT(!ids.empty());
  RC_ASSERT(ids.first % options.chunk_rows == 0 || ids.first == options.ids.first);
  RC_ASSERT(ids.last % options.chunk_rows == 0 || ids.last == options.ids.last);
}

void count(std::vector<int>& times, const SchedulerOptions& options, const IdRange& ids) {
  for (PointId id = ids.first; id < ids.last; ++id) {
    ++times[static_cast<std::size_t>(id - options.ids.first)];
  }
}

// Whatever the ranks do in whatever order, every id is completed, and none twice unless a rank
// that was given up wrote after all.
RC_GTEST_PROP(SchedulerProperty, EveryIdExactlyOnce, ()) {
  const SchedulerOptions options = any_options();
  const std::vector<IdRange> before = any_completed(options);
  Scheduler scheduler(options, before);
  std::vector<int> times(static_cast<std::size_t>(options.ids.size()), 0);
  for (const IdRange& ids : before) {
    count(times, options, ids);
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
      if (action == 9) {  // goes on with the rest
        ids.last = std::min(ids.last, (ids.first / options.chunk_rows + 1) * options.chunk_rows);
      }
      RC_ASSERT(scheduler.completed(rank, ids) == ids.size());
      count(times, options, ids);
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

// Ranks that were given up go on for a while: what counts never overlaps, and in the end it is all.
RC_GTEST_PROP(SchedulerProperty, WhatCountsNeverOverlaps, ()) {
  const SchedulerOptions options = any_options();
  Scheduler scheduler(options, {});
  std::vector<int> times(static_cast<std::size_t>(options.ids.size()), 0);
  std::vector<std::vector<IdRange>> held(static_cast<std::size_t>(options.ranks));
  Dice dice(*rc::gen::arbitrary<std::uint32_t>());
  while (!scheduler.complete()) {
    const int rank = dice.below(options.ranks);
    std::vector<IdRange>& mine = held[static_cast<std::size_t>(rank)];
    const int action = dice.below(10);
    if (action == 0) {
      scheduler.lost(rank);  // but does not know
    } else if (action == 1) {
      scheduler.measured(rank, dice.below(2000), 1.0);
    } else if (mine.empty()) {
      if (const std::optional<IdRange> lease = scheduler.next(rank)) {
        assert_aligned(*lease, options);
        mine.push_back(*lease);
      }
    } else {
      const std::int64_t chunk = options.chunk_rows;
      IdRange ids = mine.back();
      ids.last = std::min(ids.last, (ids.first / chunk + 1 + dice.below(5)) * chunk);
      if (scheduler.completed(rank, ids) > 0) {
        count(times, options, ids);
      }
      mine.back().first = ids.last;
      if (mine.back().empty()) {
        mine.pop_back();
      }
    }
  }
  RC_ASSERT(std::all_of(times.begin(), times.end(), [](int n) { return n == 1; }));
}

RC_GTEST_PROP(SchedulerProperty, NoLeaseIsLongerThanAllowed, ()) {
  SchedulerOptions options = any_options();
  Scheduler scheduler(options, {});
  const double rate = *rc::gen::inRange(1, 100'000);
  scheduler.measured(0, static_cast<std::int64_t>(rate), 1.0);
  while (const std::optional<IdRange> lease = scheduler.next(0)) {
    const auto longest = std::max<std::int64_t>(
        options.chunk_rows, static_cast<std::int64_t>(rate * options.lease_seconds * 1.0001));
    RC_ASSERT(lease->size() <= longest);
  }
}

}  // namespace
}  // namespace scalesweep::engine
