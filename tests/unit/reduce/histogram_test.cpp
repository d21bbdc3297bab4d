#include "reduce/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace scalesweep::reduce {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The plain way: the first edge above the value.
std::size_t searched(const std::vector<double>& edges, double value) {
  return static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), value) -
                                  edges.begin());
}

TEST(Histogram, EdgesAreExactAndCutOctavesEvenly) {
  const std::vector<double> edges = edges_of({0, 2});

  EXPECT_EQ(edges, (std::vector<double>{1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4}));
  EXPECT_EQ(bin_count({0, 2}), edges.size() + 1);
}

TEST(Histogram, BinIsThatOfASearch) {
  const OctaveBins bins{-20, 25};
  const std::vector<double> edges = edges_of(bins);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-24.0, 29.0);
  for (int i = 0; i < 10'000; ++i) {
    const double value = std::exp2(exponent(random));
    ASSERT_EQ(bin_of(bins, value), searched(edges, value)) << value;
  }
  for (const double edge : edges) {
    EXPECT_EQ(bin_of(bins, edge), searched(edges, edge)) << edge;
    const double below = std::nextafter(edge, 0.0);
    EXPECT_EQ(bin_of(bins, below), searched(edges, below)) << below;
  }
}

TEST(Histogram, OpenBinsTakeWhatLiesOutside) {
  const OctaveBins bins{0, 2};

  for (const double low : {0.0, -0.0, -3.0, -infinity, 5e-324, 0.999}) {
    EXPECT_EQ(bin_of(bins, low), 0U) << low;
  }
  for (const double high : {4.0, 1e300, infinity}) {
    EXPECT_EQ(bin_of(bins, high), bin_count(bins) - 1) << high;
  }
  EXPECT_EQ(bin_of(bins, std::nan("")), bin_count(bins)) << "NaN is in no bin";
}

}  // namespace
}  // namespace scalesweep::reduce
