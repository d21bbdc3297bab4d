#include "engine/master/scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/contracts.hpp"

namespace scalesweep::engine {
namespace {

// Work of this long ago counts 1/e in the rate.
constexpr double rate_memory_seconds = 10.0;

}  // namespace

Scheduler::Scheduler(const SchedulerOptions& options, std::span<const IdRange> completed)
    : options_(options), ranks_(static_cast<std::size_t>(options.ranks)) {
  SCALESWEEP_EXPECT(options.ids.first >= 0 && options.ids.first <= options.ids.last);
  SCALESWEEP_EXPECT(options.chunk_rows > 0 && options.ranks > 0);
  SCALESWEEP_EXPECT(options.lease_seconds > 0.0 && options.shares_left >= 1.0);
  for (const IdRange& ids : completed) {
    SCALESWEEP_EXPECT(ids.first >= options.ids.first && ids.last <= options.ids.last);
    mark_complete(ids);
  }
  release(options.ids, false);
}

Scheduler::Rank& Scheduler::at(int rank) {
  SCALESWEEP_EXPECT(rank >= 0 && rank < options_.ranks);
  return ranks_[static_cast<std::size_t>(rank)];
}

const Scheduler::Rank& Scheduler::at(int rank) const {
  SCALESWEEP_EXPECT(rank >= 0 && rank < options_.ranks);
  return ranks_[static_cast<std::size_t>(rank)];
}

const std::vector<IdRange>& Scheduler::leases(int rank) const {
  return at(rank).leases;
}

double Scheduler::rate(int rank) const {
  const Rank& r = at(rank);
  return r.recent_seconds > 0.0 ? r.recent_ids / r.recent_seconds : 0.0;
}

double Scheduler::mean_rate() const {
  return known_ranks_ > 0 ? known_rates_ / known_ranks_ : 0.0;
}

void Scheduler::measured(int rank, std::int64_t ids, double seconds) {
  SCALESWEEP_EXPECT(ids >= 0 && seconds >= 0.0);
  Rank& r = at(rank);
  const double fade = std::exp(-seconds / rate_memory_seconds);
  r.recent_ids = r.recent_ids * fade + static_cast<double>(ids);
  r.recent_seconds = r.recent_seconds * fade + seconds;
  r.seconds += seconds;
  count_rate(r, rate(rank));
}

void Scheduler::count_rate(Rank& rank, double rate) {
  known_ranks_ += (rate > 0.0 ? 1 : 0) - (rank.counted_rate > 0.0 ? 1 : 0);
  known_rates_ = known_ranks_ > 0 ? known_rates_ + rate - rank.counted_rate : 0.0;
  rank.counted_rate = rate;
}

// How many ids the rank should get: one chunk until its rate is known.
std::int64_t Scheduler::lease_points(int rank) const {
  const double own = rate(rank);
  const double mean = mean_rate();
  if (own <= 0.0 || mean <= 0.0) {
    return options_.chunk_rows;
  }
  // Ranks that were not measured yet are taken for average, lost ones too: they may come back.
  const double all = mean * options_.ranks;
  const double share = static_cast<double>(free_points_) * own / all / options_.shares_left;
  const double shortest = own * options_.shortest_part * at(rank).seconds;
  const double points = std::min(std::max(share, shortest), own * options_.lease_seconds);
  return std::max(options_.chunk_rows, static_cast<std::int64_t>(points));
}

std::optional<IdRange> Scheduler::next(int rank) {
  if (free_.empty()) {
    return std::nullopt;
  }
  const auto& [first, free] = *free_.begin();
  IdRange lease{first, free.last};
  if (!free.whole) {
    const std::int64_t chunk = options_.chunk_rows;
    const PointId chunk_end = (first / chunk + 1) * chunk;
    const PointId wanted_end = (first + lease_points(rank)) / chunk * chunk;
    lease.last = std::min(free.last, std::max(chunk_end, wanted_end));
  }
  take_from_free(lease);
  at(rank).leases.push_back(lease);
  return lease;
}

std::int64_t Scheduler::completed(int rank, IdRange ids) {
  SCALESWEEP_EXPECT(ids.first >= options_.ids.first && ids.last <= options_.ids.last &&
                    !ids.empty());
  const std::vector<IdRange> missing = missing_in(ids);
  const bool counts = missing.size() == 1 && missing.front() == ids;
  if (counts) {
    mark_complete(ids);
    take_from_free(ids);
  }
  std::vector<IdRange>& leases = at(rank).leases;
  const auto lease = std::find_if(leases.begin(), leases.end(), [&](const IdRange& l) {
    return l.first == ids.first && ids.last <= l.last;
  });
  if (lease != leases.end()) {
    lease->first = ids.last;
    if (lease->empty()) {
      leases.erase(lease);
    }
    release(ids, true);
  }
  return counts ? ids.size() : 0;
}

void Scheduler::lost(int rank) {
  Rank& r = at(rank);
  std::vector<IdRange> leases;
  leases.swap(r.leases);
  for (const IdRange& lease : leases) {
    release(lease, true);
  }
}

// Frees what of `ids` is not complete.
void Scheduler::release(IdRange ids, bool whole) {
  for (const IdRange& gap : missing_in(ids)) {
    free_[gap.first] = {gap.last, whole};
    free_points_ += gap.size();
  }
}

void Scheduler::take_from_free(IdRange ids) {
  auto it = free_.upper_bound(ids.first);
  if (it != free_.begin()) {
    --it;
  }
  while (it != free_.end() && it->first < ids.last) {
    const IdRange range{it->first, it->second.last};
    const bool whole = it->second.whole;
    if (range.last <= ids.first) {
      ++it;
      continue;
    }
    it = free_.erase(it);
    free_points_ -= std::min(range.last, ids.last) - std::max(range.first, ids.first);
    if (range.first < ids.first) {
      free_[range.first] = {ids.first, whole};
    }
    if (ids.last < range.last) {
      free_[ids.last] = {range.last, whole};
    }
  }
}

std::vector<IdRange> Scheduler::missing_in(IdRange ids) const {
  std::vector<IdRange> gaps;
  PointId from = ids.first;
  auto it = done_.upper_bound(ids.first);
  if (it != done_.begin()) {
    --it;
  }
  for (; it != done_.end() && it->first < ids.last; ++it) {
    if (from < it->first) {
      gaps.push_back({from, it->first});
    }
    from = std::max(from, it->second);
  }
  if (from < ids.last) {
    gaps.push_back({from, ids.last});
  }
  return gaps;
}

std::int64_t Scheduler::mark_complete(IdRange ids) {
  std::int64_t fresh = 0;
  for (const IdRange& gap : missing_in(ids)) {
    fresh += gap.size();
    auto it = done_.insert({gap.first, gap.last}).first;
    const auto after = std::next(it);
    if (after != done_.end() && after->first == it->second) {
      it->second = after->second;
      done_.erase(after);
    }
    if (it != done_.begin() && std::prev(it)->second == it->first) {
      std::prev(it)->second = it->second;
      done_.erase(it);
    }
  }
  completed_points_ += fresh;
  return fresh;
}

}  // namespace scalesweep::engine
