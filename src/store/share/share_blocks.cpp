#include "store/share/share_blocks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>

#include "core/hash.hpp"
#include "store/hdf5/chunk_file.hpp"
#include "store/segments/stored_study.hpp"
#include "store/share/merge_shares.hpp"
#include "store/share/merge_thread.hpp"

namespace scalesweep::store {
namespace {

constexpr double poll_seconds = 1e-3;
// For others to end what they are at: after a signal, when a launcher soon kills, and after a
// failure.
constexpr double stop_seconds = 0.5;
constexpr double drain_seconds = 2.0;

// Of values, in the memory of a rank: two of the largest blocks, or some more of small ones.
constexpr std::int64_t held_bytes = std::int64_t{1} << 27;
constexpr std::int64_t most_owed_blocks = 8;

std::int64_t most_owed(const StudyDescription& study, const ChunkGrid& grid) {
  const std::int64_t row_bytes = stored_row_bytes(study.schema);
  const std::int64_t block_bytes = grid.block_chunks * grid.chunk_rows * row_bytes;
  return std::clamp<std::int64_t>(held_bytes / block_bytes, 2, most_owed_blocks);
}

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// No two merges have the same.
std::string new_mark() {
  std::random_device random;
  return "scalesweep-merge " +
         sha256(fmt::format("{} {} {} {} {}", ::getpid(), now_s(), random(), random(), random()));
}

class Sharing {
 public:
  Sharing(ChunkFile& file, MergeJournal& journal, const BlocksToShare& blocks,
          const FinishOptions& options, MergeSharing& sharing, FinishReport& report)
      : file_(file),
        journal_(journal),
        blocks_(blocks),
        options_(options),
        ranks_(*sharing.ranks),
        report_(report),
        shares_(blocks.first, blocks.grid.blocks(), ranks_.others() + 1,
                most_owed(blocks.study, blocks.grid), sharing.patience_seconds),
        mark_(new_mark()),
        own_(blocks.study,
             {blocks.output, options.durability, sharing.threads, options.checkpoint_seconds}) {
    for (const Segment& segment : blocks.segments) {
      first_rows_.push_back(first_rows_.back() + segment.rows);
    }
  }

  // False if it was stopped.
  bool run();
  // After a failure: until no other rank writes any more. False if one does not say so.
  bool drain();
  std::int64_t blocks_of_others() const { return shares_.blocks_of_others(); }

 private:
  bool stop_requested() const { return options_.stop_requested && options_.stop_requested(); }
  MergeOrder order_of(const ShareOrder& order) const;
  void send(const std::vector<ShareOrder>& orders);
  void listen();
  void place();
  void note_durable();
  void commit();

  ChunkFile& file_;
  MergeJournal& journal_;
  const BlocksToShare& blocks_;
  const FinishOptions& options_;
  MergeRanks& ranks_;
  FinishReport& report_;
  MergeShares shares_;
  std::string mark_;
  std::vector<std::int64_t> first_rows_{0};  // of each segment in the merged file, and the end
  double committed_s_ = now_s();
  MergeThread own_;
};

MergeOrder Sharing::order_of(const ShareOrder& share) const {
  MergeOrder order;
  order.kind = share.kind;
  order.block = share.block;
  order.at = share.at;
  if (share.kind != MergeOrderKind::make) {
    return order;
  }
  const ChunkGrid& grid = blocks_.grid;
  order.identity = blocks_.study.identity;
  order.mark = mark_;
  order.rows = grid.rows;
  order.chunk_rows = grid.chunk_rows;
  order.block_chunks = grid.block_chunks;
  const ChunkBlock block = grid.block(share.block);
  const std::int64_t first_row = grid.first_row(block.first);
  const std::int64_t last_row = grid.last_row(block.last - 1);
  // The last segment that begins at the row or before.
  const auto after = std::upper_bound(first_rows_.begin(), first_rows_.end(), first_row);
  auto segment = static_cast<std::size_t>(after - first_rows_.begin()) - 1;
  order.first_row = first_rows_[segment];
  for (; segment < blocks_.segments.size() && first_rows_[segment] < last_row; ++segment) {
    if (blocks_.segments[segment].rows > 0) {
      order.sources.push_back({blocks_.segments[segment].ids, blocks_.segments[segment].rows});
    }
  }
  return order;
}

void Sharing::send(const std::vector<ShareOrder>& orders) {
  for (const ShareOrder& share : orders) {
    if (share.rank == 0) {
      own_.order(order_of(share));
    } else {
      ranks_.send(share.rank, order_of(share));
    }
  }
}

void Sharing::listen() {
  for (const MergeReply& reply : own_.replies()) {
    send(shares_.take(0, reply, now_s()));
  }
  double timeout_seconds = poll_seconds;
  while (const auto reply = ranks_.receive(timeout_seconds)) {
    send(shares_.take(reply->first, reply->second, now_s()));
    timeout_seconds = 0.0;
  }
}

void Sharing::place() {
  while (const JournalEntry* entry = shares_.next_to_place()) {
    const std::uint64_t at = file_.reserve(entry->chunks);
    send({shares_.place(at, now_s())});
    tell(options_.progress, "merging segments", shares_.placed_blocks(), blocks_.grid.blocks());
  }
}

void Sharing::note_durable() {
  while (const std::optional<JournalEntry> entry = shares_.next_durable()) {
    journal_.append(*entry);
    report_.copied_bytes += entry->copied_bytes;
    report_.encoded_rows += entry->encoded_rows;
  }
  if (now_s() - committed_s_ >= options_.checkpoint_seconds) {
    commit();
  }
}

void Sharing::commit() {
  journal_.commit(options_.durability);
  committed_s_ = now_s();
}

bool Sharing::run() {
  file_.mark(mark_);
  file_.sync();  // so that other machines see it
  bool stopped = false;
  double end_s = 0.0;
  while (!shares_.done() && !(stopped && now_s() >= end_s)) {
    if (!stopped && stop_requested()) {
      stopped = true;
      end_s = now_s() + stop_seconds;
      shares_.stop();
    }
    send(shares_.hand_out(now_s()));
    listen();
    place();
    note_durable();
  }
  commit();
  return !stopped;
}

bool Sharing::drain() {
  shares_.stop();
  send(shares_.drop_waiting());
  const double end_s = now_s() + drain_seconds;
  while (shares_.owes() && now_s() < end_s) {
    if (const auto reply = ranks_.receive(poll_seconds)) {
      send(shares_.take(reply->first, reply->second, now_s()));
    }
  }
  return !shares_.owes();
}

}  // namespace

bool share_blocks(ChunkFile& file, MergeJournal& journal, const BlocksToShare& blocks,
                  const FinishOptions& options, MergeSharing& sharing, FinishReport& report) {
  Sharing shared(file, journal, blocks, options, sharing, report);
  try {
    const bool complete = shared.run();
    sharing.blocks_of_others += shared.blocks_of_others();
    return complete;
  } catch (const Failure&) {
    if (!shared.drain()) {
      discard_merge(blocks.output);
    }
    throw;
  }
}

}  // namespace scalesweep::store
