// Figures of a service at each percentile that is told.
#pragma once

#include <array>
#include <cstddef>

#include "workload/serving/request_latency.hpp"

namespace scalesweep::estimator {

using workload::percentile_count;
using Percentiles = std::array<double, percentile_count>;

// What a table of workload::request_latencies stands for, of anything that has both kinds.
template <typename Latencies>
constexpr auto& percentile_of(Latencies& of, const workload::RequestLatency& which) {
  auto& all =
      which.time == workload::RequestTime::first_token ? of.first_token_s : of.output_token_s;
  return all[static_cast<std::size_t>(which.percentile)];
}

}  // namespace scalesweep::estimator
