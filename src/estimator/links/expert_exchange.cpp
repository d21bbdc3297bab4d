#include "estimator/links/expert_exchange.hpp"

#include "estimator/parts/collective.hpp"
#include "workload/model.hpp"

namespace scalesweep::estimator {

using parallel::CollectiveKind;
using workload::ExpertDispatch;

ExpertExchange expert_exchange(const workload::Experts& experts, ExpertDispatch dispatch,
                               const parallel::Group& group, double bytes, double load,
                               ExchangeWay way) {
  ExpertExchange exchange;
  exchange.dispatch = workload::resolved(dispatch, experts, group.outer() > 1);
  exchange.sent = {CollectiveKind::all_to_all, group, load * bytes};
  const auto copies = static_cast<double>(experts.top_k);
  switch (exchange.dispatch) {
    case ExpertDispatch::by_routing:
    case ExpertDispatch::all_to_all:
      break;
    case ExpertDispatch::low_latency:
      exchange.sent.library = parallel::CollectiveLibrary::direct;
      break;
    case ExpertDispatch::all_gather:
      exchange.sent = {
          way == ExchangeWay::there ? CollectiveKind::all_gather : CollectiveKind::reduce_scatter,
          group, bytes / copies * static_cast<double>(group.size())};
      break;
    case ExpertDispatch::hierarchical: {
      const double devices =
          workload::parts_reached(experts, static_cast<double>(group.size())) / copies;
      const double domains =
          workload::parts_reached(experts, static_cast<double>(group.outer())) / copies;
      exchange.forwarded = {CollectiveKind::all_to_all, group.inside(), load * bytes * devices};
      exchange.sent = {CollectiveKind::all_to_all, group.across(), load * bytes * domains};
      if (group.outer() == 1) {
        exchange.sent = exchange.forwarded;
        exchange.forwarded = {};
      }
      break;
    }
  }
  return exchange;
}

Cost exchange_cost(const ExpertExchange& exchange, const technology::System& system) {
  Cost cost = collective_cost(exchange.sent, system).cost;
  const Cost forwarded = collective_cost(exchange.forwarded, system).cost;
  cost.time = longer(cost.time, forwarded.time);
  cost.work += forwarded.work;
  return cost;
}

}  // namespace scalesweep::estimator
