// Collectives and point-to-point transfers on the levels of a network: alpha-beta with a
// message-size dependent bandwidth, the fastest algorithm and protocol per call.
//
// Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH"
// (2005) for ring and halving-doubling; Sanders, Speck, Traff, "Two-tree algorithms" (2009) for the
// double binary tree, as NCCL uses it.
#pragma once

#include "estimator/parts/cost.hpp"
#include "parallel/placement.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

enum class Algorithm {
  none,
  ring,
  tree,
  halving_doubling,
  in_network,
  hierarchical,
  pairwise,
  one_shot,
  two_shot
};

struct CollectiveCost {
  Cost cost;
  Algorithm algorithm = Algorithm::none;
};

// The levels of a system as placement sees them.
parallel::Levels levels_of(const technology::System& system);

// Two neighbouring domains, by one rank each.
parallel::Group between_domains(const technology::System& system);

// Free for a group of one.
CollectiveCost collective_cost(const parallel::Collective& collective,
                               const technology::System& system);

// Among the ranks of one dimension of a strategy.
Cost collective_among(const technology::System& system, const parallel::Strategy& strategy,
                      parallel::CollectiveKind kind, parallel::Dimension dimension, double bytes);

// One message of `bytes` between neighbours of a group, over the widest level that it spans. Beyond
// the ports of domains, its uplinks are shared by what crosses them at once.
Cost transfer_cost(double bytes, const parallel::Group& group, const technology::System& system);

}  // namespace scalesweep::estimator
