// Where the ranks of a parallel group stand on a two-level network, and what they exchange.
//
// Ranks are numbered tensor-parallel innermost, then data-parallel, then pipeline stages (the order
// of Megatron-LM); consecutive ranks fill a scale-up domain before the next begins.
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

enum class Dimension { tensor, data };
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
