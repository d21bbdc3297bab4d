#include "estimator/collective.hpp"

#include <algorithm>
#include <cmath>

#include "core/contracts.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Collective;
using parallel::CollectiveKind;
using parallel::Group;

// One level of the network as plain numbers.
struct Level {
  Resource resource = Resource::scale_up;
  double bytes_per_s = 0.0;  // sustained
  double port_bytes_per_s = 0.0;
  double latency_s = 0.0;
  double call_s = 0.0;
  double half_bytes = 0.0;
  double distant_share = 1.0;  // of bytes_per_s, for patterns between far ranks
  double in_network = 0.0;     // fraction of the port's rate when reducing in the switch; 0: cannot
};

Level level_of(const technology::Network& network, Resource resource) {
  Level level;
  level.resource = resource;
  level.port_bytes_per_s = network.bandwidth.si();
  level.bytes_per_s = level.port_bytes_per_s * network.sustained;
  level.latency_s = network.latency.si();
  level.call_s = network.call_latency.si();
  level.half_bytes = network.half_size.si();
  level.distant_share = network.distant_share;
  level.in_network = network.in_network_reduction ? network.in_network_efficiency : 0.0;
  SCALESWEEP_EXPECT(level.bytes_per_s > 0.0);
  return level;
}

// Small messages go by a protocol that needs no handshake but sends a flag beside the data (half of
// the wire in NCCL's): no saturation, and this share of the sustained rate. Fits to measured
// all-reduce, all-gather and reduce-scatter on A100, H100, B200 and GB200 give 0.35 to 0.48.
constexpr double low_latency_share = 0.4;

struct Candidate {
  Algorithm algorithm = Algorithm::none;
  double steps = 0.0;       // alphas on the path
  double wire_bytes = 0.0;  // that one rank sends
  double bytes_per_s = 1.0;
  double half_bytes = 0.0;

  // Bandwidth B(S) = B S / (S + S_half), so a message takes (S + S_half) / B; or the low-latency
  // protocol, whichever is faster.
  double wire_s() const {
    return std::min(wire_bytes + half_bytes, wire_bytes / low_latency_share) / bytes_per_s;
  }
};

void keep_faster(Candidate& best, const Candidate& other, const Level& level) {
  const double best_s = best.steps * level.latency_s + best.wire_s();
  const double other_s = other.steps * level.latency_s + other.wire_s();
  if (best.algorithm == Algorithm::none || other_s < best_s) {
    best = other;
  }
}

// The fastest algorithm among p ranks of one level.
Candidate fastest(CollectiveKind kind, double p, double bytes, const Level& level) {
  const double doublings = std::ceil(std::log2(p));
  const double share = (p - 1.0) / p;
  const auto candidate = [&](Algorithm algorithm, double steps, double wire_bytes) {
    const double share_of_rate = algorithm == Algorithm::ring ? 1.0 : level.distant_share;
    return Candidate{algorithm, steps, wire_bytes, level.bytes_per_s * share_of_rate,
                     level.half_bytes};
  };
  Candidate best;
  if (kind != CollectiveKind::all_reduce) {
    keep_faster(best, candidate(Algorithm::ring, p - 1.0, share * bytes), level);
    keep_faster(best, candidate(Algorithm::halving_doubling, doublings, share * bytes), level);
    return best;
  }
  keep_faster(best, candidate(Algorithm::ring, 2.0 * (p - 1.0), 2.0 * share * bytes), level);
  keep_faster(best, candidate(Algorithm::tree, 2.0 * doublings, 2.0 * bytes), level);
  keep_faster(best, candidate(Algorithm::halving_doubling, 2.0 * doublings, 2.0 * share * bytes),
              level);
  if (level.in_network > 0.0) {
    // Each rank sends its buffer once and gets the result; S (1 + 1/p) / (e B) as measured on
    // switches that reduce.
    keep_faster(best,
                Candidate{Algorithm::in_network, 2.0, bytes * (1.0 + 1.0 / p),
                          level.port_bytes_per_s * level.in_network, level.half_bytes},
                level);
  }
  return best;
}

CollectiveCost on_level(CollectiveKind kind, double p, double bytes, const Level& level) {
  CollectiveCost result;
  if (p <= 1.0 || bytes <= 0.0) {
    return result;
  }
  const Candidate best = fastest(kind, p, bytes, level);
  result.algorithm = best.algorithm;
  result.cost.time = Charges::of(level.resource, best.wire_s());
  result.cost.time += Charges::of(Resource::latency, level.call_s + best.steps * level.latency_s);
  (level.resource == Resource::scale_up ? result.cost.work.scale_up_bytes
                                        : result.cost.work.scale_out_bytes) = best.wire_bytes;
  return result;
}

}  // namespace

CollectiveCost collective_cost(const Collective& collective, const technology::System& system) {
  const Level up = level_of(system.scale_up, Resource::scale_up);
  const Level out = level_of(system.scale_out, Resource::scale_out);
  const auto inner = static_cast<double>(collective.group.inner);
  const auto outer = static_cast<double>(collective.group.outer);
  if (outer <= 1.0) {
    return on_level(collective.kind, inner, collective.bytes, up);
  }
  if (inner <= 1.0) {
    return on_level(collective.kind, outer, collective.bytes, out);
  }
  // Inside every domain each rank comes to own 1/inner of the buffer, which crosses on its own
  // rail.
  const double rail_bytes = collective.bytes / inner;
  CollectiveCost result;
  result.algorithm = Algorithm::hierarchical;
  if (collective.kind != CollectiveKind::all_gather) {
    result.cost += on_level(CollectiveKind::reduce_scatter, inner, collective.bytes, up).cost;
  }
  result.cost += on_level(collective.kind, outer, rail_bytes, out).cost;
  if (collective.kind != CollectiveKind::reduce_scatter) {
    result.cost += on_level(CollectiveKind::all_gather, inner, collective.bytes, up).cost;
  }
  return result;
}

Cost transfer_cost(double bytes, parallel::Link link, const technology::System& system) {
  const bool inside = link == parallel::Link::scale_up;
  const Level level = inside ? level_of(system.scale_up, Resource::scale_up)
                             : level_of(system.scale_out, Resource::scale_out);
  Cost cost;
  cost.time = Charges::of(level.resource, (bytes + level.half_bytes) / level.bytes_per_s);
  cost.time += Charges::of(Resource::latency, level.call_s + level.latency_s);
  (inside ? cost.work.scale_up_bytes : cost.work.scale_out_bytes) = bytes;
  return cost;
}

}  // namespace scalesweep::estimator
