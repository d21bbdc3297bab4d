// A service over the day: the sum over the parts of its load curve of steady states at the arrivals
// of each, with as many whole replicas as keep the limits then.
//
// The load changes so slowly beside the stay of a request that each part is in its steady state.
// What it takes to start a replica, or to stop one, is left out.
#pragma once

#include <memory>
#include <optional>

#include "estimator/inference/bounds/asked_rate.hpp"
#include "estimator/inference/estimate.hpp"
#include "estimator/inference/job.hpp"
#include "estimator/inference/passes/pass_kernels.hpp"
#include "estimator/inference/service/prefill_pool.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"

namespace scalesweep::estimator {

// `peak` is what estimate_serving says of the same job.
DayMean mean_over_day(const ServingJob& job, const technology::System& system,
                      const parallel::Strategy& strategy, const ServingEstimate& peak,
                      const std::shared_ptr<PassMemo>& known = nullptr);

// estimate_serving, and of a job with a load curve the mean over its day. With a pool of other
// devices there is no curve: how many of those follow the load is not known.
ServingEstimate estimate_service(const ServingJob& job, const technology::System& system,
                                 const parallel::Strategy& strategy,
                                 const PrefillPool* pool = nullptr,
                                 const std::shared_ptr<PassMemo>& known = nullptr);
// The same of estimate_if_asked_for.
std::optional<ServingEstimate> estimate_service_if_asked_for(
    const ServingJob& job, const technology::System& system, const parallel::Strategy& strategy,
    const PrefillPool* pool, const std::shared_ptr<PassMemo>& known, const AskedRate& asked);

}  // namespace scalesweep::estimator
