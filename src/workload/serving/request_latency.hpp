// The percentiles of what a request of a service takes: of its time to the first token and of its
// time per output token. One table, of which the columns of a study, the keys of limits, their axes
// and the lines of an explanation are made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/documents/fixed_text.hpp"

namespace scalesweep::workload {

enum class RequestTime : std::uint8_t { first_token, output_token };

// The values that half, nine of ten and 99 of 100 requests stay below.
enum class Percentile : std::uint8_t { p50, p90, p99 };

struct RequestTimeWords {
  std::string_view name;
  std::string_view long_name;
  std::string_view of_column;                // behind "... of the requests stay below"
  std::string_view of_limit;                 // behind "... of the requests keep"
  std::array<std::string_view, 3> examples;  // of a limit, by percentile
};
inline constexpr std::array<RequestTimeWords, 2> request_times = {{
    {"time_to_first_token",
     "time to first token",
     ", all waiting included. NaN in a closed loop, and where the batch is always full: requests "
     "then queue without end.",
     "",
     {"\"400 ms\"", "\"1 s\"", "\"2 s\""}},
    {"time_per_output_token",
     "time per output token",
     ", each with its mean over its tokens. NaN in a closed loop.",
     ", each its mean over its tokens",
     {"\"30 ms\"", "\"40 ms\"", "\"50 ms\""}},
}};

struct PercentileWords {
  std::string_view name;
  std::string_view requests;
  double share_beyond;     // of requests
  double normal_quantile;  // standard deviations that it is above the mean of a normal distribution
};
inline constexpr std::array<PercentileWords, 3> percentiles = {{
    {"p50", "half of the requests", 0.5, 0.0},
    {"p90", "nine of ten requests", 0.1, 1.2815515655446004},
    {"p99", "99 of 100 requests", 0.01, 2.3263478740408408},
}};
inline constexpr std::size_t percentile_count = percentiles.size();

// One percentile of one time.
struct RequestLatency {
  RequestTime time = RequestTime::first_token;
  Percentile percentile = Percentile::p50;
  FixedText name;  // of its column, and of the key of a limit on it: time_to_first_token_p50
  FixedText long_name;
  FixedText column_description;
  FixedText limit_axis;  // time_to_first_token_p50_limit
  FixedText limit_path;  // workload.time_to_first_token_p50
  FixedText limit_description;
  std::string_view limit_example;
};

// All percentiles of one time, then those of the other.
inline constexpr auto request_latencies = [] {
  std::array<RequestLatency, request_times.size() * percentile_count> all;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t p = i % percentile_count;
    const RequestTimeWords& time = request_times[i / percentile_count];
    const PercentileWords& percentile = percentiles[p];
    all[i] = {static_cast<RequestTime>(i / percentile_count),
              static_cast<Percentile>(p),
              {time.name, "_", percentile.name},
              {time.long_name, ", ", percentile.name},
              {"What ", percentile.requests, " stay below", time.of_column},
              {time.name, "_", percentile.name, "_limit"},
              {"workload.", time.name, "_", percentile.name},
              {"limit that ", percentile.requests, " keep", time.of_limit},
              time.examples[p]};
  }
  return all;
}();

}  // namespace scalesweep::workload
