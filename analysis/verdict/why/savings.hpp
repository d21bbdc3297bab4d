// What a faster resource saves of the time of an answer, computed by whoever knows the estimator:
// analysis does not. Without that the shares alone say it, to first order (gain_of_ten_percent).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/verdict/verdict.hpp"

namespace scalesweep::analysis {

// As a part of the time.
struct ResourceSaving {
  std::string resource;
  double ten_percent = 0.0;    // of 10 % more of it, of latency less
  double without_limit = 0.0;  // where it takes no time
};

// Of the point of an id; empty where it cannot be computed.
using SavingsOf = std::function<std::vector<ResourceSaving>(std::int64_t id)>;

// Answers that are shown in full.
inline constexpr std::size_t most_full_answers = 8;

// In place of the shares, of the points that are taken in these. None without a function.
void add_savings(const SavingsOf& savings_of, Verdicts& verdicts);

}  // namespace scalesweep::analysis
