#include "estimator/reuse/session_rate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace scalesweep::estimator {
namespace {

constexpr double tolerance = 1e-3;  // of the rate
constexpr double least_step = 0.1;  // of what is left between the two ends
constexpr int most_rounds = 40;

bool has_rate(const ServingEstimate& estimate) {
  return std::isfinite(estimate.request_rate) && estimate.request_rate > 0.0;
}

}  // namespace

ServingEstimate at_own_rate(ServingEstimate most, bool is_closed, const ServedAt& served,
                            const ServedAt& arriving) {
  const auto rate_of = [&](const ServingEstimate& one) {
    const bool is_kept = is_closed || one.verdict == ServingVerdict::meets_limits;
    return is_kept && has_rate(one) ? one.request_rate : 0.0;
  };
  if (rate_of(most) <= 0.0) {
    return most;
  }
  double low = 0.0, high = rate_of(most);  // less, and no less than is served
  double at = high;
  ServingEstimate best = std::move(most);
  double best_off = high;
  double low_off = high, high_off = 0.0;  // what is served beyond what was asked with
  bool is_kept = true;                    // limits, at the high end
  for (int round = 0; round < most_rounds && best_off > tolerance * at; ++round) {
    ServingEstimate one = served(at);
    const double rate = rate_of(one);
    const double off = rate - at;
    if (std::abs(off) <= best_off) {
      best_off = std::abs(off);
      best = std::move(one);
    }
    if (off >= 0.0) {
      low = at;
      low_off = off;
    } else {
      high = at;
      high_off = off;
      is_kept = rate > 0.0;
    }
    if (high - low <= tolerance * high) {
      break;
    }
    const double share = std::clamp(low_off / (low_off - high_off), least_step, 1.0 - least_step);
    at = low + share * (high - low);
  }
  return is_kept || low <= 0.0 ? best : arriving(low);
}

}  // namespace scalesweep::estimator
