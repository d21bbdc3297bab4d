#include "validation/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/contracts.hpp"

namespace scalesweep::validation {
namespace {

// Linear interpolation between order statistics (Hyndman and Fan, type 7), as NumPy and R default.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double at = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void Coverage::add(double error, double bar) {
  SCALESWEEP_EXPECT(bar > 0.0);
  ++count;
  within_one += std::fabs(error) <= bar ? 1 : 0;
  within_two += std::fabs(error) <= 2.0 * bar ? 1 : 0;
}

double Coverage::share_within_one() const {
  return share(within_one, count);
}

double Coverage::share_within_two() const {
  return share(within_two, count);
}

ErrorStatistics error_statistics(std::span<const double> errors) {
  ErrorStatistics statistics;
  statistics.count = errors.size();
  if (errors.empty()) {
    return statistics;
  }
  std::vector<double> absolute;
  for (const double error : errors) {
    absolute.push_back(std::fabs(error));
    statistics.mean_absolute += std::fabs(error);
    statistics.bias += error;
  }
  const auto n = static_cast<double>(errors.size());
  statistics.mean_absolute /= n;
  statistics.bias /= n;
  std::sort(absolute.begin(), absolute.end());
  statistics.median_absolute = quantile(absolute, 0.5);
  statistics.p90_absolute = quantile(absolute, 0.9);
  return statistics;
}

std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) {
      ++end;
    }
    const double shared = 0.5 * static_cast<double>(first + 1 + end);
    for (; first < end; ++first) {
      result[order[first]] = shared;
    }
  }
  return result;
}

std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b) {
  SCALESWEEP_EXPECT(a.size() == b.size());
  const std::vector<double> ranks_a = ranks(a);
  const std::vector<double> ranks_b = ranks(b);
  const double mean = 0.5 * (static_cast<double>(a.size()) + 1.0);
  double both = 0.0;
  double only_a = 0.0;
  double only_b = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (ranks_a[i] - mean) * (ranks_b[i] - mean);
    only_a += (ranks_a[i] - mean) * (ranks_a[i] - mean);
    only_b += (ranks_b[i] - mean) * (ranks_b[i] - mean);
  }
  if (only_a <= 0.0 || only_b <= 0.0) {
    return std::nullopt;
  }
  return both / std::sqrt(only_a * only_b);
}

namespace {

double pairs_of(std::size_t count) {
  return 0.5 * static_cast<double>(count) * (static_cast<double>(count) - 1.0);
}

// Pairs of equal neighbours of a sorted list: `same(i, j)` says whether two are equal.
template <typename Same>
double ties_of(std::size_t count, Same same) {
  double ties = 0.0;
  for (std::size_t first = 0; first < count;) {
    std::size_t end = first + 1;
    while (end < count && same(first, end)) {
      ++end;
    }
    ties += pairs_of(end - first);
    first = end;
  }
  return ties;
}

// Sorts by merging; returns how many pairs stood in the wrong order (W. R. Knight, "A computer
// method for calculating Kendall's tau with ungrouped data", JASA 61(314), 1966).
double sort_counting(std::span<double> values, std::vector<double>& room) {
  if (values.size() < 2) {
    return 0.0;
  }
  const std::size_t half = values.size() / 2;
  const std::span<double> low = values.first(half);
  const std::span<double> high = values.subspan(half);
  double exchanges = sort_counting(low, room) + sort_counting(high, room);
  room.clear();
  std::size_t i = 0;
  for (const double value : high) {
    while (i < low.size() && low[i] <= value) {
      room.push_back(low[i++]);
    }
    exchanges += static_cast<double>(low.size() - i);
    room.push_back(value);
  }
  room.insert(room.end(), low.begin() + static_cast<std::ptrdiff_t>(i), low.end());
  std::copy(room.begin(), room.end(), values.begin());
  return exchanges;
}

}  // namespace

// Counts up to 2^53 pairs, of some 10^8 values, are exact in a double.
std::optional<double> concordance(std::span<const double> a, std::span<const double> b) {
  SCALESWEEP_EXPECT(a.size() == b.size());
  std::vector<std::pair<double, double>> both;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both.emplace_back(a[i], b[i]);
  }
  std::sort(both.begin(), both.end());
  std::vector<double> by_a;
  for (const auto& pair : both) {
    by_a.push_back(pair.second);
  }
  const double pairs = pairs_of(both.size());
  const double tied_in_a = ties_of(
      both.size(), [&](std::size_t i, std::size_t j) { return both[i].first == both[j].first; });
  const double tied_in_both =
      ties_of(both.size(), [&](std::size_t i, std::size_t j) { return both[i] == both[j]; });
  std::vector<double> room;
  const double discordant = sort_counting(by_a, room);
  const double tied_in_b =
      ties_of(by_a.size(), [&](std::size_t i, std::size_t j) { return by_a[i] == by_a[j]; });
  const double no_tie_in_a = pairs - tied_in_a;
  const double no_tie_in_b = pairs - tied_in_b;
  if (no_tie_in_a <= 0.0 || no_tie_in_b <= 0.0) {
    return std::nullopt;
  }
  const double concordant = pairs - tied_in_a - tied_in_b + tied_in_both - discordant;
  return (concordant - discordant) / std::sqrt(no_tie_in_a * no_tie_in_b);
}

}  // namespace scalesweep::validation
