// Which rank computes which ids: a state machine without I/O, clock or randomness.
//
//   Scheduler scheduler({.ids = {0, n}, .chunk_rows = 16384, .ranks = 4}, already_on_disk);
//   while (!scheduler.complete()) { ... scheduler.next(rank) ... scheduler.completed(rank, ids) }
//
// Guided self-scheduling (Polychronopoulos and Kuck, "Guided Self-Scheduling: A Practical
// Scheduling Scheme for Parallel Supercomputers", IEEE Trans. Computers C-36, 1987): a lease is a
// share of what is left, here in proportion to the measured rate of the rank, so that leases are
// long while there is much to do and all ranks end at nearly the same time. Every call takes time
// in the logarithm of what there is: ten thousand ranks need one master.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/id_range.hpp"

namespace scalesweep::engine {

struct SchedulerOptions {
  IdRange ids;                   // all of them
  std::int64_t chunk_rows = 1;   // leases begin and end at its multiples (or at the ends of `ids`)
  int ranks = 1;                 // of any number; more only means smaller leases at the end
  double lease_seconds = 300.0;  // no lease is longer, by the rate measured so far
  double shares_left = 3.0;      // a lease takes 1/shares_left of the rank's share of what is left
  // No lease is shorter than this part of what its rank has worked so far: ranks that end within
  // so much of each other waste nothing, and the master is left in peace.
  double shortest_part = 0.004;
};

class Scheduler {
 public:
  // `completed` must be disjoint ranges inside the study, in any order.
  Scheduler(const SchedulerOptions& options, std::span<const IdRange> completed);

  // A lease for this rank, which may hold others. Nothing while all ids are leased or complete.
  std::optional<IdRange> next(int rank);
  // The rows of `ids` are on disk in one segment: a lease of this rank, or the front of one, whose
  // rest the rank goes on with; or of a lease that a rank had that was taken for dead. Returns how
  // many ids are new: all of them, or none where another rank was faster with some. Segments that
  // count never overlap, so that they can be merged; what one that does not count leaves open of a
  // lease becomes free again.
  std::int64_t completed(int rank, IdRange ids);
  // All leases of this rank become free again: it is dead, or it gives them back. What was leased
  // is not cut again where it is leased anew, so that ranges that ranks write nest.
  void lost(int rank);
  // This rank worked on `ids` ids for `seconds` of wall time; recent work counts most.
  void measured(int rank, std::int64_t ids, double seconds);

  bool complete() const { return completed_points_ == options_.ids.size(); }
  std::int64_t completed_points() const { return completed_points_; }
  std::int64_t free_points() const { return free_points_; }
  const std::vector<IdRange>& leases(int rank) const;
  double rate(int rank) const;  // ids per second; 0 while unknown
  double mean_rate() const;     // of the ranks whose rates are known; 0 while none is

 private:
  struct Free {
    PointId last = 0;
    bool whole = false;  // was a lease: is not cut again
  };
  struct Rank {
    std::vector<IdRange> leases;
    double recent_ids = 0.0;
    double recent_seconds = 0.0;
    double seconds = 0.0;       // worked so far
    double counted_rate = 0.0;  // in known_rates_
  };

  std::int64_t lease_points(int rank) const;
  void count_rate(Rank& rank, double rate);
  Rank& at(int rank);
  const Rank& at(int rank) const;
  void release(IdRange ids, bool whole);
  void take_from_free(IdRange ids);
  std::vector<IdRange> missing_in(IdRange ids) const;
  std::int64_t mark_complete(IdRange ids);

  SchedulerOptions options_;
  std::map<PointId, Free> free_;     // by first id
  std::map<PointId, PointId> done_;  // first to last, merged
  std::vector<Rank> ranks_;
  double known_rates_ = 0.0;  // summed
  int known_ranks_ = 0;
  std::int64_t free_points_ = 0;
  std::int64_t completed_points_ = 0;
};

}  // namespace scalesweep::engine
