#include "estimator/parts/collective.hpp"

#include <algorithm>
#include <cmath>

#include "core/contracts.hpp"
#include "technology/topology.hpp"

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
  double far_latency_s = 0.0;  // of a step between far ranks
  double call_s = 0.0;
  double half_bytes = 0.0;
  double distant_share = 1.0;  // of bytes_per_s, for patterns between far ranks
  int circuit_dimensions = 0;  // of a torus of circuits; 0: switched
  double in_network = 0.0;     // fraction of the port's rate when reducing in the switch; 0: cannot
  double in_network_half_bytes = 0.0;
  double own_part = 0.0;  // copied by each rank, in parts of the buffer
  double one_shot_s = 0.0;
  double one_shot = 0.0;  // fraction of the port's rate of kernels that read the peers; 0: none
  technology::CollectiveFit fit;
};

Level level_of(const technology::Network& network, Resource resource) {
  Level level;
  level.resource = resource;
  level.port_bytes_per_s = network.bandwidth.si();
  level.bytes_per_s = level.port_bytes_per_s * network.sustained;
  level.latency_s = network.latency.si();
  const bool inside = resource == Resource::scale_up;
  level.far_latency_s = level.latency_s * (inside ? network.fit.far_step : 1.0);
  level.call_s = network.call_latency.si();
  level.half_bytes = network.half_size.si();
  level.distant_share = network.distant_share;
  level.circuit_dimensions = network.circuit_dimensions;
  level.in_network = network.in_network_reduction ? network.in_network_efficiency : 0.0;
  level.in_network_half_bytes = network.in_network_half_size.si();
  // Across nodes the copy hides behind a network that is slower.
  level.own_part = inside ? network.fit.own_part : 0.0;
  level.one_shot_s = network.one_shot_latency.si();
  level.one_shot = network.one_shot_efficiency;
  level.fit = network.fit;
  SCALESWEEP_EXPECT(level.bytes_per_s > 0.0);
  return level;
}

// Of the rate, what p far ranks reach: circuits join each with its neighbours, so that messages to
// others pass through these.
double far_share(const Level& level, double p) {
  const bool circuits = level.circuit_dimensions > 0;
  return level.distant_share *
         (circuits ? technology::torus_share(level.circuit_dimensions, p) : 1.0);
}

struct Candidate {
  Algorithm algorithm = Algorithm::none;
  double steps_s = 0.0;     // latency of the steps on the path
  double wire_bytes = 0.0;  // that one rank sends
  double wire_s = 0.0;
  double wait_s = 0.0;  // handshake

  double total_s() const { return steps_s + wait_s + wire_s; }
};

// Bandwidth B(S) = B S / (S + S_half), so a message takes (S + S_half) / B after the handshake; or
// one of the protocols without, which send flags beside the data, whichever is fastest.
// `copied_bytes` are sent to oneself.
Candidate with_protocol(Algorithm algorithm, double steps_s, double wire_bytes, double copied_bytes,
                        double bytes_per_s, double wait_s, const Level& level) {
  const double bytes = wire_bytes + copied_bytes;
  const double word_s = bytes / (level.fit.word_flag_share * bytes_per_s);
  const double line_s = bytes / (level.fit.line_flag_share * bytes_per_s);
  const double full_s = (bytes + level.half_bytes) / bytes_per_s;
  const double waited_s = std::min(line_s, full_s);
  const bool waits = wait_s + waited_s < word_s;
  return {algorithm, steps_s, wire_bytes, waits ? waited_s : word_s, waits ? wait_s : 0.0};
}

void keep_faster(Candidate& best, const Candidate& other) {
  if (best.algorithm == Algorithm::none || other.total_s() < best.total_s()) {
    best = other;
  }
}

// The fastest algorithm among p ranks of one level.
Candidate fastest(CollectiveKind kind, double p, double bytes, const Level& level) {
  const double doublings = std::ceil(std::log2(p));
  const double part = bytes / p;
  const double copied = level.own_part * part;
  const auto candidate = [&](Algorithm algorithm, double steps, double wire_bytes) {
    const bool ring = algorithm == Algorithm::ring;
    return with_protocol(algorithm, steps * (ring ? level.latency_s : level.far_latency_s),
                         wire_bytes, copied, level.bytes_per_s * (ring ? 1.0 : far_share(level, p)),
                         level.fit.handshake * level.latency_s, level);
  };
  Candidate best;
  if (kind == CollectiveKind::all_to_all) {
    // Every rank sends to every other at once.
    return with_protocol(Algorithm::pairwise, doublings * level.latency_s, (p - 1.0) * part, copied,
                         level.bytes_per_s * far_share(level, p),
                         level.fit.pair_handshake * level.latency_s, level);
  }
  if (kind != CollectiveKind::all_reduce) {
    keep_faster(best, candidate(Algorithm::ring, p - 1.0, (p - 1.0) * part));
    keep_faster(best, candidate(Algorithm::halving_doubling, doublings, (p - 1.0) * part));
    return best;
  }
  keep_faster(best, candidate(Algorithm::ring, 2.0 * (p - 1.0), 2.0 * (p - 1.0) * part));
  keep_faster(best, candidate(Algorithm::tree, 2.0 * doublings, 2.0 * bytes));
  keep_faster(best,
              candidate(Algorithm::halving_doubling, 2.0 * doublings, 2.0 * (p - 1.0) * part));
  if (level.in_network > 0.0 && p > 2.0) {
    // Each rank sends its buffer once and gets the result: S (1 + 1/p), as measured on switches
    // that reduce, at e B S / (S + S_half) with a half size of their own, since the way through the
    // switch takes longer to fill than a link. Four steps: register, send, reduce, receive.
    const double sent = bytes + part;
    keep_faster(best,
                {Algorithm::in_network, 4.0 * level.latency_s, sent,
                 (sent + level.in_network_half_bytes) / (level.port_bytes_per_s * level.in_network),
                 level.fit.handshake * level.latency_s});
  }
  return best;
}

CollectiveCost cost_of(const Candidate& candidate, double call_s, const Level& level) {
  CollectiveCost result;
  result.algorithm = candidate.algorithm;
  result.cost.time = Charges::of(level.resource, candidate.wire_s);
  result.cost.time += Charges::of(Resource::latency, call_s + candidate.steps_s + candidate.wait_s);
  (level.resource == Resource::scale_up ? result.cost.work[Amount::scale_up_bytes]
                                        : result.cost.work[Amount::scale_out_bytes]) =
      candidate.wire_bytes;
  // What is sent is read, and what is received is written.
  result.cost.work[Amount::dram_bytes] = 2.0 * candidate.wire_bytes;
  return result;
}

void keep_faster(CollectiveCost& best, const CollectiveCost& other) {
  if (best.algorithm == Algorithm::none || other.cost.time.total_s() < best.cost.time.total_s()) {
    best = other;
  }
}

CollectiveCost on_level(CollectiveKind kind, double p, double bytes, const Level& level) {
  if (p <= 1.0 || bytes <= 0.0) {
    return {};
  }
  return cost_of(fastest(kind, p, bytes, level), level.call_s, level);
}

// Kernels of inference libraries: each rank reads the whole buffers of its peers and adds them up,
// without a handshake.
CollectiveCost one_shot(double p, double bytes, const Level& level) {
  const double wire_bytes = (p - 1.0) * bytes;
  return cost_of({Algorithm::one_shot, level.fit.flag_step * (p - 1.0) * level.latency_s,
                  wire_bytes, wire_bytes / (level.one_shot * level.port_bytes_per_s), 0.0},
                 level.one_shot_s, level);
}

// The same in two rounds: each rank sums its part of all buffers, then reads the sums of the others
// (two-shot kernels of the same libraries, for messages that are long for one).
CollectiveCost two_shot(double p, double bytes, const Level& level) {
  const double wire_bytes = 2.0 * (p - 1.0) / p * bytes;
  return cost_of(
      {Algorithm::two_shot, 2.0 * level.fit.flag_step * (p - 1.0) * level.latency_s, wire_bytes,
       wire_bytes / (level.fit.two_shot_share * level.one_shot * level.port_bytes_per_s), 0.0},
      2.0 * level.one_shot_s, level);
}

// Levels one after the other: inside every domain each rank comes to own 1/inner of the buffer,
// which crosses on its own rail.
CollectiveCost hierarchical(CollectiveKind kind, double inner, double outer, double bytes,
                            const Level& up, const Level& out) {
  CollectiveCost result;
  result.algorithm = Algorithm::hierarchical;
  if (kind != CollectiveKind::all_gather) {
    result.cost += on_level(CollectiveKind::reduce_scatter, inner, bytes, up).cost;
  }
  result.cost += on_level(kind, outer, bytes / inner, out).cost;
  if (kind != CollectiveKind::reduce_scatter) {
    result.cost += on_level(CollectiveKind::all_gather, inner, bytes, up).cost;
  }
  return result;
}

// Both levels at once, in slices: `up_bytes` on the links inside and 1/inner of it on every rail,
// the slower of which sets the time.
CollectiveCost pipelined(Algorithm algorithm, double steps_s, double up_bytes, double inner,
                         const Level& up, const Level& out) {
  const bool ring = algorithm != Algorithm::tree;
  const Candidate inside = with_protocol(algorithm, 0.0, up_bytes, 0.0, up.bytes_per_s,
                                         up.fit.handshake * up.latency_s, up);
  const Candidate across = with_protocol(algorithm, 0.0, up_bytes / inner, 0.0,
                                         out.bytes_per_s * (ring ? 1.0 : out.distant_share),
                                         out.fit.handshake * out.latency_s, out);
  const CollectiveCost a = cost_of(inside, 0.0, up);
  const CollectiveCost b = cost_of(across, 0.0, out);
  CollectiveCost result;
  result.algorithm = algorithm;
  result.cost.time = longer(a.cost.time, b.cost.time);
  result.cost.time += Charges::of(Resource::latency, std::max(up.call_s, out.call_s) + steps_s);
  result.cost.work = a.cost.work;
  result.cost.work += b.cost.work;
  return result;
}

CollectiveCost on_both(CollectiveKind kind, double inner, double outer, double bytes,
                       const Level& up, const Level& out) {
  const double p = inner * outer;
  const double part = bytes / p;
  if (kind == CollectiveKind::all_to_all) {
    // What goes to other domains leaves by the rank's own rail, the rest beside it.
    CollectiveCost inside = on_level(kind, inner, bytes / outer, up);
    CollectiveCost across =
        cost_of(with_protocol(Algorithm::pairwise, std::ceil(std::log2(p)) * out.latency_s,
                              (p - inner) * part, 0.0, out.bytes_per_s * out.distant_share,
                              out.fit.pair_handshake * out.latency_s, out),
                out.call_s, out);
    across.cost.work += inside.cost.work;
    across.cost.time = longer(across.cost.time, inside.cost.time);
    return across;
  }
  CollectiveCost best = hierarchical(kind, inner, outer, bytes, up, out);
  const double passes = kind == CollectiveKind::all_reduce ? 2.0 : 1.0;
  // One ring through all ranks enters every domain once a round.
  const double round_s = (p - outer) * up.latency_s + outer * out.latency_s;
  keep_faster(best, pipelined(Algorithm::ring, passes * round_s, passes * (p - 1.0) * part, inner,
                              up, out));
  if (kind == CollectiveKind::all_reduce) {
    // A double tree between domains, chains inside.
    const double depth_s =
        (inner - 1.0) * up.latency_s + std::ceil(std::log2(outer)) * out.far_latency_s;
    keep_faster(best, pipelined(Algorithm::tree, 2.0 * depth_s, 2.0 * bytes, inner, up, out));
  }
  return best;
}

}  // namespace

CollectiveCost collective_cost(const Collective& collective, const technology::System& system) {
  const Level up = level_of(system.scale_up, Resource::scale_up);
  const Level out = level_of(system.scale_out, Resource::scale_out);
  const auto inner = static_cast<double>(collective.group.inner);
  const auto outer = static_cast<double>(collective.group.outer);
  if (inner * outer <= 1.0 || collective.bytes <= 0.0) {
    return {};
  }
  if (outer <= 1.0) {
    CollectiveCost best = on_level(collective.kind, inner, collective.bytes, up);
    if (collective.library == parallel::CollectiveLibrary::one_shot && up.one_shot > 0.0 &&
        collective.kind == CollectiveKind::all_reduce) {
      keep_faster(best, one_shot(inner, collective.bytes, up));
      keep_faster(best, two_shot(inner, collective.bytes, up));
    }
    return best;
  }
  if (inner <= 1.0) {
    return on_level(collective.kind, outer, collective.bytes, out);
  }
  return on_both(collective.kind, inner, outer, collective.bytes, up, out);
}

std::vector<Collective> expert_exchange(const workload::Experts& experts,
                                        const parallel::Group& group, double bytes) {
  if (group.outer == 1 || experts.node_limit == 0 || experts.node_limit >= experts.top_k) {
    return {{CollectiveKind::all_to_all, group, bytes}};
  }
  const double crossing =
      static_cast<double>(experts.node_limit) / static_cast<double>(experts.top_k);
  return {{CollectiveKind::all_to_all, {1, group.outer}, bytes * crossing},
          {CollectiveKind::all_to_all, {group.inner, 1}, bytes}};
}

Cost collective_among(const technology::System& system, const parallel::Strategy& strategy,
                      CollectiveKind kind, parallel::Dimension dimension, double bytes) {
  Collective collective;
  collective.kind = kind;
  collective.group = parallel::group_of(strategy, dimension, system.scale_up_domain);
  collective.bytes = bytes;
  return collective_cost(collective, system).cost;
}

Cost transfer_cost(double bytes, parallel::Link link, const technology::System& system) {
  const Level level = link == parallel::Link::scale_up
                          ? level_of(system.scale_up, Resource::scale_up)
                          : level_of(system.scale_out, Resource::scale_out);
  return cost_of(with_protocol(Algorithm::pairwise, level.latency_s, bytes, 0.0, level.bytes_per_s,
                               level.fit.pair_handshake * level.latency_s, level),
                 level.call_s, level)
      .cost;
}

}  // namespace scalesweep::estimator
