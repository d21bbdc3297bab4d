#include "estimator/parts/collective.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "core/contracts.hpp"
#include "estimator/links/protocols.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::Collective;
using parallel::CollectiveKind;
using parallel::Group;

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
  double wire_bytes = 0.0;  // that one rank sends
  Sending sending;

  double total_s() const { return sending.total_s(); }
};

void keep_faster(Candidate& best, const Candidate& other) {
  if (best.algorithm == Algorithm::none || other.total_s() < best.total_s()) {
    best = other;
  }
}

// Every one of p ranks sends a part to every other at once.
Candidate exchange(double p, double part, const Level& level) {
  Exchange sent;
  sent.steps_s = std::ceil(std::log2(p)) * level.latency_s();
  sent.wire_bytes = (p - 1.0) * part;
  sent.part_bytes = part;
  sent.own_bytes = part;
  sent.bytes_per_s = level.pair_bytes_per_s(p);
  return {Algorithm::pairwise, sent.wire_bytes, fastest_exchange(sent, level)};
}

// The fastest algorithm among p ranks of one level.
Candidate fastest(const Collective& collective, double p, double bytes, const Level& level) {
  const CollectiveKind kind = collective.kind;
  const double doublings = std::ceil(std::log2(p));
  const double part = bytes / p;
  if (kind == CollectiveKind::all_to_all) {
    return exchange(p, part, level);
  }
  const auto candidate = [&](Algorithm algorithm, double steps, double wire_bytes) -> Candidate {
    const bool ring = algorithm == Algorithm::ring;
    Stream stream;
    stream.steps = steps * (ring ? level.step() : level.far_step());
    stream.wire_bytes = wire_bytes;
    stream.part_bytes = part;
    stream.own_bytes = part;
    stream.bytes_per_s = level.bytes_per_s() * (ring ? 1.0 : level.far_share(p));
    return {algorithm, wire_bytes, fastest_stream(stream, level)};
  };
  Candidate best;
  if (kind != CollectiveKind::all_reduce) {
    keep_faster(best, candidate(Algorithm::ring, p - 1.0, (p - 1.0) * part));
    keep_faster(best, candidate(Algorithm::halving_doubling, doublings, (p - 1.0) * part));
    return best;
  }
  keep_faster(best, candidate(Algorithm::ring, 2.0 * (p - 1.0), 2.0 * (p - 1.0) * part));
  keep_faster(best, candidate(Algorithm::tree, 2.0 * doublings, 2.0 * bytes));
  keep_faster(best,
              candidate(Algorithm::halving_doubling, 2.0 * doublings, 2.0 * (p - 1.0) * part));
  if (level.in_network() > 0.0 && p > 2.0 && collective.switches_add) {
    // Each rank sends its buffer once and gets the result: S (1 + 1/p), as measured on switches
    // that reduce, at e B S / (S + S_half): the way through the switch takes a constant time to
    // fill. Four steps: register, send, reduce, receive.
    const double sent = bytes + part;
    const double wire_s =
        (sent + level.in_network_half_bytes()) / (level.port_bytes_per_s() * level.in_network());
    keep_faster(best, {Algorithm::in_network, sent, {4.0 * level.latency_s(), wire_s}});
  }
  return best;
}

CollectiveCost cost_of(const Candidate& candidate, double call_s, const Level& level) {
  CollectiveCost result;
  result.algorithm = candidate.algorithm;
  result.cost.time = Charges::of(level.resource(), candidate.sending.wire_s);
  result.cost.time += Charges::of(Resource::latency, call_s + candidate.sending.latency_s);
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

// `bytes` of a collective among p ranks.
CollectiveCost on_level(const Collective& collective, double p, double bytes, const Level& level) {
  if (p <= 1.0 || bytes <= 0.0) {
    return {};
  }
  return cost_of(fastest(collective, p, bytes, level), level.call_s(), level);
}

// Levels at once, the slowest of which sets the time.
void run_beside(CollectiveCost& all, const CollectiveCost& other) {
  all.cost.time = longer(all.cost.time, other.cost.time);
  all.cost.work += other.cost.work;
}

// What is read of `peers` out of p ranks.
double peer_bytes(Algorithm algorithm, double peers, double p, double bytes) {
  return algorithm == Algorithm::two_shot ? 2.0 * peers / p * bytes : peers * bytes;
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
    const double wire_bytes = peer_bytes(algorithm, peers, spans.ranks(), bytes);
    const double share = two ? level.fit().two_shot_share * level.one_shot() : level.one_shot();
    run_beside(
        result,
        cost_of({algorithm, wire_bytes, {0.0, wire_bytes / (share * level.port_bytes_per_s())}},
                0.0, level));
    call_s = std::max(call_s, rounds * level.one_shot_s());
    flags_s += rounds * level.fit().flag_step * peers * level.latency_s();
  }
  result.algorithm = algorithm;
  result.cost.time += Charges::of(Resource::latency, call_s + flags_s);
  return result;
}

// The kernel of a library that a stack names, whatever others would take.
CollectiveCost launched(Algorithm algorithm, const technology::AllReduceKernel& kernel,
                        double bytes, const Spans& spans) {
  CollectiveCost result;
  for (const auto& [level, ranks, below] : spans.all()) {
    // Where the switch adds, each rank sends its buffer once and gets the sum of its part, as in
    // the all-reduce of the general library.
    const double wire_bytes =
        algorithm == Algorithm::in_network
            ? bytes + bytes / spans.ranks()
            : peer_bytes(algorithm, below * ranks - below, spans.ranks(), bytes);
    const double wire_s = wire_bytes / (kernel.share * level.port_bytes_per_s());
    run_beside(result, cost_of({algorithm, wire_bytes, {0.0, wire_s}}, 0.0, level));
  }
  result.algorithm = algorithm;
  result.cost.time += Charges::of(
      Resource::latency, kernel.latency.si() + (spans.ranks() - 1.0) * kernel.peer_latency.si());
  return result;
}

// Levels one after the other: inside every block each rank comes to own its part of the buffer,
// which goes on to the next level on its own rail.
CollectiveCost hierarchical(const Collective& collective, const Spans& spans) {
  const CollectiveKind kind = collective.kind;
  CollectiveCost result;
  result.algorithm = Algorithm::hierarchical;
  const auto add = [&](CollectiveKind part, const Span& span) {
    Collective own = collective;
    own.kind = part;
    result.cost += on_level(own, span.ranks, collective.bytes / span.below, span.level).cost;
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
CollectiveCost pipelined(Algorithm algorithm, const Steps& steps, double sent_bytes,
                         double part_bytes, const Spans& spans) {
  CollectiveCost result;
  double call_s = 0.0;
  for (const Span& span : spans.all()) {
    const Level& level = span.level;
    const bool far = algorithm == Algorithm::tree && &span == &spans.widest();
    Stream stream;
    stream.steps = steps;
    stream.wire_bytes = sent_bytes / span.below;
    stream.part_bytes = part_bytes;
    stream.bytes_per_s = level.bytes_per_s() * (far ? level.far_share(span.ranks) : 1.0);
    run_beside(result,
               cost_of({algorithm, stream.wire_bytes, fastest_stream(stream, level)}, 0.0, level));
    call_s = std::max(call_s, level.call_s());
  }
  result.algorithm = algorithm;
  result.cost.time += Charges::of(Resource::latency, call_s);
  return result;
}

// Steps of one ring through all ranks, which enters every block once a round.
Steps ring_steps(const Spans& spans) {
  Steps steps;
  for (const Span& span : spans.all()) {
    const bool widest = &span == &spans.widest();
    const double leaving = widest ? 0.0 : spans.ranks() / span.reached();
    steps += (spans.ranks() / span.below - leaving) * span.level.step();
  }
  return steps;
}

// Depth of a double tree between the blocks of the widest level, with chains inside.
Steps tree_steps(const Spans& spans) {
  Steps steps;
  for (const Span& span : spans.lower()) {
    steps += (span.ranks - 1.0) * span.level.step();
  }
  const Span& widest = spans.widest();
  steps += std::ceil(std::log2(widest.ranks)) * widest.level.far_step();
  return steps;
}

// What goes to other blocks of a level leaves by the rank's own rail, all levels beside each other.
CollectiveCost all_to_all(const Collective& collective, const Spans& spans) {
  const double part = collective.bytes / spans.ranks();
  CollectiveCost result;
  for (const Span& span : spans.all()) {
    const Level& level = span.level;
    const double reached = span.reached();
    if (span.below == 1.0) {
      result = on_level(collective, span.ranks, part * reached, level);
      continue;
    }
    Exchange sent;
    sent.steps_s = std::ceil(std::log2(reached)) * level.latency_s();
    sent.wire_bytes = (reached - span.below) * part;
    sent.part_bytes = part;
    sent.bytes_per_s = level.pair_bytes_per_s(span.ranks);
    run_beside(result,
               cost_of({Algorithm::pairwise, sent.wire_bytes, fastest_exchange(sent, level)},
                       level.call_s(), level));
  }
  result.algorithm = Algorithm::pairwise;
  return result;
}

// Kernels that write to the peers' buffers as soon as they have something for them, at the rate of
// the links: a fixed time besides, whatever the number of ranks.
CollectiveCost direct_exchange(const Collective& collective, const Spans& spans) {
  const double part = collective.bytes / spans.ranks();
  CollectiveCost result;
  double fixed_s = 0.0;
  for (const Span& span : spans.all()) {
    const double wire_bytes = (span.reached() - span.below) * part;
    const double wire_s = wire_bytes / span.level.pair_bytes_per_s(span.ranks);
    run_beside(result, cost_of({Algorithm::pairwise, wire_bytes, {0.0, wire_s}}, 0.0, span.level));
    fixed_s = std::max(fixed_s, span.level.fit().direct_latency_s);
  }
  result.algorithm = Algorithm::pairwise;
  result.cost.time += Charges::of(Resource::latency, fixed_s);
  return result;
}

CollectiveCost on_levels(const Collective& collective, const Spans& spans) {
  if (collective.kind == CollectiveKind::all_to_all) {
    return all_to_all(collective, spans);
  }
  const bool reduces = collective.kind == CollectiveKind::all_reduce;
  const double passes = reduces ? 2.0 : 1.0;
  const double part = collective.bytes / spans.ranks();
  CollectiveCost best = hierarchical(collective, spans);
  keep_faster(best, pipelined(Algorithm::ring, passes * ring_steps(spans),
                              passes * (spans.ranks() - 1.0) * part, part, spans));
  if (reduces) {
    keep_faster(best, pipelined(Algorithm::tree, 2.0 * tree_steps(spans), 2.0 * collective.bytes,
                                part, spans));
  }
  return best;
}

// Whether ranks can read the buffers of all others.
bool reads_peers(const Spans& spans) {
  return std::ranges::all_of(spans.all(), [](const Span& span) {
    return span.level.resource() == Resource::scale_up && span.level.one_shot() > 0.0;
  });
}

bool switches_add(const Spans& spans) {
  return std::ranges::all_of(spans.all(),
                             [](const Span& span) { return span.level.in_network() > 0.0; });
}

// What a library launches for an all-reduce; nothing where it leaves that to the general one.
std::optional<CollectiveCost> by_library(const technology::AllReduceKernels& kernels, double bytes,
                                         const Spans& spans) {
  const std::array candidates = {std::pair(Algorithm::one_shot, &kernels.one_shot),
                                 std::pair(Algorithm::two_shot, &kernels.two_shot),
                                 std::pair(Algorithm::in_network, &kernels.multicast)};
  for (const auto& [algorithm, kernel] : candidates) {
    const bool can = algorithm != Algorithm::in_network || switches_add(spans);
    if (can && kernel->has_value() && (*kernel)->takes(bytes, spans.ranks())) {
      return launched(algorithm, **kernel, bytes, spans);
    }
  }
  return std::nullopt;
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
  if (collective.library == parallel::CollectiveLibrary::direct) {
    SCALESWEEP_EXPECT(collective.kind == CollectiveKind::all_to_all);
    return direct_exchange(collective, spans);
  }
  const bool own = collective.library == parallel::CollectiveLibrary::one_shot &&
                   collective.kind == CollectiveKind::all_reduce && reads_peers(spans);
  const auto& kernels = system.device.all_reduce;
  const bool named = kernels && spans.ranks() <= technology::AllReduceKernels::most_devices;
  if (own && named) {
    if (std::optional<CollectiveCost> cost = by_library(*kernels, collective.bytes, spans)) {
      return *cost;
    }
  }
  CollectiveCost best =
      spans.one() ? on_level(collective, spans.ranks(), collective.bytes, spans.widest().level)
                  : on_levels(collective, spans);
  if (own && !named) {
    keep_faster(best, peer_read(Algorithm::one_shot, collective.bytes, spans));
    keep_faster(best, peer_read(Algorithm::two_shot, collective.bytes, spans));
  }
  return best;
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
  const auto over = [bytes](const Level& level, double share) {
    Exchange sent;
    sent.steps_s = level.latency_s();
    sent.wire_bytes = share * bytes;
    sent.part_bytes = sent.wire_bytes;
    sent.bytes_per_s = level.bytes_per_s();
    return cost_of({Algorithm::pairwise, bytes, fastest_exchange(sent, level)}, level.call_s(),
                   level)
        .cost;
  };
  const std::size_t widest = group.widest();
  const std::size_t ports = system.domain_level + 1;
  if (widest <= ports) {
    return over(level_of(system, widest), 1.0);
  }
  // Uplinks are those of all ranks below, and of a group the last one alone leaves: one device of
  // as many as the group has ranks there. More than its own port gives, none gets.
  const double below = Spans(group, system).widest().below;
  Cost cost = over(level_of(system, widest), 1.0 / below);
  const Cost own_port = over(level_of(system, ports), 1.0);
  cost.time = longer(cost.time, own_port.time);
  return cost;
}

}  // namespace scalesweep::estimator
