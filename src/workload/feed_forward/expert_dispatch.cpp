#include "workload/feed_forward/expert_dispatch.hpp"

#include <algorithm>

#include "workload/feed_forward/expert_load.hpp"
#include "workload/inference_layer.hpp"

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

namespace {

ExpertLoads loads_of(const TransformerModel& model, const InferenceSlice& slice) {
  Experts experts = model.experts;
  if (!experts.skew) {
    experts.skew = experts.request_skew;
  }
  return {experts, static_cast<double>(slice.expert_shards), slice.redundant_experts};
}

}  // namespace

ExpertWork expert_work(const TransformerModel& model, const InferenceSlice& slice) {
  const ExpertLoads loads = loads_of(model, slice);
  const double sources = slice.shared_tokens();
  const double even =
      sources * static_cast<double>(model.experts.top_k) / static_cast<double>(slice.expert_shards);
  return {even * loads.largest(sources), loads.reached(sources)};
}

double busiest_expert_load(const TransformerModel& model, const InferenceSlice& slice) {
  return loads_of(model, slice).largest(slice.shared_tokens());
}

double inference_exchange_bytes(const TransformerModel& model, const InferenceSlice& slice) {
  if (!model.experts.on() || slice.expert_shards <= 1) {
    return 0.0;
  }
  return slice.routed_tokens() * static_cast<double>(model.experts.top_k * model.hidden) *
         slice.activation_bytes;
}

}  // namespace scalesweep::workload
