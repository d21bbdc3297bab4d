// Who does which block, with ranks that are slow, fail or fall silent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <set>

#include "core/failure.hpp"
#include "store/share/merge_shares.hpp"

namespace scalesweep::store {
namespace {

using testing::HasSubstr;

ChunkSums chunks_of(std::int64_t block) {
  return {{static_cast<std::uint32_t>(100 + block % 7), 1}, {50, 2}};
}

MergeReply reply_of(MergeReplyKind kind, std::int64_t block) {
  MergeReply reply;
  reply.kind = kind;
  reply.block = block;
  if (kind == MergeReplyKind::made) {
    reply.chunks = chunks_of(block);
  }
  return reply;
}

// Ranks that do what they are told whenever it is their turn, and times that pass.
class Model {
 public:
  Model(std::int64_t first, std::int64_t last, int ranks, unsigned seed)
      : most_(2 + seed % 7),
        shares_(first, last, ranks, most_, 1.0),
        ranks_(static_cast<std::size_t>(ranks)),
        random_(seed),
        next_(first),
        next_placed_(first) {}

  // Faults never befall rank 0.
  void let_fail(double part) { failing_ = part; }
  void let_fall_silent(int rank, int after) {
    ranks_.at(static_cast<std::size_t>(rank)).left = after;
  }

  void run() {
    for (int round = 0; !shares_.done(); ++round) {
      ASSERT_LT(round, 100'000) << "does not end";
      give(shares_.hand_out(now_s_));
      act(static_cast<int>(random_() % ranks_.size()));
      while (shares_.next_to_place() != nullptr) {
        place();
      }
      while (const auto entry = shares_.next_durable()) {
        EXPECT_EQ(entry->block, next_++);
        EXPECT_EQ(entry->chunks, chunks_of(entry->block));
        EXPECT_TRUE(written_.count(entry->block) == 1);
      }
      now_s_ += 0.01;
    }
  }
  std::int64_t next() const { return next_; }
  const MergeShares& shares() const { return shares_; }

 private:
  struct Rank {
    std::deque<ShareOrder> orders;
    std::set<std::int64_t> held;
    std::set<std::int64_t> unsynced;
    int left = 1'000'000;  // replies, then it is silent
  };

  void give(const std::vector<ShareOrder>& orders) {
    for (const ShareOrder& order : orders) {
      ranks_[static_cast<std::size_t>(order.rank)].orders.push_back(order);
    }
  }
  void place() {
    EXPECT_EQ(shares_.next_to_place()->block, next_placed_);
    places_[next_placed_] = 1000U + static_cast<std::uint64_t>(next_placed_);
    give({shares_.place(places_[next_placed_], now_s_)});
    ++next_placed_;
  }
  void say(int rank, MergeReplyKind kind, std::int64_t block) {
    if (--ranks_[static_cast<std::size_t>(rank)].left >= 0) {
      give(shares_.take(rank, reply_of(kind, block), now_s_));
    }
  }
  void act(int rank) {
    Rank& r = ranks_[static_cast<std::size_t>(rank)];
    if (r.orders.empty()) {
      return;
    }
    const ShareOrder order = r.orders.front();
    r.orders.pop_front();
    const bool fails = rank != 0 && static_cast<double>(random_() % 1000) < 1000.0 * failing_;
    switch (order.kind) {
      case MergeOrderKind::make:
        if (!fails) {
          r.held.insert(order.block);
        }
        EXPECT_LE(static_cast<std::int64_t>(r.held.size()), rank == 0 ? most_ + 1 : most_);
        break;
      case MergeOrderKind::place:
        EXPECT_EQ(order.at, places_.at(order.block));
        EXPECT_EQ(r.held.erase(order.block), 1U);
        if (!fails && r.left > 0) {
          written_.insert(order.block);
          r.unsynced.insert(order.block);
        }
        break;
      case MergeOrderKind::drop:
        r.held.erase(order.block);
        return;
      case MergeOrderKind::sync:
        for (const std::int64_t block : std::exchange(r.unsynced, {})) {
          say(rank, fails ? MergeReplyKind::failed : MergeReplyKind::durable, block);
        }
        return;
    }
    const auto done =
        order.kind == MergeOrderKind::make ? MergeReplyKind::made : MergeReplyKind::put;
    say(rank, fails ? MergeReplyKind::failed : done, order.block);
  }

  std::int64_t most_;
  MergeShares shares_;
  std::vector<Rank> ranks_;
  std::mt19937 random_;
  double now_s_ = 0.0;
  double failing_ = 0.0;
  std::int64_t next_ = 0;
  std::int64_t next_placed_ = 0;
  std::map<std::int64_t, std::uint64_t> places_;
  std::set<std::int64_t> written_;
};

TEST(MergeShares, EveryBlockIsDurableOnceInOrder) {
  for (const int ranks : {1, 2, 3, 8, 100}) {
    for (unsigned seed = 0; seed < 5; ++seed) {
      Model model(3, 60, ranks, seed);
      model.run();
      EXPECT_EQ(model.next(), 60);
      EXPECT_EQ(model.shares().blocks_of_others() > 0, ranks > 1);
    }
  }
}

TEST(MergeShares, RanksThatFailOrFallSilentLoseNothing) {
  for (const int ranks : {2, 3, 9}) {
    for (unsigned seed = 0; seed < 40; ++seed) {
      Model model(0, 50, ranks, seed);
      model.let_fail(seed % 4 == 0 ? 0.0 : 0.05);
      for (int rank = 1; rank < ranks; ++rank) {
        if ((seed + static_cast<unsigned>(rank)) % 3 != 0) {
          model.let_fall_silent(
              rank, static_cast<int>((seed * 7 + 3U * static_cast<unsigned>(rank)) % 20));
        }
      }
      model.run();
      EXPECT_EQ(model.next(), 50);
    }
  }
}

TEST(MergeShares, ARankGetsBlocksInARow) {
  MergeShares shares(0, 100, 2, 8, 1.0);
  const std::vector<ShareOrder> orders = shares.hand_out(0.0);
  ASSERT_EQ(orders.size(), 16U);
  for (std::size_t i = 0; i < orders.size(); ++i) {
    EXPECT_EQ(orders[i].block, static_cast<std::int64_t>(i));
    EXPECT_EQ(orders[i].rank, static_cast<int>(i / 4 % 2));
  }
  EXPECT_EQ(MergeShares(0, 100, 99, 8, 1.0).hand_out(0.0)[1].rank, 1) << "where all have some";
}

TEST(MergeShares, NoBlocksAreDoneAtOnce) {
  EXPECT_TRUE(MergeShares(4, 4, 3, 2, 1.0).done());
}

TEST(MergeShares, AFailureOfRankZeroIsThrown) {
  MergeShares shares(0, 4, 2, 2, 1.0);
  shares.hand_out(0.0);
  MergeReply reply = reply_of(MergeReplyKind::failed, 0);
  reply.error = std::make_exception_ptr(Failure(ExitCode::io, "no room"));
  EXPECT_THROW(shares.take(0, reply, 0.1), Failure);
}

TEST(MergeShares, ABlockThatComesOutAsTwoEndsIt) {
  MergeShares both(0, 2, 2, 2, 0.5);
  both.hand_out(0.0);
  both.take(0, reply_of(MergeReplyKind::made, 0), 0.0);
  both.place(4096, 0.0);
  both.take(0, reply_of(MergeReplyKind::put, 0), 0.0);
  both.take(1, reply_of(MergeReplyKind::made, 1), 0.0);
  both.place(8192, 0.0);
  const std::vector<ShareOrder> orders = both.hand_out(10.0);  // rank 1 has not written it
  ASSERT_FALSE(orders.empty());
  EXPECT_EQ(orders[0].rank, 0);
  EXPECT_EQ(orders[0].block, 1);
  MergeReply other = reply_of(MergeReplyKind::made, 1);
  other.chunks[0].crc += 1;  // as long, but of other bytes
  try {
    both.take(0, other, 10.1);
    FAIL() << "was taken";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::mpi_unavailable);
    EXPECT_THAT(failure.what(), HasSubstr("start the same build of scalesweep on all"));
  }
}

TEST(MergeShares, StopBeginsNothingAndWaitsForWhatHasItsPlace) {
  MergeShares shares(0, 10, 1, 2, 1.0);
  shares.hand_out(0.0);
  shares.take(0, reply_of(MergeReplyKind::made, 0), 0.0);
  shares.place(4096, 0.0);
  shares.stop();
  EXPECT_TRUE(shares.hand_out(0.1).empty());
  EXPECT_FALSE(shares.done());
  const auto dropped = shares.take(0, reply_of(MergeReplyKind::made, 1), 0.2);
  ASSERT_EQ(dropped.size(), 1U);
  EXPECT_EQ(dropped[0].kind, MergeOrderKind::drop);
  shares.take(0, reply_of(MergeReplyKind::put, 0), 0.3);
  const auto synced = shares.hand_out(0.4);
  ASSERT_EQ(synced.size(), 1U);
  EXPECT_EQ(synced[0].kind, MergeOrderKind::sync);
  shares.take(0, reply_of(MergeReplyKind::durable, 0), 0.5);
  EXPECT_EQ(shares.next_durable()->block, 0);
  EXPECT_TRUE(shares.done());
}

}  // namespace
}  // namespace scalesweep::store
