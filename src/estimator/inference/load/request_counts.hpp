// How many requests a system works on at a time, and how many would fit.
#pragma once

#include <array>
#include <string_view>

namespace scalesweep::estimator {

// A batch is that of all replicas; what one of them has says so.
struct RequestCounts {
  double in_flight = 0.0;
  double in_flight_per_replica = 0.0;
  double largest_batch = 0.0;
  double largest_batch_per_replica = 0.0;
};

// One row for each: what columns of studies, explanations and validations call it.
struct RequestCount {
  std::string_view name, long_name, description;
  double RequestCounts::*value;
};
// Those in flight, then those that fit.
inline constexpr std::array<RequestCount, 4> request_counts = {{
    {"requests_in_flight", "requests in flight",
     "Requests being answered at a time, all replicas; of disaggregated ones those that decode.",
     &RequestCounts::in_flight},
    {"requests_in_flight_per_replica", "requests in flight of a replica",
     "requests_in_flight over the replicas that hold them.", &RequestCounts::in_flight_per_replica},
    {"largest_batch", "largest batch",
     "Requests of all replicas that fit at a time; 0: not even the weights fit.",
     &RequestCounts::largest_batch},
    {"largest_batch_per_replica", "largest batch of a replica",
     "largest_batch over the replicas that hold it.", &RequestCounts::largest_batch_per_replica},
}};

}  // namespace scalesweep::estimator
