#include "reduce/choice.hpp"

#include <algorithm>
#include <cmath>

#include "core/contracts.hpp"

namespace scalesweep::reduce {

bool cannot_be_told_apart(const Estimate& a, const Estimate& b) {
  if (std::isnan(a.error) || std::isnan(b.error)) {
    return false;
  }
  const double bar = std::sqrt(2.0 * (1.0 - shared_share)) * std::max(a.error, b.error);
  return std::fabs(a.log_value - b.log_value) <= bar;
}

std::size_t choose_under_doubt(std::span<const Estimate> estimates) {
  SCALESWEEP_EXPECT(!estimates.empty());
  const auto is_before = [](const Estimate& a, const Estimate& b) {
    return a.log_value < b.log_value;
  };
  const auto fastest = std::min_element(estimates.begin(), estimates.end(), is_before);
  auto chosen = fastest;
  for (auto next = estimates.end();; next = estimates.end()) {
    for (auto one = estimates.begin(); one != estimates.end(); ++one) {
      const bool may_follow = as_wide * one->error < chosen->error &&
                              cannot_be_told_apart(*one, *chosen) &&
                              cannot_be_told_apart(*one, *fastest);
      if (may_follow && (next == estimates.end() || is_before(*one, *next))) {
        next = one;
      }
    }
    if (next == estimates.end()) {
      return static_cast<std::size_t>(chosen - estimates.begin());
    }
    chosen = next;
  }
}

}  // namespace scalesweep::reduce
