// What the master decides: who gets which ids, who is dead, when the run is over. A state machine:
// messages and times go in, orders come out by `send`; no I/O and no clock of its own. A message
// takes the same time however many ranks there are.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/failure.hpp"
#include "engine/master/scheduler.hpp"
#include "engine/worker/messages.hpp"

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
  // No more leases; ranks write what is whole. The first reason counts.
  void stop(const std::string& why);
  // Why it stopped, "" if it did not.
  const std::string& stop_reason() const { return stop_reason_; }

  // Nothing is under way any more: all is complete, or stopped or failed and everyone has said so.
  bool over() const;
  bool complete() const { return scheduler_.complete(); }
  struct Cause {
    ExitCode code = ExitCode::internal;
    std::string text;
  };
  const std::optional<Cause>& failure() const { return failure_; }

  std::int64_t completed_points() const { return scheduler_.completed_points(); }
  std::int64_t evaluated_points() const;                // with what is not yet on disk
  const RankTotals& totals() const { return totals_; }  // summed; best and memory: of all ranks
  int live_ranks() const { return live_ranks_; }
  std::vector<int> live() const;  // ascending
  int lost_ranks() const { return lost_ranks_; }
  // How long a rank took at most to write one segment, and how fast ranks are (ids per second).
  double longest_write_seconds() const { return longest_write_seconds_; }
  double mean_rate() const { return scheduler_.mean_rate(); }

 private:
  enum class State { absent, live, lost };
  struct Rank {
    State state = State::absent;
    bool waits = false;  // for a lease
    double heard_s = 0.0;
    std::int64_t credited = 0;  // ids it reported as complete
    RankTotals totals;
    std::list<int>::iterator place;  // in by_silence_, if live
  };

  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  void hear(int rank, double now_s);
  void become(int rank, State state);
  void count(int rank, int sign);
  void note_totals(int rank, const RankTotals& totals);
  void obey(int rank, const RankReport& report);
  bool lease_to(int rank);
  void serve_waiting();
  void lose(int rank);
  void fail(int rank, ExitCode code, const std::string& text);
  void send_to_all(const Order& order);

  MasterOptions options_;
  Scheduler scheduler_;
  std::vector<Rank> ranks_;
  Send send_;
  std::set<int> waiting_;      // live ranks that wait for a lease
  std::list<int> by_silence_;  // live ranks, the longest silent one first
  bool stopping_ = false;
  std::string stop_reason_;
  std::optional<Cause> failure_;
  double last_alive_s_ = 0.0;
  // Sums over ranks, kept up to date with every message.
  RankTotals totals_;
  double longest_write_seconds_ = 0.0;
  std::int64_t unwritten_points_ = 0;  // evaluated on live ranks
  int leased_ranks_ = 0;               // live ones with leases
  int live_ranks_ = 0;
  int lost_ranks_ = 0;
};

}  // namespace scalesweep::engine
