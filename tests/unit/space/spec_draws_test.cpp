// Values that nobody knows, and how they are drawn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "space/axes/draws.hpp"
#include "space/axes/together.hpp"
#include "spec_reading.hpp"

namespace scalesweep::space {
namespace {

using tests::derived_spec;
using tests::with;

const std::string two_unknown =
    "[economics]\nsilicon_markup = { mean = 20, spread = 0.4 }\n"
    "energy_price = { mean = \"0.08 USD/kWh\", spread = 0.3 }\n";

std::string drawn(const std::string& rest) {
  return std::string(derived_spec) + rest;
}

const Axis& axis_named(const Spec& spec, const std::string& name) {
  return spec.axes[*find_axis(spec.axes, name)];
}

TEST(SpecDraws, VaryTogetherBehindOneAxis) {
  const Spec spec = good(drawn(two_unknown + "[draws]\ncount = 16\nseed = 3\n"));
  const Axis& draw = axis_named(spec, "draw");
  const Axis& markup = axis_named(spec, "silicon_markup");
  EXPECT_EQ(draw.size(), 16U);
  EXPECT_EQ(draw.labels.front(), "1");
  EXPECT_EQ(markup.size(), 16U);
  EXPECT_EQ(markup.follows, "draw");
  EXPECT_EQ(axis_named(spec, "energy_price").follows, "draw");
  EXPECT_EQ(together_text(spec.axes), "draw, energy_price, silicon_markup");
  EXPECT_LT(*find_axis(spec.axes, "draw"), *find_axis(spec.axes, "energy_price"));
  EXPECT_EQ(axis_named(good(drawn(two_unknown)), "draw").size(), 64U);
}

TEST(SpecDraws, HaveTheMeanAndTheSpreadThatAreAskedFor) {
  const Spec spec = good(drawn(two_unknown + "[draws]\ncount = 1000\n"));
  for (const auto& [name, mean, spread] :
       {std::tuple{"silicon_markup", 20.0, 0.4}, {"energy_price", 0.08 / 3.6e6, 0.3}}) {
    const std::vector<double>& values = axis_named(spec, name).values;
    const double count = static_cast<double>(values.size());
    const double found = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double square = 0.0;
    for (const double value : values) {
      EXPECT_GT(value, 0.0);
      square += (value - found) * (value - found);
    }
    EXPECT_NEAR(found / mean, 1.0, 0.01) << name;
    EXPECT_NEAR(std::sqrt(square / count) / found, spread, 0.03 * spread) << name;
  }
}

TEST(SpecDraws, AreTheSameForASeedAndOthersForAnother) {
  const auto values = [](const std::string& rest) {
    return axis_named(good(drawn(two_unknown + rest)), "silicon_markup").values;
  };
  EXPECT_EQ(values(""), values("[draws]\nseed = 1\n"));
  EXPECT_NE(values(""), values("[draws]\nseed = 2\n"));
}

// Each dimension alone without a gap, and no two of them alike.
TEST(SpecDraws, FillAllDimensionsEvenly) {
  constexpr std::size_t dimensions = 6;
  constexpr std::int64_t count = 64;
  std::vector<std::vector<double>> all;
  for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
    all.push_back(even_shares(count, dimension, 1));
    std::vector<double> sorted = all.back();
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      EXPECT_DOUBLE_EQ(sorted[i], (static_cast<double>(i) + 0.5) / count);
    }
  }
  for (std::size_t a = 0; a < dimensions; ++a) {
    for (std::size_t b = a + 1; b < dimensions; ++b) {
      double product = 0.0;
      for (std::size_t i = 0; i < all[a].size(); ++i) {
        product += (all[a][i] - 0.5) * (all[b][i] - 0.5);
      }
      EXPECT_LT(std::fabs(product / count * 12.0), 0.25) << a << ", " << b;  // their correlation
    }
  }
}

TEST(SpecDraws, AreLogNormal) {
  const Distribution distribution = {10.0, 0.5};
  const double sigma = std::sqrt(std::log(1.25));
  EXPECT_NEAR(quantile(distribution, 0.5), 10.0 / std::sqrt(1.25), 1e-9);
  EXPECT_NEAR(quantile(distribution, 0.8413447460685429) / quantile(distribution, 0.5),
              std::exp(sigma), 1e-9);
}

// Of technology as of prices.
TEST(SpecDraws, AreOfPowersAndAreasAsWell) {
  const Spec spec =
      good(with(derived_spec, R"("826 mm2")", R"({ mean = "600 mm2", spread = 0.1 })"));
  EXPECT_EQ(axis_named(spec, "die_area").follows, "draw");
  EXPECT_EQ(axis_named(spec, "die_area").size(), 64U);
}

}  // namespace
}  // namespace scalesweep::space
