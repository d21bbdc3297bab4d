#include "parallel/placement.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <span>

#include "core/contracts.hpp"

namespace scalesweep::parallel {
namespace {

// Ranks at equal distances: base, base + stride, base + 2 stride, ...
struct Row {
  std::int64_t count = 1;
  std::int64_t stride = 1;
};

// Where the dimensions of the rank grid lie. The replicas of the dense weights are the product of
// two rows, inner and outer; one where the dimensions are neighbours.
struct Grid {
  Row context;
  std::array<Row, 2> replicas;
  Row pipeline;
};

Grid grid_of(const Strategy& strategy) {
  const std::int64_t tp = strategy.tensor_parallel;
  const std::int64_t cp = strategy.context_parallel;
  const std::int64_t dp = strategy.data_parallel;
  const std::int64_t pp = strategy.pipeline_parallel;
  switch (strategy.rank_order) {
    case RankOrder::tp_cp_ep_dp_pp:
      break;
    case RankOrder::tp_cp_ep_pp_dp:
      return {{cp, tp}, {{{cp, tp}, {dp, tp * cp * pp}}}, {pp, tp * cp}};
    case RankOrder::tp_pp_cp_ep_dp:
      return {{cp, tp * pp}, {{{cp * dp, tp * pp}, {}}}, {pp, tp}};
    case RankOrder::tp_ep_dp_cp_pp:
      return {{cp, tp * dp}, {{{cp * dp, tp}, {}}}, {pp, tp * cp * dp}};
  }
  return {{cp, tp}, {{{cp * dp, tp}, {}}}, {pp, tp * cp * dp}};
}

// A row that does not end within a block is spread evenly over as few blocks as its size allows:
// 64 ranks over racks of 36 places stand 32 in each of two.
std::int64_t in_block(const Row& row, std::int64_t block) {
  std::int64_t most = std::max<std::int64_t>(1, block / row.stride);
  if (row.count <= most) {
    return row.count;
  }
  while (row.count % most != 0) {
    --most;
  }
  return most;
}

// From the outside in: what a block holds of the row is a row of the level below.
void place(const Row& row, const Levels& levels, Group& group) {
  Row left = row;
  for (std::size_t level = levels.count - 1; level > 0; --level) {
    const std::int64_t held = std::max<std::int64_t>(in_block(left, levels.blocks[level - 1]), 1);
    group.ranks[level] *= left.count / held;
    left.count = held;
  }
  group.ranks[0] *= left.count;
}

template <std::size_t count>
Group placed(const std::array<Row, count>& rows, const Levels& levels) {
  SCALESWEEP_EXPECT(levels.count > 0 && levels.count <= most_levels);
  Group group;
  group.domain_level = levels.domain_level;
  for (const Row& row : rows) {
    place(row, levels, group);
  }
  return group;
}

Group placed(const Row& row, const Levels& levels) {
  return placed(std::array<Row, 1>{row}, levels);
}

std::int64_t product(std::span<const std::int64_t> ranks) {
  return std::accumulate(ranks.begin(), ranks.end(), std::int64_t{1}, std::multiplies<>());
}

// The `count` inner ones of the ranks in these rows, or (`rest`) the ranks that stand at the same
// place of the next such sets.
std::array<Row, 2> part(const std::array<Row, 2>& rows, std::int64_t count, bool rest) {
  const std::int64_t first = std::gcd(count, rows[0].count);
  const std::int64_t second = count / first;
  if (!rest) {
    return {{{first, rows[0].stride}, {second, rows[1].stride}}};
  }
  return {{{rows[0].count / first, rows[0].stride * first},
           {rows[1].count / second, rows[1].stride * second}}};
}

// Every tensor-parallel rank of the replicas that share experts.
std::array<Row, 3> over_tensor(const Strategy& strategy, const std::array<Row, 2>& replicas) {
  return {{{strategy.tensor_parallel, 1}, replicas[0], replicas[1]}};
}

}  // namespace

Group::Group(std::int64_t inner, std::int64_t outer) {
  ranks.fill(1);
  ranks[0] = inner;
  ranks[1] = outer;
}

std::int64_t Group::size() const {
  return product(ranks);
}

std::int64_t Group::inner() const {
  return product(std::span(ranks).first(domain_level + 1));
}

std::int64_t Group::outer() const {
  return product(std::span(ranks).subspan(domain_level + 1));
}

std::size_t Group::widest() const {
  std::size_t level = most_levels - 1;
  while (level > 0 && ranks[level] == 1) {
    --level;
  }
  return level;
}

Group Group::inside() const {
  Group group = *this;
  std::fill(group.ranks.begin() + static_cast<std::ptrdiff_t>(domain_level) + 1, group.ranks.end(),
            1);
  return group;
}

Group Group::across() const {
  Group group = *this;
  std::fill_n(group.ranks.begin(), domain_level + 1, 1);
  return group;
}

Group Group::neighbours() const {
  Group group = *this;
  group.ranks.fill(1);
  group.ranks[widest()] = 2;
  return group;
}

Group group_of(const Strategy& strategy, Dimension dimension, const Levels& levels) {
  const Grid grid = grid_of(strategy);
  const std::int64_t shards = strategy.shard_group > 0 ? strategy.shard_group : strategy.replicas();
  const std::array<Row, 2> sharing = part(grid.replicas, strategy.replicas_of_experts(), false);
  switch (dimension) {
    case Dimension::tensor:
      break;
    case Dimension::context:
      return placed(grid.context, levels);
    case Dimension::decode_context:  // neighbours, as in vllm/distributed/parallel_state.py
      return placed(Row{strategy.decode_context_parallel, 1}, levels);
    case Dimension::data:
      return placed(grid.replicas, levels);
    case Dimension::shard:
      return placed(part(grid.replicas, shards, false), levels);
    case Dimension::shard_replica:
      return placed(part(grid.replicas, shards, true), levels);
    case Dimension::expert:
      return strategy.experts_over_tensor ? placed(over_tensor(strategy, sharing), levels)
                                          : placed(sharing, levels);
    case Dimension::expert_exchange:
      return strategy.experts_over_tensor && strategy.sequence_parallel
                 ? placed(over_tensor(strategy, sharing), levels)
                 : placed(sharing, levels);
    case Dimension::expert_data:
      return placed(part(grid.replicas, strategy.replicas_of_experts(), true), levels);
    case Dimension::pipeline:
      return placed(grid.pipeline, levels);
  }
  return placed(Row{strategy.tensor_parallel, 1}, levels);
}

Group group_of(std::int64_t ranks, const Levels& levels) {
  return placed(Row{ranks, 1}, levels);
}

}  // namespace scalesweep::parallel
