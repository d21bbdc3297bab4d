// Tokens on their way to their experts and back: one law for training and for requests.
#pragma once

#include "estimator/parts/cost.hpp"
#include "parallel/placement.hpp"
#include "technology/device.hpp"
#include "workload/feed_forward/expert_dispatch.hpp"

namespace scalesweep::estimator {

enum class ExchangeWay { there, back };

struct ExpertExchange {
  workload::ExpertDispatch dispatch = workload::ExpertDispatch::all_to_all;  // as resolved
  parallel::Collective sent;
  // Inside the domains, of what arrives there, at the same time; of no bytes: nothing.
  parallel::Collective forwarded;
};

// `bytes` are those of a device's tokens, a copy for each expert that they go to; `load` the tokens
// of the busiest device of experts over the mean, which does not matter where all get all.
ExpertExchange expert_exchange(const workload::Experts& experts, workload::ExpertDispatch dispatch,
                               const parallel::Group& group, double bytes, double load,
                               ExchangeWay way);

// The longer of both, with the bytes of both.
Cost exchange_cost(const ExpertExchange& exchange, const technology::System& system);

}  // namespace scalesweep::estimator
