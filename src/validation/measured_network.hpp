// A network as a job measured it: the bus bandwidth of one large all-reduce over all of its ranks.
#pragma once

#include <cstdint>

#include "technology/device.hpp"

namespace scalesweep::validation {

// Gives `system` the network that an all-reduce over `ranks` devices saw at `bus_bytes_per_s`
// (bytes (p-1)/p / time, twice that for an all-reduce: NCCL's meaning).
//
// Where the time is what the ports of a node explain, they get this rate. Where it is longer, and
// it then grows with the number of ranks and not with what a node sends, the steps of the ring are
// what takes the time, on every link: each gets the latency that explains it.
void apply_measured_bus_bandwidth(technology::System& system, std::int64_t ranks,
                                  double bus_bytes_per_s);

}  // namespace scalesweep::validation
