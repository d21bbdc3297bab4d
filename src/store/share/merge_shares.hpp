// Who does which block of a merge: a state machine without I/O or clock of its own. Replies and
// times go in, orders come out. Private to src/store.
//
// Blocks are handed out in order, so that the place of each is known soon: behind all before it,
// whoever does it. A block that does not come back is done by rank 0 as well, and may then be done
// twice: both write the same bytes to the same place.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "store/merge/merge_journal.hpp"
#include "store/share/merge_messages.hpp"

namespace scalesweep::store {

// To one rank; its block, and where that is to be placed.
struct ShareOrder {
  int rank = 0;
  MergeOrderKind kind = MergeOrderKind::make;
  std::int64_t block = 0;
  std::uint64_t at = 0;
};

class MergeShares {
 public:
  // Blocks [first, last) for `ranks` ranks, of which 0 is this one. A rank holds at most
  // `most_owed` of them, at least 2, rank 0 one more. What a rank is asked for may take
  // `patience_s` more than four times as long as anything took so far.
  MergeShares(std::int64_t first, std::int64_t last, int ranks, std::int64_t most_owed,
              double patience_s);

  // What ranks are to begin with now. `now_s` never falls.
  std::vector<ShareOrder> hand_out(double now_s);
  // What follows from a reply at once. Throws Failure: what rank 0 itself failed with; or internal
  // if a block that was done twice came out as two.
  std::vector<ShareOrder> take(int rank, const MergeReply& reply, double now_s);
  // The next block, in order, whose chunks are known and that has no place yet.
  const JournalEntry* next_to_place() const;
  ShareOrder place(std::uint64_t at, double now_s);
  // The next block, in order, that is durable; each once.
  std::optional<JournalEntry> next_durable();
  // Nothing more is begun, and nothing more gets a place.
  void stop() { stopped_ = true; }
  // After stop(): others forget what waits for a place.
  std::vector<ShareOrder> drop_waiting();
  // All blocks are durable; after stop(): all that have a place.
  bool done() const;
  // Ranks that have not answered all of their orders.
  bool owes() const;

  std::int64_t placed_blocks() const { return unplaced_; }  // with those before the first
  // Of the blocks that were taken out by next_durable(): not by rank 0.
  std::int64_t blocks_of_others() const { return blocks_of_others_; }

 private:
  enum class Step : std::uint8_t { open, making, made, placed, put, durable };
  struct Block {
    Step step = Step::open;
    int rank = 0;  // that does it
    double since_s = 0.0;
    std::optional<std::uint64_t> at;  // its place
    JournalEntry entry;               // once it is made
  };
  struct Rank {
    std::set<std::int64_t> owed;  // blocks that are in its memory, or on their way there
    bool retired = false;
    bool unsynced = false;
    double heard_s = 0.0;
  };

  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  std::optional<int> idlest() const;
  bool works(int rank) const;
  std::optional<std::int64_t> stuck(double now_s) const;
  ShareOrder begin(int rank, std::int64_t b, double now_s);
  void step(Block& block, Step step, double now_s);
  std::vector<ShareOrder> made(int rank, const MergeReply& reply, double now_s);
  void failed(int rank, const MergeReply& reply);
  void hand_out_syncs(double now_s, std::vector<ShareOrder>& orders);

  std::int64_t first_ = 0;  // of those that are not durable
  std::int64_t last_ = 0;
  std::int64_t next_ = 0;      // never handed out
  std::int64_t unplaced_ = 0;  // the first without a place
  std::size_t most_owed_ = 2;
  std::size_t run_ = 1;  // blocks in a row that a rank gets at once: of the same segment, mostly
  double patience_s_ = 0.0;
  bool stopped_ = false;
  double longest_step_s_ = 0.0;
  std::int64_t blocks_of_others_ = 0;
  std::map<std::int64_t, Block> blocks_;  // from first_ to next_
  std::vector<Rank> ranks_;
};

}  // namespace scalesweep::store
