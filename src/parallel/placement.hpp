// Where the ranks of a parallel group stand on the levels of a network, and what they exchange.
//
// Ranks are numbered as Strategy::rank_order says; consecutive ranks fill a block of a level before
// the next begins, on every level.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "parallel/strategy.hpp"

namespace scalesweep::parallel {

inline constexpr std::size_t most_levels = 6;

// The levels of a network from the inside out: how many ranks a block of each holds but of the
// last, which joins all. Each size is a multiple of the one before.
struct Levels {
  std::array<std::int64_t, most_levels> blocks{};
  std::size_t count = 0;
  std::size_t domain_level = 0;  // the one whose blocks are scale-up domains

  Levels() = default;
  // The usual two: scale-up domains of so many ranks, and what joins them.
  Levels(std::int64_t domain) : blocks{domain}, count(2) {}  // NOLINT: as good as its one number
};

// How many ranks of a group stand on each level: ranks[0] share an innermost block, ranks[1] such
// sets a block of the next level, and so on; 1 where the group does not span a level.
struct Group {
  std::array<std::int64_t, most_levels> ranks;
  std::size_t domain_level = 0;

  Group() : Group(1, 1) {}
  // Ranks that share a scale-up domain, and such sets, on the usual two levels.
  Group(std::int64_t inner, std::int64_t outer);

  std::int64_t size() const;
  std::int64_t inner() const;  // ranks that share a scale-up domain
  std::int64_t outer() const;  // sets of them
  std::size_t widest() const;  // the outermost level that it spans, 0 for a group of one
  Group inside() const;        // the ranks of one domain
  Group across() const;        // one of each domain
  Group neighbours() const;    // two on the widest level
  friend bool operator==(const Group&, const Group&) = default;
};

enum class Dimension {
  tensor,
  context,
  decode_context,  // the tensor-parallel ranks that share a cache along the sequence
  data,            // all context_parallel * data_parallel replicas of the dense weights
  shard,           // of them, the ones that ZeRO-3 spreads weights over
  shard_replica,   // the ranks with the same shard
  expert,          // the ranks that the experts of a layer are spread over
  // Of those, the ones that tokens travel between: the same tensor-parallel rank alone where all of
  // these have the same tokens.
  expert_exchange,
  expert_data,  // the replicas of an expert
  pipeline,
};

Group group_of(const Strategy& strategy, Dimension dimension, const Levels& levels);

// The first ranks of a system.
Group group_of(std::int64_t ranks, const Levels& levels);

enum class CollectiveKind { all_reduce, all_gather, reduce_scatter, all_to_all };

// Whose kernels run it: the vendor's communication library, or the kernels of an inference library
// that read the peers' buffers directly (all-reduce inside a scale-up domain only), or those that
// write to them (all-to-all only).
enum class CollectiveLibrary { general, one_shot, direct };

// `bytes` is the full buffer: what each rank holds before an all-reduce, reduce-scatter or
// all-to-all, and after an all-gather.
struct Collective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  Group group;
  double bytes = 0.0;
  CollectiveLibrary library = CollectiveLibrary::general;
  bool switches_add = true;  // whether those that reduce can add its elements: floating point
};

}  // namespace scalesweep::parallel
