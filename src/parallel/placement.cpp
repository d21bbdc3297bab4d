#include "parallel/placement.hpp"

#include <algorithm>
#include <array>
#include <numeric>

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

// A row that does not end within a domain is spread evenly over as few domains as its size allows:
// 64 ranks over racks of 36 places stand 32 in each of two.
std::int64_t in_domain(const Row& row, std::int64_t domain) {
  std::int64_t most = std::max<std::int64_t>(1, domain / row.stride);
  if (row.count <= most) {
    return row.count;
  }
  while (row.count % most != 0) {
    --most;
  }
  return most;
}

Group placed(const Row& row, std::int64_t domain) {
  const std::int64_t inner = std::max<std::int64_t>(in_domain(row, domain), 1);  // of none, too
  return {inner, row.count / inner};
}

Group placed(const std::array<Row, 2>& rows, std::int64_t domain) {
  const Group first = placed(rows[0], domain);
  const Group second = placed(rows[1], domain);
  return {first.inner * second.inner, first.outer * second.outer};
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

}  // namespace

Group group_of(const Strategy& strategy, Dimension dimension, std::int64_t scale_up_domain) {
  const Grid grid = grid_of(strategy);
  const std::int64_t shards = strategy.shard_group > 0 ? strategy.shard_group : strategy.replicas();
  switch (dimension) {
    case Dimension::tensor:
      break;
    case Dimension::context:
      return placed(grid.context, scale_up_domain);
    case Dimension::data:
      return placed(grid.replicas, scale_up_domain);
    case Dimension::shard:
      return placed(part(grid.replicas, shards, false), scale_up_domain);
    case Dimension::shard_replica:
      return placed(part(grid.replicas, shards, true), scale_up_domain);
    case Dimension::expert:
      return placed(part(grid.replicas, strategy.expert_parallel, false), scale_up_domain);
    case Dimension::expert_data:
      return placed(part(grid.replicas, strategy.expert_parallel, true), scale_up_domain);
    case Dimension::pipeline:
      return placed(grid.pipeline, scale_up_domain);
  }
  return placed(Row{strategy.tensor_parallel, 1}, scale_up_domain);
}

Link stage_link(const Strategy& strategy, std::int64_t scale_up_domain) {
  return group_of(strategy, Dimension::pipeline, scale_up_domain).outer == 1 ? Link::scale_up
                                                                             : Link::scale_out;
}

}  // namespace scalesweep::parallel
