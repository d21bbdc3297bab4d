#include "cli/recommend/spec/batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

constexpr std::int64_t largest_micro_batch = 8;  // that is tried
constexpr std::int64_t most_compared = 1 << 14U;
constexpr double told_change = 0.005;  // less is rounding

std::vector<std::int64_t> divisors_of(std::int64_t number) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t low = 1; low * low <= number; ++low) {
    if (number % low == 0) {
      divisors.push_back(low);
      if (low * low != number) {
        divisors.push_back(number / low);
      }
    }
  }
  return divisors;
}

// "3.1 % more"; "" of what is as asked.
std::string change_text(double ratio) {
  const double change = ratio - 1.0;
  return std::fabs(change) < told_change
             ? ""
             : fmt::format("{:.2g} % {}", 100.0 * std::fabs(change), change > 0 ? "more" : "less");
}

}  // namespace

std::int64_t even_batch(double wanted, std::int64_t devices) {
  const auto nearest = std::max<std::int64_t>(1, std::llround(wanted));
  const auto low =
      std::max({std::int64_t{1}, nearest - most_compared,
                static_cast<std::int64_t>(std::ceil((1.0 - most_batch_change) * wanted))});
  const auto high =
      std::min(nearest + most_compared,
               static_cast<std::int64_t>(std::floor((1.0 + most_batch_change) * wanted)));
  // Checking the spec refuses less than one device.
  const std::vector<std::int64_t> parts =
      divisors_of(largest_micro_batch * std::max<std::int64_t>(1, devices));
  const auto far = [&](std::int64_t batch) {
    return std::fabs(static_cast<double>(batch) - wanted);
  };
  std::int64_t best = nearest;
  std::ptrdiff_t most = -1;
  for (std::int64_t batch = low; batch <= high; ++batch) {
    const std::ptrdiff_t shared = std::count_if(
        parts.begin(), parts.end(), [&](std::int64_t part) { return batch % part == 0; });
    if (shared > most || (shared == most && far(batch) < far(best))) {
      best = batch;
      most = shared;
    }
  }
  return best;
}

Batches even_batches(double wanted, const std::vector<std::int64_t>& devices) {
  Batches batches;
  for (const std::int64_t count : devices) {
    batches[count] = even_batch(wanted, count);
  }
  return batches;
}

std::string batch_text(const Batches& batches, std::int64_t sequence, std::int64_t tokens) {
  const auto ratio = [&](std::int64_t batch) {
    return static_cast<double>(batch) * static_cast<double>(sequence) / static_cast<double>(tokens);
  };
  const std::int64_t first = batches.begin()->second;
  const bool is_one = std::all_of(batches.begin(), batches.end(),
                                  [&](const auto& one) { return one.second == first; });
  if (!is_one) {
    std::vector<std::string> texts;
    for (const auto& [devices, batch] : batches) {
      texts.push_back(fmt::format("{} on {}", batch, devices));
    }
    return fmt::format(
        "global batch {} devices, each about {} tokens, so that replicas can share it",
        join(texts, ", "), with_thousands(tokens));
  }
  const std::string change = change_text(ratio(first));
  return fmt::format(
      "global batch {}, of {} tokens{}", first, with_thousands(first * sequence),
      change.empty() ? "" : ", " + change + " than asked, which more layouts divide");
}

}  // namespace scalesweep::cli
