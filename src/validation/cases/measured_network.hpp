// A network as a job measured it: the bus bandwidth of one large all-reduce over all of its ranks.
#pragma once

#include "estimator/training/training.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"

namespace scalesweep::validation {

// Gives the job the network that an all-reduce over all its devices saw at `bus_bytes_per_s`
// (twice bytes (p-1)/p / time: NCCL's meaning).
//
// Jobs of one software stack on one cluster fall into two kinds. In most, the ports of a node set
// the bandwidth, about the same on any number of nodes. In the others it falls as 1/ranks, whatever
// the ports carry, and collectives inside nodes are slow as well, by the number of their ranks and
// not by their bytes: each step of a collective waits for a host. Most jobs whose pipeline crosses
// nodes are of this kind. Where the bandwidth does not tell the kinds apart (up to four nodes), the
// pipeline does.
void apply_measured_bus_bandwidth(technology::System& system, estimator::TrainingJob& job,
                                  const parallel::Strategy& strategy, double bus_bytes_per_s);

}  // namespace scalesweep::validation
