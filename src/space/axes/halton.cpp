#include "space/axes/halton.hpp"

#include <algorithm>
#include <vector>

namespace scalesweep::space {
namespace {

// The n-th prime, from 0 on.
std::int64_t prime(std::size_t n) {
  std::vector<std::int64_t> primes;
  for (std::int64_t number = 2; primes.size() <= n; ++number) {
    const bool is_prime = std::none_of(primes.begin(), primes.end(),
                                       [&](std::int64_t known) { return number % known == 0; });
    if (is_prime) {
      primes.push_back(number);
    }
  }
  return primes.back();
}

}  // namespace

double halton(std::int64_t i, std::size_t dimension) {
  const std::int64_t base = prime(dimension);
  double inverse = 0.0;
  double digit = 1.0;
  for (; i > 0; i /= base) {
    digit /= static_cast<double>(base);
    inverse += digit * static_cast<double>(i % base);
  }
  return inverse;
}

}  // namespace scalesweep::space
