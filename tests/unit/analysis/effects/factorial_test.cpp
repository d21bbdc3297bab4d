// Indices of functions whose decomposition is known, and of random ones by brute force.
#include "analysis/effects/factorial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace scalesweep::analysis {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const double nan = std::numeric_limits<double>::quiet_NaN();

using Levels = std::vector<std::size_t>;

Factorial filled(const Levels& sizes, const std::function<double(const Levels&)>& value) {
  Factorial factorial{sizes, {}};
  Levels at(sizes.size(), 0);
  bool more = true;
  while (more) {
    factorial.values.push_back(value(at));
    more = false;
    for (std::size_t i = sizes.size(); i-- > 0;) {
      if (++at[i] < sizes[i]) {
        more = true;
        break;
      }
      at[i] = 0;
    }
  }
  return factorial;
}

double variance(const std::vector<double>& values) {
  double mean = 0.0;
  for (const double value : values) {
    mean += value / static_cast<double>(values.size());
  }
  double sum = 0.0;
  for (const double value : values) {
    sum += (value - mean) * (value - mean);
  }
  return sum / static_cast<double>(values.size());
}

TEST(Sobol, OfASumEachTermExplainsItsOwnVariance) {
  const std::vector<double> first = {0.0, 1.0, 5.0};
  const std::vector<double> second = {2.0, -1.0};
  const Factorial sum =
      filled({3, 2, 4}, [&](const Levels& at) { return first[at[0]] + second[at[1]]; });

  const SobolIndices indices = sobol_indices(sum);

  const double whole = variance(first) + variance(second);
  EXPECT_NEAR(indices.variance, whole, 1e-12);
  EXPECT_NEAR(indices.first_order[0], variance(first) / whole, 1e-12);
  EXPECT_NEAR(indices.first_order[1], variance(second) / whole, 1e-12);
  EXPECT_NEAR(indices.first_order[2], 0.0, 1e-12);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(indices.total[i], indices.first_order[i], 1e-12);
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(indices.second_order[i][j], 0.0, 1e-12);
    }
  }
}

// f = a b: with means m and variances v, the parts are v_a m_b^2, v_b m_a^2 and v_a v_b.
TEST(Sobol, OfAProductThePairExplainsTheProductOfVariances) {
  const std::vector<double> a = {1.0, 2.0, 6.0};
  const std::vector<double> b = {1.0, 3.0};
  const double mean_a = 3.0;
  const double mean_b = 2.0;

  const SobolIndices indices =
      sobol_indices(filled({3, 2}, [&](const Levels& at) { return a[at[0]] * b[at[1]]; }));

  const double part_a = variance(a) * mean_b * mean_b;
  const double part_b = variance(b) * mean_a * mean_a;
  const double pair = variance(a) * variance(b);
  const double whole = part_a + part_b + pair;
  EXPECT_NEAR(indices.first_order[0], part_a / whole, 1e-12);
  EXPECT_NEAR(indices.first_order[1], part_b / whole, 1e-12);
  EXPECT_NEAR(indices.second_order[0][1], pair / whole, 1e-12);
  EXPECT_NEAR(indices.total[0], (part_a + pair) / whole, 1e-12);
}

// Ishigami and Homma's function on the midpoints of its interval. Their decomposition holds on any
// symmetric grid with the moments of that grid: x3 has no effect of its own and works with x1 only.
TEST(Sobol, OfIshigamisFunctionTheThirdWorksThroughTheFirst) {
  constexpr std::size_t levels = 16;
  const auto x = [](std::size_t level) {
    return M_PI * (2.0 * (static_cast<double>(level) + 0.5) / levels - 1.0);
  };
  std::vector<double> sines;
  std::vector<double> squares;
  std::vector<double> fourths;
  for (std::size_t level = 0; level < levels; ++level) {
    sines.push_back(std::sin(x(level)));
    squares.push_back(sines.back() * sines.back());
    fourths.push_back(std::pow(x(level), 4));
  }
  double mean_fourth = 0.0;
  for (const double fourth : fourths) {
    mean_fourth += fourth / levels;
  }

  const SobolIndices indices =
      sobol_indices(filled({levels, levels, levels}, [&](const Levels& at) {
        return sines[at[0]] + 7.0 * squares[at[1]] + 0.1 * fourths[at[2]] * sines[at[0]];
      }));

  const double own = std::pow(1.0 + 0.1 * mean_fourth, 2) * variance(sines);
  const double second = 49.0 * variance(squares);
  const double pair = 0.01 * variance(fourths) * variance(sines);  // the mean of sin is 0
  const double whole = own + second + pair;
  EXPECT_NEAR(indices.first_order[0], own / whole, 1e-12);
  EXPECT_NEAR(indices.first_order[1], second / whole, 1e-12);
  EXPECT_NEAR(indices.first_order[2], 0.0, 1e-12);
  EXPECT_NEAR(indices.second_order[0][2], pair / whole, 1e-12);
  EXPECT_NEAR(indices.total[2], pair / whole, 1e-12);
  EXPECT_NEAR(indices.second_order[0][1], 0.0, 1e-12);
  EXPECT_NEAR(indices.second_order[1][2], 0.0, 1e-12);
}

// By definition: the mean over all combinations that share the levels of some factors.
double explained(const Factorial& f, const std::vector<bool>& fixed) {
  const auto level = [&](std::size_t i, std::size_t factor) {
    std::size_t stride = 1;
    for (std::size_t k = factor + 1; k < f.sizes.size(); ++k) {
      stride *= f.sizes[k];
    }
    return i / stride % f.sizes[factor];
  };
  std::vector<double> means;
  for (std::size_t i = 0; i < f.values.size(); ++i) {
    double sum = 0.0;
    double count = 0.0;
    for (std::size_t j = 0; j < f.values.size(); ++j) {
      bool same = true;
      for (std::size_t k = 0; k < fixed.size(); ++k) {
        same = same && (!fixed[k] || level(i, k) == level(j, k));
      }
      sum += same ? f.values[j] : 0.0;
      count += same ? 1.0 : 0.0;
    }
    means.push_back(sum / count);
  }
  return variance(means) / variance(f.values);
}

TEST(Sobol, OfRandomValuesIsWhatTheDefinitionSays) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal(3.0, 2.0);
  for (const Levels& sizes : {Levels{4}, Levels{2, 3}, Levels{3, 1, 4}, Levels{2, 3, 2, 3}}) {
    const Factorial f = filled(sizes, [&](const Levels&) { return normal(random); });

    const SobolIndices indices = sobol_indices(f);

    const std::size_t factors = sizes.size();
    for (std::size_t i = 0; i < factors; ++i) {
      std::vector<bool> only(factors, false);
      only[i] = true;
      std::vector<bool> rest(factors, true);
      rest[i] = false;
      EXPECT_NEAR(indices.first_order[i], explained(f, only), 1e-10);
      EXPECT_NEAR(indices.total[i], 1.0 - explained(f, rest), 1e-10);
      for (std::size_t j = 0; j < factors; ++j) {
        std::vector<bool> both = only;
        both[j] = true;
        std::vector<bool> other(factors, false);
        other[j] = true;
        if (i != j) {
          EXPECT_NEAR(indices.second_order[i][j],
                      explained(f, both) - explained(f, only) - explained(f, other), 1e-10);
        }
      }
    }
  }
}

TEST(Sobol, OfAConstantIsNothing) {
  const SobolIndices indices = sobol_indices(filled({3, 2}, [](const Levels&) { return 0.1; }));

  EXPECT_EQ(indices.variance, 0.0);
  EXPECT_THAT(indices.first_order, Each(0.0));
  EXPECT_THAT(indices.total, Each(0.0));
}

TEST(CompletePart, IsAllWhereNothingIsMissing) {
  const Factorial whole =
      filled({2, 3}, [](const Levels& at) { return static_cast<double>(10 * at[0] + at[1]); });

  const CompletePart part = complete_part(whole);

  EXPECT_EQ(part.factorial.values, whole.values);
  EXPECT_THAT(part.levels, ElementsAre(ElementsAre(0, 1), ElementsAre(0, 1, 2)));
}

TEST(CompletePart, LeavesOutTheLevelsThatAreEmptiest) {
  // Level 1 of the second factor is missing at two of three levels of the first.
  const Factorial f = filled({3, 4}, [](const Levels& at) {
    return at[1] == 1 && at[0] > 0 ? nan : static_cast<double>(10 * at[0] + at[1]);
  });

  const CompletePart part = complete_part(f);

  EXPECT_THAT(part.levels, ElementsAre(ElementsAre(0, 1, 2), ElementsAre(0, 2, 3)));
  EXPECT_THAT(part.factorial.sizes, ElementsAre(3, 3));
  EXPECT_THAT(part.factorial.values, ElementsAre(0, 2, 3, 10, 12, 13, 20, 22, 23));
}

TEST(CompletePart, HasNoGapsWhateverIsMissing) {
  std::mt19937_64 random(5);
  std::uniform_int_distribution<int> ten(0, 9);
  for (int missing = 0; missing <= 10; ++missing) {
    const Factorial f = filled(
        {3, 2, 4}, [&](const Levels&) { return ten(random) < missing ? nan : 1.0 * ten(random); });

    const CompletePart part = complete_part(f);

    std::size_t count = 1;
    for (std::size_t i = 0; i < 3; ++i) {
      count *= part.levels[i].size();
      EXPECT_EQ(part.factorial.sizes[i], part.levels[i].size());
    }
    EXPECT_EQ(part.factorial.values.size(), count);
    for (const double value : part.factorial.values) {
      EXPECT_FALSE(std::isnan(value));
    }
  }
}

TEST(CompletePart, OfNothingIsNothing) {
  const CompletePart part = complete_part(filled({2, 2}, [](const Levels&) { return nan; }));

  EXPECT_THAT(part.factorial.values, IsEmpty());
}

// Two questions: in the first only the one factor matters, in the second only the other, twice as
// much. Variances of 1 and 4, and what lies between the questions explains nothing.
TEST(Sobol, QuestionsAreDecomposedAloneAndWeighByTheirVariance) {
  const Factorial factorial = {{2, 2, 2}, {-1, -1, 1, 1, 98, 102, 98, 102}};
  const SobolIndices within = sobol_indices_within(factorial, {true, false, false});
  EXPECT_NEAR(within.variance, 2.5, 1e-12);
  EXPECT_NEAR(within.first_order[0], 0.0, 1e-12);
  EXPECT_NEAR(within.first_order[1], 0.2, 1e-12);
  EXPECT_NEAR(within.first_order[2], 0.8, 1e-12);
  EXPECT_NEAR(within.total[2], 0.8, 1e-12);
}

TEST(Sobol, WithoutQuestionsItIsTheUsualDecomposition) {
  const Factorial factorial = {{2, 3}, {1, 2, 4, 3, 3, 9}};
  const SobolIndices all = sobol_indices(factorial);
  const SobolIndices within = sobol_indices_within(factorial, {false, false});
  EXPECT_NEAR(within.variance, all.variance, 1e-12);
  EXPECT_NEAR(within.first_order[1], all.first_order[1], 1e-12);
  EXPECT_NEAR(within.second_order[0][1], all.second_order[0][1], 1e-12);
}

}  // namespace
}  // namespace scalesweep::analysis
