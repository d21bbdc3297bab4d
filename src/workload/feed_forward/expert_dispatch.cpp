#include "workload/feed_forward/expert_dispatch.hpp"
#include "workload/model.hpp"

#include <algorithm>

namespace scalesweep::workload {
namespace {

// Chance that of `pool` experts or groups none of `held` is among `drawn` distinct ones:
// C(pool - held, drawn) / C(pool, drawn), for fractions of one as well.
double none_of(double pool, double held, std::int64_t drawn) {
  double chance = 1.0;
  for (std::int64_t i = 0; i < drawn; ++i) {
    const double left = pool - static_cast<double>(i);
    chance *= left > held ? (left - held) / left : 0.0;
  }
  return chance;
}

}  // namespace

ExpertDispatch resolved(ExpertDispatch dispatch, const Experts& experts, bool crosses_domains) {
  if (dispatch != ExpertDispatch::by_routing) {
    return dispatch;
  }
  const bool limited = experts.node_limit > 0 && experts.node_limit < experts.top_k;
  return limited && crosses_domains ? ExpertDispatch::hierarchical : ExpertDispatch::all_to_all;
}

double parts_reached(const Experts& experts, double parts) {
  const auto count = static_cast<double>(experts.count);
  const auto groups = static_cast<double>(experts.groups);
  const auto limit = static_cast<double>(experts.node_limit);
  if (limit <= 0.0 || groups <= limit) {
    return parts * (1.0 - none_of(count, count / parts, experts.top_k));
  }
  if (parts <= groups) {
    return parts * (1.0 - none_of(groups, groups / parts, experts.node_limit));
  }
  // Parts of a group: any of the experts of those that were chosen, which all hold one.
  const double chosen = limit / groups;
  return std::max(limit,
                  parts * chosen * (1.0 - none_of(chosen * count, count / parts, experts.top_k)));
}

}  // namespace scalesweep::workload
