// Where the ranks of a parallel group stand on a two-level network, and what they exchange.
//
// Ranks are numbered as Strategy::rank_order says; consecutive ranks fill a scale-up domain before
// the next begins.
#pragma once

#include <cstdint>

#include "parallel/strategy.hpp"

namespace scalesweep::parallel {

// inner ranks share a scale-up domain; outer such sets are joined by the scale-out network.
struct Group {
  std::int64_t inner = 1;
  std::int64_t outer = 1;
  std::int64_t size() const { return inner * outer; }
};

enum class Dimension {
  tensor,
  context,
  data,           // all context_parallel * data_parallel replicas of the dense weights
  shard,          // of them, the ones that ZeRO-3 spreads weights over
  shard_replica,  // the ranks with the same shard
  expert,         // of them, the ones that the experts of a layer are spread over
  expert_data,    // the replicas of an expert
  pipeline,
};
enum class Link { scale_up, scale_out };

Group group_of(const Strategy& strategy, Dimension dimension, std::int64_t scale_up_domain);

// The slowest link between neighbouring pipeline stages.
Link stage_link(const Strategy& strategy, std::int64_t scale_up_domain);

enum class CollectiveKind { all_reduce, all_gather, reduce_scatter, all_to_all };

// Whose kernels run it: the vendor's communication library, or the kernels of an inference library
// that read the peers' buffers directly (all-reduce inside a scale-up domain only).
enum class CollectiveLibrary { general, one_shot };

// `bytes` is the full buffer: what each rank holds before an all-reduce, reduce-scatter or
// all-to-all, and after an all-gather.
struct Collective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  Group group;
  double bytes = 0.0;
  CollectiveLibrary library = CollectiveLibrary::general;
};

}  // namespace scalesweep::parallel
