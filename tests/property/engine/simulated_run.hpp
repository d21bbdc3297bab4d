// A run in simulated time: a real Master, ranks that only pretend to compute, messages that take
// as long as they are told to. The same options give the same run, event by event.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "engine/master.hpp"

namespace scalesweep::test {

inline constexpr double never = std::numeric_limits<double>::infinity();

struct SimulatedRank {
  double points_per_second = 1000.0;
  double latency_s = 1e-4;  // of every message from and to it
  double dies_at_s = never;
  // Neither works nor speaks in between, but is not dead.
  double sleeps_at_s = never;
  double wakes_at_s = never;
};

struct SimulatedOptions {
  engine::SchedulerOptions scheduler;
  std::vector<SimulatedRank> ranks;
  double write_seconds_per_point = 0.0;
  double write_seconds_per_segment = 0.0;
  double stop_at_s = never;
  double rank_timeout_s = 5.0;
  std::vector<IdRange> completed;  // by an earlier run
};

struct SimulatedResult {
  bool over = false;  // before the events ran out
  bool complete = false;
  double seconds = 0.0;
  std::int64_t completed_points = 0;
  std::vector<IdRange> leases;   // as they were given
  std::vector<IdRange> written;  // segments on disk, in the order of their writing
};

class SimulatedRun {
 public:
  explicit SimulatedRun(const SimulatedOptions& options);
  SimulatedResult run();

 private:
  struct Rank {
    std::deque<IdRange> leases;
    std::optional<IdRange> current;
    double began_s = 0.0;
    bool asked = false;
    bool stopping = false;
    bool writing = false;    // evaluation of `current` is over
    std::int64_t epoch = 0;  // events of a lease that was dropped do not count
    engine::RankTotals totals;
  };
  using Event = std::function<void()>;

  void at(double time_s, Event event) { events_.emplace(time_s, std::move(event)); }
  bool dead(int rank, double time_s) const;
  double awake(int rank, double time_s) const;
  void report(int rank, engine::ReportKind kind, IdRange ids = {});
  void deliver(int rank, const engine::Order& order);
  void ask(int rank);
  void begin_next(int rank);
  void write(int rank, IdRange ids);
  void stop(int rank);
  void live(int rank);
  void tick();

  const SimulatedRank& setting(int rank) const {
    return options_.ranks[static_cast<std::size_t>(rank)];
  }

  SimulatedOptions options_;
  std::multimap<double, Event> events_;  // equal times keep their order
  double now_s_ = 0.0;
  std::vector<Rank> ranks_;
  std::optional<engine::Master> master_;
  SimulatedResult result_;
};

}  // namespace scalesweep::test
