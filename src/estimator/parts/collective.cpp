#include "estimator/parts/collective.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "core/contracts.hpp"
#include "technology/topology.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Collective;
using parallel::CollectiveKind;
using parallel::Group;

// One level of the network, seen as plain numbers.
class Level {
 public:
  Level() = default;
  Level(const technology::Network& network, Resource resource)
      : network_(&network), resource_(resource) {
    SCALESWEEP_EXPECT(bytes_per_s() > 0.0);
  }

  Resource resource() const { return resource_; }
  double port_bytes_per_s() const { return network_->bandwidth.si(); }
  double bytes_per_s() const { return port_bytes_per_s() * network_->sustained; }
  double latency_s() const { return network_->latency.si(); }
  // Of a step between far ranks.
  double far_latency_s() const { return latency_s() * (inside() ? fit().far_step : 1.0); }
  double call_s() const { return network_->call_latency.si(); }
  double half_bytes() const { return network_->half_size.si(); }
  // Of bytes_per_s, for patterns between far ranks.
  double distant_share() const { return network_->distant_share; }
  int circuit_dimensions() const { return network_->circuit_dimensions; }  // 0: switched
  // Fraction of the port's rate when reducing in the switch; 0: cannot.
  double in_network() const {
    return network_->in_network_reduction ? network_->in_network_efficiency : 0.0;
  }
  double in_network_half_bytes() const { return network_->in_network_half_size.si(); }
  // Copied by each rank, in parts of the buffer; across nodes behind a network that is slower.
  double own_part() const { return inside() ? fit().own_part : 0.0; }
  double one_shot_s() const { return network_->one_shot_latency.si(); }
  // Fraction of the port's rate of kernels that read the peers; 0: none.
  double one_shot() const { return network_->one_shot_efficiency; }
  double joules_per_byte() const { return network_->energy.si(); }
  double sender_joules_per_byte() const { return network_->device_energy.si(); }
  const technology::CollectiveFit& fit() const { return network_->fit; }

 private:
  bool inside() const { return resource_ == Resource::scale_up; }

  const technology::Network* network_ = nullptr;
  Resource resource_ = Resource::scale_up;
};

// Of the rate, what p far ranks reach: circuits join each with its neighbours, so that messages to
// others pass through these.
double far_share(const Level& level, double p) {
  const bool circuits = level.circuit_dimensions() > 0;
  return level.distant_share() *
         (circuits ? technology::torus_share(level.circuit_dimensions(), p) : 1.0);
}

Level level_of(const technology::System& system, std::size_t level) {
  return {system.levels[level].link,
          level <= system.domain_level ? Resource::scale_up : Resource::scale_out};
}

// A level that a group spans.
struct Span {
  Level level;
  double ranks = 1.0;  // of sets of ranks below
  double below = 1.0;  // ranks in such a set
  double reached() const { return below * ranks; }
};

// The levels that a group spans, from the inside out.
class Spans {
 public:
  Spans(const Group& group, const technology::System& system) {
    for (std::size_t level = 0; level < system.levels.size(); ++level) {
      if (group.ranks[level] > 1) {
        spans_[count_++] = {level_of(system, level), static_cast<double>(group.ranks[level]),
                            ranks_};
        ranks_ *= static_cast<double>(group.ranks[level]);
      }
    }
  }

  double ranks() const { return ranks_; }
  std::span<const Span> all() const { return std::span(spans_).first(count_); }
  std::span<const Span> lower() const { return all().first(count_ - 1); }
  const Span& widest() const { return spans_[count_ - 1]; }
  bool one() const { return count_ == 1; }

 private:
  std::array<Span, technology::most_link_levels> spans_;
  std::size_t count_ = 0;
  double ranks_ = 1.0;
};

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
  const double word_s = bytes / (level.fit().word_flag_share * bytes_per_s);
  const double line_s = bytes / (level.fit().line_flag_share * bytes_per_s);
  const double full_s = (bytes + level.half_bytes()) / bytes_per_s;
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
  const double copied = level.own_part() * part;
  const auto candidate = [&](Algorithm algorithm, double steps, double wire_bytes) {
    const bool ring = algorithm == Algorithm::ring;
    return with_protocol(algorithm, steps * (ring ? level.latency_s() : level.far_latency_s()),
                         wire_bytes, copied,
                         level.bytes_per_s() * (ring ? 1.0 : far_share(level, p)),
                         level.fit().handshake * level.latency_s(), level);
  };
  Candidate best;
  if (kind == CollectiveKind::all_to_all) {
    // Every rank sends to every other at once.
    return with_protocol(Algorithm::pairwise, doublings * level.latency_s(), (p - 1.0) * part,
                         copied, level.bytes_per_s() * far_share(level, p),
                         level.fit().pair_handshake * level.latency_s(), level);
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
  if (level.in_network() > 0.0 && p > 2.0) {
    // Each rank sends its buffer once and gets the result: S (1 + 1/p), as measured on switches
    // that reduce, at e B S / (S + S_half) with a half size of their own, since the way through the
    // switch takes longer to fill than a link. Four steps: register, send, reduce, receive.
    const double sent = bytes + part;
    keep_faster(best, {Algorithm::in_network, 4.0 * level.latency_s(), sent,
                       (sent + level.in_network_half_bytes()) /
                           (level.port_bytes_per_s() * level.in_network()),
                       level.fit().handshake * level.latency_s()});
  }
  return best;
}

CollectiveCost cost_of(const Candidate& candidate, double call_s, const Level& level) {
  CollectiveCost result;
  result.algorithm = candidate.algorithm;
  result.cost.time = Charges::of(level.resource(), candidate.wire_s);
  result.cost.time += Charges::of(Resource::latency, call_s + candidate.steps_s + candidate.wait_s);
  const bool inside = level.resource() == Resource::scale_up;
  Work& work = result.cost.work;
  work[inside ? Amount::scale_up_bytes : Amount::scale_out_bytes] = candidate.wire_bytes;
  work[inside ? Amount::scale_up_joules : Amount::scale_out_joules] =
      candidate.wire_bytes * level.joules_per_byte();
  work[Amount::sender_joules] = candidate.wire_bytes * level.sender_joules_per_byte();
  // What is sent is read, and what is received is written.
  work[Amount::dram_bytes] = 2.0 * candidate.wire_bytes;
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
  return cost_of(fastest(kind, p, bytes, level), level.call_s(), level);
}

// Levels at once, the slowest of which sets the time.
void run_beside(CollectiveCost& all, const CollectiveCost& other) {
  all.cost.time = longer(all.cost.time, other.cost.time);
  all.cost.work += other.cost.work;
}

// Kernels of inference libraries, which read the buffers of the peers without a handshake. One
// shot: each rank reads all of them and adds them up. Two shots: each sums its part of all buffers,
// then reads the sums of the others, for messages that are long for one.
CollectiveCost peer_read(Algorithm algorithm, double bytes, const Spans& spans) {
  const bool two = algorithm == Algorithm::two_shot;
  const double rounds = two ? 2.0 : 1.0;
  CollectiveCost result;
  double call_s = 0.0;
  double flags_s = 0.0;
  for (const auto& [level, ranks, below] : spans.all()) {
    const double peers = below * ranks - below;  // that are nearest by this level
    const double wire_bytes = two ? 2.0 * peers / spans.ranks() * bytes : peers * bytes;
    const double share = two ? level.fit().two_shot_share * level.one_shot() : level.one_shot();
    run_beside(result, cost_of({algorithm, 0.0, wire_bytes,
                                wire_bytes / (share * level.port_bytes_per_s()), 0.0},
                               0.0, level));
    call_s = std::max(call_s, rounds * level.one_shot_s());
    flags_s += rounds * level.fit().flag_step * peers * level.latency_s();
  }
  result.algorithm = algorithm;
  result.cost.time += Charges::of(Resource::latency, call_s + flags_s);
  return result;
}

// Levels one after the other: inside every block each rank comes to own its part of the buffer,
// which goes on to the next level on its own rail.
CollectiveCost hierarchical(CollectiveKind kind, double bytes, const Spans& spans) {
  CollectiveCost result;
  result.algorithm = Algorithm::hierarchical;
  const auto add = [&](CollectiveKind part, const Span& span) {
    result.cost += on_level(part, span.ranks, bytes / span.below, span.level).cost;
  };
  const std::span<const Span> lower = spans.lower();
  if (kind != CollectiveKind::all_gather) {
    for (const Span& span : lower) {
      add(CollectiveKind::reduce_scatter, span);
    }
  }
  add(kind, spans.widest());
  if (kind != CollectiveKind::reduce_scatter) {
    for (std::size_t i = lower.size(); i > 0; --i) {
      add(CollectiveKind::all_gather, lower[i - 1]);
    }
  }
  return result;
}

// All levels at once, in slices: `sent_bytes` on the innermost links, and of it on each rail of the
// others what the ranks below share out, the slowest of which sets the time.
CollectiveCost pipelined(Algorithm algorithm, double steps_s, double sent_bytes,
                         const Spans& spans) {
  CollectiveCost result;
  double call_s = 0.0;
  for (const Span& span : spans.all()) {
    const Level& level = span.level;
    const bool far = algorithm == Algorithm::tree && &span == &spans.widest();
    const double rate = level.bytes_per_s() * (far ? far_share(level, span.ranks) : 1.0);
    run_beside(result, cost_of(with_protocol(algorithm, 0.0, sent_bytes / span.below, 0.0, rate,
                                             level.fit().handshake * level.latency_s(), level),
                               0.0, level));
    call_s = std::max(call_s, level.call_s());
  }
  result.algorithm = algorithm;
  result.cost.time += Charges::of(Resource::latency, call_s + steps_s);
  return result;
}

// Steps of one ring through all ranks, which enters every block once a round.
double ring_steps_s(const Spans& spans) {
  double steps_s = 0.0;
  for (const Span& span : spans.all()) {
    const bool widest = &span == &spans.widest();
    const double leaving = widest ? 0.0 : spans.ranks() / span.reached();
    steps_s += (spans.ranks() / span.below - leaving) * span.level.latency_s();
  }
  return steps_s;
}

// Depth of a double tree between the blocks of the widest level, with chains inside.
double tree_steps_s(const Spans& spans) {
  double steps_s = 0.0;
  for (const Span& span : spans.lower()) {
    steps_s += (span.ranks - 1.0) * span.level.latency_s();
  }
  const Span& widest = spans.widest();
  return steps_s + std::ceil(std::log2(widest.ranks)) * widest.level.far_latency_s();
}

// What goes to other blocks of a level leaves by the rank's own rail, all levels beside each other.
CollectiveCost all_to_all(double bytes, const Spans& spans) {
  const double part = bytes / spans.ranks();
  CollectiveCost result;
  for (const Span& span : spans.all()) {
    const Level& level = span.level;
    const double reached = span.reached();
    if (span.below == 1.0) {
      result = on_level(CollectiveKind::all_to_all, span.ranks, bytes / (spans.ranks() / reached),
                        level);
      continue;
    }
    const double steps_s = std::ceil(std::log2(reached)) * level.latency_s();
    run_beside(result,
               cost_of(with_protocol(Algorithm::pairwise, steps_s, (reached - span.below) * part,
                                     0.0, level.bytes_per_s() * far_share(level, span.ranks),
                                     level.fit().pair_handshake * level.latency_s(), level),
                       level.call_s(), level));
  }
  result.algorithm = Algorithm::pairwise;
  return result;
}

CollectiveCost on_levels(CollectiveKind kind, double bytes, const Spans& spans) {
  if (kind == CollectiveKind::all_to_all) {
    return all_to_all(bytes, spans);
  }
  const double p = spans.ranks();
  CollectiveCost best = hierarchical(kind, bytes, spans);
  const double passes = kind == CollectiveKind::all_reduce ? 2.0 : 1.0;
  keep_faster(best, pipelined(Algorithm::ring, passes * ring_steps_s(spans),
                              passes * (p - 1.0) * (bytes / p), spans));
  if (kind == CollectiveKind::all_reduce) {
    keep_faster(best, pipelined(Algorithm::tree, 2.0 * tree_steps_s(spans), 2.0 * bytes, spans));
  }
  return best;
}

// Whether ranks can read the buffers of all others.
bool reads_peers(const Spans& spans) {
  return std::ranges::all_of(spans.all(), [](const Span& span) {
    return span.level.resource() == Resource::scale_up && span.level.one_shot() > 0.0;
  });
}

}  // namespace

parallel::Levels levels_of(const technology::System& system) {
  static_assert(parallel::most_levels >= technology::most_link_levels);
  SCALESWEEP_EXPECT(system.levels.size() <= technology::most_link_levels);
  parallel::Levels levels;
  levels.count = system.levels.size();
  levels.domain_level = system.domain_level;
  for (std::size_t level = 0; level < levels.count; ++level) {
    levels.blocks[level] = system.levels[level].size;
  }
  return levels;
}

Group between_domains(const technology::System& system) {
  Group group;
  group.domain_level = system.domain_level;
  group.ranks[system.domain_level + 1] = 2;
  return group;
}

CollectiveCost collective_cost(const Collective& collective, const technology::System& system) {
  if (collective.group.size() <= 1 || collective.bytes <= 0.0) {
    return {};
  }
  const Spans spans(collective.group, system);
  CollectiveCost best =
      spans.one() ? on_level(collective.kind, spans.ranks(), collective.bytes, spans.widest().level)
                  : on_levels(collective.kind, collective.bytes, spans);
  if (collective.library == parallel::CollectiveLibrary::one_shot &&
      collective.kind == CollectiveKind::all_reduce && reads_peers(spans)) {
    keep_faster(best, peer_read(Algorithm::one_shot, collective.bytes, spans));
    keep_faster(best, peer_read(Algorithm::two_shot, collective.bytes, spans));
  }
  return best;
}

std::vector<Collective> expert_exchange(const workload::Experts& experts,
                                        const parallel::Group& group, double bytes) {
  if (group.outer() == 1 || experts.node_limit == 0 || experts.node_limit >= experts.top_k) {
    return {{CollectiveKind::all_to_all, group, bytes}};
  }
  const double crossing =
      static_cast<double>(experts.node_limit) / static_cast<double>(experts.top_k);
  return {{CollectiveKind::all_to_all, group.across(), bytes * crossing},
          {CollectiveKind::all_to_all, group.inside(), bytes}};
}

Cost collective_among(const technology::System& system, const parallel::Strategy& strategy,
                      CollectiveKind kind, parallel::Dimension dimension, double bytes) {
  Collective collective;
  collective.kind = kind;
  collective.group = parallel::group_of(strategy, dimension, levels_of(system));
  collective.bytes = bytes;
  return collective_cost(collective, system).cost;
}

Cost transfer_cost(double bytes, const parallel::Group& group, const technology::System& system) {
  const Level level = level_of(system, group.widest());
  return cost_of(
             with_protocol(Algorithm::pairwise, level.latency_s(), bytes, 0.0, level.bytes_per_s(),
                           level.fit().pair_handshake * level.latency_s(), level),
             level.call_s(), level)
      .cost;
}

}  // namespace scalesweep::estimator
