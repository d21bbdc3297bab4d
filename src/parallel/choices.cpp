#include "parallel/choices.hpp"

#include <algorithm>

namespace scalesweep::parallel {
namespace {

bool is_power_of_two(std::int64_t n) {
  return n > 0 && (n & (n - 1)) == 0;
}

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> small;
  std::vector<std::int64_t> large;
  for (std::int64_t d = 1; d * d <= n; ++d) {
    if (n % d == 0) {
      small.push_back(d);
      if (d != n / d) {
        large.push_back(n / d);
      }
    }
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

}  // namespace

std::vector<std::int64_t> candidates(const Choices& choices, std::int64_t bound) {
  std::vector<std::int64_t> values = choices.divisors ? divisors(bound) : choices.values;
  std::erase_if(values, [&](std::int64_t v) {
    return v < 1 || (choices.at_most > 0 && v > choices.at_most) ||
           (choices.powers_of_two && !is_power_of_two(v));
  });
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace scalesweep::parallel
