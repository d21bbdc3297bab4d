#include "validation/cases/measured_network.hpp"

#include <algorithm>
#include <cmath>

namespace scalesweep::validation {
namespace {

// Bus bandwidth of jobs whose ports set it: the median of those on eight nodes and more.
constexpr double usual_bus_bytes_per_s = 180e9;

// Where steps set it: 1.074 GB over so many seconds for each rank but one, the same at every number
// of ranks above 32.
constexpr double slow_bus_bytes_per_s_ranks = 1.074e9 / 1.6e-4;

// Time of the host for each rank of a collective in such jobs, fitted to their layers.
constexpr double slow_rank_issue_s = 225e-6;

// Up to here both kinds measure about the same.
constexpr double telling_nodes = 4.0;

}  // namespace

void apply_measured_bus_bandwidth(technology::System& system, estimator::TrainingJob& job,
                                  const parallel::Strategy& strategy, double bus_bytes_per_s) {
  const auto ranks = static_cast<double>(strategy.devices());
  const double domain = system.scale_up_domain();
  const double nodes = ranks / domain;
  if (nodes <= 1.0) {
    return;  // says nothing of the network beyond
  }
  const double by_steps = slow_bus_bytes_per_s_ranks / (ranks - 1.0);
  const bool slow = nodes > telling_nodes
                        ? bus_bytes_per_s < std::sqrt(by_steps * usual_bus_bytes_per_s)
                        : strategy.pipeline_parallel > 1;
  if (slow) {
    job.stack.replicas.rank_issue_interval_s =
        std::max(job.stack.replicas.rank_issue_interval_s, slow_rank_issue_s);
  }
  // Of an all-reduce over n nodes each device sends 2 (n-1)/n of its share through its port.
  const double bus = slow ? usual_bus_bytes_per_s : bus_bytes_per_s;
  const double port = bus * (nodes - 1.0) / nodes / domain;
  system.set_scale_out_rate(BytesPerSecond::si(port / system.scale_out().sustained));
}

}  // namespace scalesweep::validation
