// What the master decides: who gets which ids, who is dead, when the run is over. A state machine:
// messages and times go in, orders come out by `send`; no I/O and no clock of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/failure.hpp"
#include "engine/messages.hpp"
#include "engine/scheduler.hpp"

namespace scalesweep::engine {

struct MasterOptions {
  SchedulerOptions scheduler;
  std::string identity;  // of the study; a rank that sees another one ends the run
  double rank_timeout_seconds = 60.0;
};

class Master {
 public:
  using Send = std::function<void(int rank, const Order&)>;

  // `present`: which ranks take part in computing; only they are watched.
  Master(const MasterOptions& options, std::span<const IdRange> completed,
         const std::vector<bool>& present, double now_s, Send send);

  void handle(int rank, const RankReport& report, double now_s);
  // Often, at least a few times per rank_timeout_seconds: watches for dead ranks, tells all that
  // the master lives.
  void tick(double now_s);
  // A rank that did not take part does so from now on (the master's own, when all others are dead).
  void admit(int rank, double now_s);
  // No more leases; ranks write what is whole.
  void stop();

  // Nothing is under way any more: all is complete, or stopped or failed and everyone has said so.
  bool over() const;
  bool complete() const { return scheduler_.complete(); }
  struct Cause {
    ExitCode code = ExitCode::internal;
    std::string text;
  };
  const std::optional<Cause>& failure() const { return failure_; }

  std::int64_t completed_points() const { return scheduler_.completed_points(); }
  std::int64_t evaluated_points() const;  // with what is not yet on disk
  RankTotals totals() const;              // summed; best and memory: of all ranks
  int live_ranks() const;
  int lost_ranks() const;

 private:
  enum class State { absent, live, lost };
  struct Rank {
    State state = State::absent;
    bool waits = false;  // for a lease
    double heard_s = 0.0;
    std::int64_t credited = 0;  // ids it reported as complete
    RankTotals totals;
  };

  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  void note_totals(int rank, const RankTotals& totals);
  void lease_to(int rank);
  void serve_waiting();
  void lose(int rank);
  void fail(int rank, ExitCode code, const std::string& text);
  void send_to_all(const Order& order);

  MasterOptions options_;
  Scheduler scheduler_;
  std::vector<Rank> ranks_;
  Send send_;
  bool stopping_ = false;
  std::optional<Cause> failure_;
  double last_alive_s_ = 0.0;
};

}  // namespace scalesweep::engine
