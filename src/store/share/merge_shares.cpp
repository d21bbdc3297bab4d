#include "store/share/merge_shares.hpp"

#include <algorithm>
#include <exception>

#include "core/contracts.hpp"
#include "core/failure.hpp"

namespace scalesweep::store {
namespace {

// A rank that waits for others so long makes durable what it has written.
constexpr double sync_after_s = 0.05;

}  // namespace

MergeShares::MergeShares(std::int64_t first, std::int64_t last, int ranks, std::int64_t most_owed,
                         double patience_s)
    : first_(first),
      last_(last),
      next_(first),
      unplaced_(first),
      most_owed_(static_cast<std::size_t>(most_owed)),
      // One run is worked on while the other waits for its places or for its turn.
      run_(static_cast<std::size_t>(
          std::clamp<std::int64_t>((last - first) / ranks, 1, most_owed / 2))),
      patience_s_(patience_s),
      ranks_(static_cast<std::size_t>(ranks)) {
  SCALESWEEP_EXPECT(first <= last && ranks >= 1 && most_owed >= 2);
}

// Of those that may get a block now, the one that has the fewest.
std::optional<int> MergeShares::idlest() const {
  std::optional<int> best;
  for (int rank = 0; rank < static_cast<int>(ranks_.size()) && next_ < last_; ++rank) {
    const Rank& r = ranks_[static_cast<std::size_t>(rank)];
    if (r.retired || r.owed.size() + run_ > most_owed_) {
      continue;
    }
    if (!best || r.owed.size() < ranks_[static_cast<std::size_t>(*best)].owed.size()) {
      best = rank;
    }
  }
  return best;
}

// Whether it has something to do, other than to wait for the place of a block.
bool MergeShares::works(int rank) const {
  return std::any_of(blocks_.begin(), blocks_.end(), [rank](const auto& block) {
    return block.second.rank == rank &&
           (block.second.step == Step::making || block.second.step == Step::placed);
  });
}

// The first block that was given back, or that another rank should long have been done with, and
// that has its place or gets it as soon as it is made: what rank 0 does beside its own.
std::optional<std::int64_t> MergeShares::stuck(double now_s) const {
  const double patience_s = patience_s_ + 4.0 * longest_step_s_;
  for (const auto& [b, block] : blocks_) {
    const bool asked = block.rank != 0 && (block.step == Step::making ||
                                           block.step == Step::placed || block.step == Step::put);
    const bool late = asked && now_s - block.since_s > patience_s;
    if ((block.at || b == unplaced_) && (late || block.step == Step::open)) {
      return b;
    }
  }
  return std::nullopt;
}

ShareOrder MergeShares::begin(int rank, std::int64_t b, double now_s) {
  Block& block = blocks_[b];
  block.step = Step::making;
  block.rank = rank;
  block.since_s = now_s;
  at(rank).owed.insert(b);
  next_ = std::max(next_, b + 1);
  return {rank, MergeOrderKind::make, b, 0};
}

std::vector<ShareOrder> MergeShares::hand_out(double now_s) {
  std::vector<ShareOrder> orders;
  while (const std::optional<int> rank = stopped_ ? std::nullopt : idlest()) {
    for (std::size_t i = 0; i < run_ && next_ < last_; ++i) {
      orders.push_back(begin(*rank, next_, now_s));
    }
  }
  if (!stopped_ && !works(0)) {
    if (const std::optional<std::int64_t> b = stuck(now_s)) {
      orders.push_back(begin(0, *b, now_s));
    }
  }
  hand_out_syncs(now_s, orders);
  return orders;
}

void MergeShares::hand_out_syncs(double now_s, std::vector<ShareOrder>& orders) {
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    Rank& r = at(rank);
    const bool waits = r.owed.empty() || now_s - r.heard_s > sync_after_s;
    if (r.unsynced && waits && !works(rank)) {
      r.unsynced = false;
      orders.push_back({rank, MergeOrderKind::sync, 0, 0});
    }
  }
}

std::vector<ShareOrder> MergeShares::drop_waiting() {
  std::vector<ShareOrder> orders;
  for (const auto& [b, block] : blocks_) {
    if (block.step == Step::made && block.rank != 0) {
      at(block.rank).owed.erase(b);
      orders.push_back({block.rank, MergeOrderKind::drop, b, 0});
    }
  }
  return orders;
}

void MergeShares::step(Block& block, Step step, double now_s) {
  longest_step_s_ = std::max(longest_step_s_, now_s - block.since_s);
  block.step = step;
  block.since_s = now_s;
}

std::vector<ShareOrder> MergeShares::made(int rank, const MergeReply& reply, double now_s) {
  const auto found = blocks_.find(reply.block);
  const bool asked =
      found != blocks_.end() && found->second.rank == rank && found->second.step == Step::making;
  if (stopped_ || !asked) {
    if (asked) {
      found->second.step = Step::open;
    }
    at(rank).owed.erase(reply.block);
    return {{rank, MergeOrderKind::drop, reply.block, 0}};
  }
  Block& block = found->second;
  if (block.at && block.entry.chunks != reply.chunks) {
    throw Failure(ExitCode::mpi_unavailable,
                  "ranks do not write the same bytes: start the same build of scalesweep on all");
  }
  block.entry = {reply.block, reply.copied_bytes, reply.encoded_rows, reply.chunks};
  step(block, Step::made, now_s);
  if (block.at) {
    block.step = Step::placed;
    return {{rank, MergeOrderKind::place, reply.block, *block.at}};
  }
  return {};
}

void MergeShares::failed(int rank, const MergeReply& reply) {
  if (rank == 0 && reply.error) {
    std::rethrow_exception(reply.error);
  }
  at(rank).owed.erase(reply.block);
  at(rank).retired = true;
  const auto found = blocks_.find(reply.block);
  if (found != blocks_.end() && found->second.rank == rank && found->second.step != Step::durable) {
    found->second.step = Step::open;
  }
}

std::vector<ShareOrder> MergeShares::take(int rank, const MergeReply& reply, double now_s) {
  at(rank).heard_s = now_s;
  const auto found = blocks_.find(reply.block);
  switch (reply.kind) {
    case MergeReplyKind::made:
      return made(rank, reply, now_s);
    case MergeReplyKind::put:
      at(rank).owed.erase(reply.block);
      at(rank).unsynced = true;
      if (found != blocks_.end() && found->second.rank == rank &&
          found->second.step == Step::placed) {
        step(found->second, Step::put, now_s);
      }
      break;
    case MergeReplyKind::durable:
      if (found != blocks_.end() && found->second.at) {
        step(found->second, Step::durable, now_s);
      }
      break;
    case MergeReplyKind::failed:
      failed(rank, reply);
      break;
  }
  return {};
}

const JournalEntry* MergeShares::next_to_place() const {
  const auto found = blocks_.find(unplaced_);
  const bool waits = found != blocks_.end() && found->second.step == Step::made && !stopped_;
  return waits ? &found->second.entry : nullptr;
}

ShareOrder MergeShares::place(std::uint64_t at, double now_s) {
  Block& block = blocks_.at(unplaced_);
  SCALESWEEP_EXPECT(block.step == Step::made && !block.at);
  block.at = at;
  block.step = Step::placed;
  block.since_s = now_s;
  return {block.rank, MergeOrderKind::place, unplaced_++, at};
}

std::optional<JournalEntry> MergeShares::next_durable() {
  const auto first = blocks_.begin();
  if (first == blocks_.end() || first->second.step != Step::durable) {
    return std::nullopt;
  }
  JournalEntry entry = std::move(first->second.entry);
  blocks_of_others_ += first->second.rank != 0 ? 1 : 0;
  blocks_.erase(first);
  ++first_;
  return entry;
}

bool MergeShares::done() const {
  if (!stopped_) {
    return first_ == last_;
  }
  return std::none_of(blocks_.begin(), blocks_.end(), [](const auto& block) {
    return block.second.step == Step::placed || block.second.step == Step::put;
  });
}

bool MergeShares::owes() const {
  return std::any_of(ranks_.begin() + 1, ranks_.end(),
                     [](const Rank& rank) { return !rank.owed.empty(); });
}

}  // namespace scalesweep::store
