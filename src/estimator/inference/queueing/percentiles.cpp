#include "estimator/inference/queueing/percentiles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "estimator/inference/queueing/queueing.hpp"
#include "estimator/inference/queueing/waits.hpp"

namespace scalesweep::estimator {
namespace {

constexpr double half_root = 0.7071067811865476;  // of 2
constexpr double nearness = 1e-3;                 // of a percentile, relative

// Where a falling function crosses `share`, between `low`, where it is above, and `high`: along
// lines, of which an end that stays counts half (the Illinois algorithm; Dowell and Jarratt, BIT
// 11, 1971).
template <typename Function>
double crossing(double share, double low, double high, const Function& function) {
  if (high - low <= nearness * high) {
    return 0.5 * (low + high);
  }
  double above = function(low) - share;
  double below = function(high) - share;
  if (above <= 0.0) {
    return low;
  }
  bool was_low = false;
  for (int trial = 0; high - low > nearness * high; ++trial) {
    const double line = low + (high - low) * above / (above - below);
    const double at = trial % 4 == 3 || !(line > low && line < high) ? 0.5 * (low + high) : line;
    const double value = function(at) - share;
    if (std::fabs(value) < nearness * share) {
      return at;
    }
    const bool is_low = value > 0.0;
    (is_low ? low : high) = at;
    (is_low ? above : below) = value;
    if (trial > 0 && is_low == was_low) {
      (is_low ? below : above) *= 0.5;
    }
    was_low = is_low;
  }
  return 0.5 * (low + high);
}

// The share of requests whose rest of the iteration, uniform up to `length_s`, and wait are above
// `s` together; `beyond` is that of the wait alone.
double rest_and_wait(double s, double length_s, const Wait& wait, double beyond) {
  if (s <= 0.0) {
    return 1.0;
  }
  if (length_s <= 0.0) {
    return beyond;
  }
  const double weight = wait.mean_s / length_s;
  if (s < length_s) {
    return 1.0 - s / length_s + weight - (wait.share > 0.0 ? weight * beyond / wait.share : 0.0);
  }
  if (wait.mean_s <= 0.0) {
    return 0.0;
  }
  const double rate = wait.share / wait.mean_s;
  return weight * (std::exp(-rate * (s - length_s)) - beyond / wait.share);
}

// The share of requests that wait longer than `s` before their prompts begin.
double share_beyond(double s, const Traffic& traffic, const Wait& wait) {
  if (s < 0.0) {
    return 1.0;
  }
  const double beyond =
      wait.mean_s > 0.0 ? wait.share * std::exp(-s * wait.share / wait.mean_s) : 0.0;
  if (traffic.busy <= 0.0) {
    return beyond;
  }
  const double prefills_s = traffic.prefill_share * traffic.prefill_s;
  const double plains_s = (1.0 - traffic.prefill_share) * traffic.plain_s;
  const double prefills = prefills_s / (prefills_s + plains_s);
  return (1.0 - traffic.busy) * beyond +
         traffic.busy * (prefills * rest_and_wait(s, traffic.prefill_s, wait, beyond) +
                         (1.0 - prefills) * rest_and_wait(s, traffic.plain_s, wait, beyond));
}

// Of a prompt of this many fresh tokens, before it is scaled to the mean of all.
double prefill_weight(const Traffic& traffic, double fresh) {
  const double parts = traffic.chunk > 0.0 ? std::max(1.0, fresh / traffic.chunk) : 1.0;
  return parts * traffic.iteration_s + fresh * traffic.token_s;
}

Percentiles first_tokens(const ServingJob& job, const Traffic& traffic, const Wait& wait) {
  double shares = 0.0;
  double weights = 0.0;
  double shortest = std::numeric_limits<double>::infinity();
  double longest = 0.0;
  for (const RequestClass& one : job.requests) {
    const double weight = prefill_weight(traffic, fresh_tokens(job, one));
    shares += one.share;
    weights += one.share * weight;
    shortest = std::min(shortest, weight);
    longest = std::max(longest, weight);
  }
  const double scale = weights > 0.0 ? traffic.first_s * shares / weights : 0.0;
  const auto exceed = [&](double s) {
    double sum = 0.0;
    for (const RequestClass& one : job.requests) {
      const double own_s = scale * prefill_weight(traffic, fresh_tokens(job, one));
      sum += one.share * share_beyond(s - own_s, traffic, wait);
    }
    return sum / shares;
  };
  const double rest_s = traffic.busy > 0.0 ? std::max(traffic.prefill_s, traffic.plain_s) : 0.0;
  Percentiles times = {};
  double low = scale * shortest;
  for (std::size_t i = 0; i < percentile_count; ++i) {
    const double beyond = workload::percentiles[i].share_beyond;
    const double longest_s = scale * longest + rest_s + exceeded_s(wait, beyond);
    low = times[i] = crossing(beyond, low, longest_s, exceed);
  }
  for (double& s : times) {
    s += job.inference.stack.request_overhead_s;
  }
  return times;
}

// The variance of the mean over a stay of what springs back to its mean within a time, over its
// variance (of an Ornstein-Uhlenbeck process); `stay` is in units of that time.
double averaged(double stay) {
  return stay < 1e-3 ? 1.0 - stay / 3.0 : 2.0 * (std::expm1(-stay) + stay) / (stay * stay);
}

// The time per output token of requests of one length, as a lognormal distribution.
struct Lognormal {
  double middle = 0.0;     // of the logarithm of seconds
  double deviation = 0.0;  // above 0
};

class TokenTimes {
 public:
  // `before_s` is the mean time to the first token without waiting for a place.
  TokenTimes(const Traffic& traffic, const RequestMix& mix, const Fluctuation& f,
             double arrival_scv, double before_s, double free_places)
      : traffic_(traffic),
        before_s_(before_s),
        stall_(f.stall),
        growth_(std::min(traffic.growth, most_growth)),
        arrival_scv_(arrival_scv) {
    // Few are free: as a queue below its limit the number falls by what is free in the mean.
    const double n = std::max(traffic.sequences, 1.0);
    const double variance =
        1.0 / (1.0 / (f.deviation * f.deviation) + 1.0 / (free_places * free_places));
    batch_variance_ = variance / (n * n);
    stay_ = (1.0 - growth_) / (0.5 * (1.0 + f.stay_scv) * mix.decoded());
    prompt_scv_ = f.arrival_scv + f.prompt_scv;
    both_ = growth_ * stall_ * f.arrival_scv / n;
  }

  // Of requests of so many tokens after the first. More of them meet many sequences than few, and
  // to what comes while they are decoded the prompts are added that came before their first token,
  // after them, and those that come with them in a burst.
  Lognormal of(double tokens) const {
    const double mean_s = traffic_.output_token_s;
    const double stay_s = tokens * mean_s;
    const double arrivals = traffic_.rate * stay_s;
    const double longer = before_s_ / stay_s;
    const double shift =
        growth_ * batch_variance_ +
        stall_ * (longer + companions(arrival_scv_, arrivals * (1.0 + longer)) / arrivals);
    const double variance = growth_ * growth_ * batch_variance_ * averaged(stay_ * tokens) +
                            stall_ * stall_ * prompt_scv_ * (1.0 + longer) / arrivals + both_;
    const double ratio = std::max(0.1, 1.0 + shift);
    const double logarithmic = std::log1p(variance / (ratio * ratio));
    return {std::log(mean_s * ratio) - 0.5 * logarithmic, std::sqrt(logarithmic) + 1e-9};
  }

 private:
  const Traffic& traffic_;
  double before_s_;
  double stall_;
  double growth_;
  double batch_variance_ = 0.0;
  double stay_ = 0.0;
  double arrival_scv_;
  double prompt_scv_ = 0.0;
  double both_ = 0.0;
};

// Of each class of requests, the first of them computed once: as many as a trace has.
class ClassTimes {
 public:
  ClassTimes(const std::vector<RequestClass>& requests, const TokenTimes& times)
      : requests_(requests), times_(times) {
    for (std::size_t i = 0; i < std::min(requests.size(), known_.size()); ++i) {
      if (requests[i].output > 1.0) {
        known_[i] = times.of(requests[i].output - 1.0);
      }
    }
  }
  Lognormal operator[](std::size_t i) const {
    return i < known_.size() ? known_[i] : times_.of(requests_[i].output - 1.0);
  }

 private:
  const std::vector<RequestClass>& requests_;
  const TokenTimes& times_;
  std::array<Lognormal, 64> known_;
};

Percentiles output_tokens(const ServingJob& job, const TokenTimes& times_of, double slowest_s) {
  const std::vector<RequestClass>& requests = job.requests;
  const ClassTimes classes(requests, times_of);
  double shares = 0.0;
  Percentiles low = {};
  Percentiles high = {};
  for (std::size_t c = 0; c < requests.size(); ++c) {
    if (requests[c].output <= 1.0) {
      continue;
    }
    const Lognormal own = classes[c];
    for (std::size_t i = 0; i < percentile_count; ++i) {
      const double at = own.middle + workload::percentiles[i].normal_quantile * own.deviation;
      low[i] = shares > 0.0 ? std::min(low[i], at) : at;
      high[i] = shares > 0.0 ? std::max(high[i], at) : at;
    }
    shares += requests[c].share;
  }
  const auto exceed = [&](double s) {
    const double logarithm = std::log(s);
    double sum = 0.0;
    for (std::size_t c = 0; c < requests.size(); ++c) {
      if (requests[c].output > 1.0) {
        const Lognormal own = classes[c];
        const double z = (logarithm - own.middle) / own.deviation;
        sum += requests[c].share * 0.5 * std::erfc(half_root * z);
      }
    }
    return sum / shares;
  };
  Percentiles times = {};
  for (std::size_t i = 0; i < percentile_count && shares > 0.0; ++i) {
    const double s = crossing(workload::percentiles[i].share_beyond, std::exp(low[i]),
                              std::exp(high[i]), exceed);
    times[i] = std::min(slowest_s, s);
  }
  return times;
}

// Iterations of a full batch that all have a whole chunk beside it.
double slowest_token_s(const ServingJob& job, const SteadyState& state, double places) {
  const Traffic& traffic = state.traffic;
  if (traffic.chunk_s <= 0.0) {
    return std::numeric_limits<double>::infinity();
  }
  const double n = std::max(traffic.sequences, 1.0);
  const double full_s = traffic.plain_s * (1.0 + traffic.growth * std::max(0.0, places / n - 1.0));
  return (full_s + traffic.chunk_s) / job.inference.speculation.tokens_per_iteration();
}

}  // namespace

LatencyPercentiles latency_percentiles(const ServingJob& job, const RequestMix& mix,
                                       const SteadyState& state, const FullBatch& full,
                                       double replicas) {
  const Traffic& traffic = state.traffic;
  const FirstTokenWaits waits = first_token_waits(job, mix, state, full, replicas);
  LatencyPercentiles percentiles;
  percentiles.first_token_s.fill(std::numeric_limits<double>::infinity());
  if (std::isfinite(waits.mean_s())) {
    percentiles.first_token_s = first_tokens(job, traffic, both(waits.prompts, waits.place));
  }
  if (mix.decoded() > 0.0) {
    const double scv = split_scv(job.burstiness, replicas);
    const double places = full.batch / replicas;
    const double queue_s = std::isfinite(waits.prompts.mean_s) ? waits.prompts.mean_s : 0.0;
    // A request is one of those that it finds in the batch.
    const double taken = std::max(1.0, traffic.sequences);
    const double free_places = std::max(0.0, places - taken) + 1e-9 * places;
    const TokenTimes times(traffic, mix, fluctuation(traffic, mix, scv), scv,
                           waits.rest_s + queue_s + traffic.first_s, free_places);
    percentiles.output_token_s = output_tokens(job, times, slowest_token_s(job, state, places));
  }
  return percentiles;
}

}  // namespace scalesweep::estimator
