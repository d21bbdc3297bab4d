#include "reduce/histogram.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/contracts.hpp"

namespace scalesweep::reduce {
namespace {

// IEEE 754 double: sign, 11 bits of exponent, 52 bits of fraction.
constexpr int fraction_bits = 52;
constexpr int exponent_bias = 1023;
constexpr int leading_bits = 2;
static_assert(1 << leading_bits == OctaveBins::bins_per_octave);

}  // namespace

std::vector<double> edges_of(const OctaveBins& bins) {
  SCALESWEEP_EXPECT(bins.first_exponent < bins.last_exponent);
  std::vector<double> edges;
  for (int exponent = bins.first_exponent; exponent < bins.last_exponent; ++exponent) {
    for (int part = 0; part < OctaveBins::bins_per_octave; ++part) {
      edges.push_back(std::ldexp(1.0 + part / double{OctaveBins::bins_per_octave}, exponent));
    }
  }
  edges.push_back(std::ldexp(1.0, bins.last_exponent));
  return edges;
}

std::size_t bin_count(const OctaveBins& bins) {
  const int octaves = bins.last_exponent - bins.first_exponent;
  return static_cast<std::size_t>(octaves * OctaveBins::bins_per_octave) + 2;
}

std::size_t bin_of(const OctaveBins& bins, double value) {
  if (std::isnan(value)) {
    return bin_count(bins);
  }
  if (value < std::ldexp(1.0, bins.first_exponent)) {
    return 0;
  }
  if (value >= std::ldexp(1.0, bins.last_exponent)) {
    return bin_count(bins) - 1;
  }
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto leading = static_cast<std::int64_t>(bits >> (fraction_bits - leading_bits));
  const std::int64_t first = std::int64_t{bins.first_exponent + exponent_bias} << leading_bits;
  return static_cast<std::size_t>(leading - first) + 1;
}

}  // namespace scalesweep::reduce
