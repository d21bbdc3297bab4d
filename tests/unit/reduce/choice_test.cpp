#include "reduce/choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace scalesweep::reduce {
namespace {

Estimate estimate(double value, double error) {
  return {std::log(value), error};
}

std::size_t chosen(const std::vector<Estimate>& estimates) {
  return choose_under_doubt(estimates);
}

std::size_t best_value(const std::vector<Estimate>& estimates) {
  return static_cast<std::size_t>(std::min_element(estimates.begin(), estimates.end(),
                                                   [](const Estimate& a, const Estimate& b) {
                                                     return a.log_value < b.log_value;
                                                   }) -
                                  estimates.begin());
}

// exp(0.42 sqrt(2 (1 - 0.65))) = 1.421: a value up to 42 % larger.
TEST(Choice, TheBetterKnownIsChosenWhereTheyCannotBeToldApart) {
  EXPECT_EQ(chosen({estimate(10.0, 0.42), estimate(10.1, 0.07)}), 1U);
  EXPECT_EQ(chosen({estimate(10.0, 0.42), estimate(14.2, 0.07)}), 1U);
  EXPECT_EQ(chosen({estimate(10.0, 0.42), estimate(14.3, 0.07)}), 0U);
}

// That one gives way again, but not to what is beyond doubt slower than it.
TEST(Choice, OfTheBetterKnownTheFastest) {
  EXPECT_EQ(chosen({estimate(10.0, 0.42), estimate(12.0, 0.07), estimate(11.0, 0.08)}), 2U);
  EXPECT_EQ(chosen({estimate(10.0, 0.42), estimate(11.2, 0.07), estimate(11.0, 0.1)}), 1U);
  EXPECT_EQ(chosen({estimate(10.0, 0.42), estimate(13.0, 0.07), estimate(11.0, 0.1)}), 2U);
}

TEST(Choice, NothingIsChosenThatIsBeyondDoubtSlowerThanTheFastest) {
  EXPECT_EQ(chosen({estimate(10.0, 0.42), estimate(13.5, 0.34), estimate(17.0, 0.1)}), 1U);
}

TEST(Choice, BarsThatDifferLittleAreAsWide) {
  EXPECT_EQ(chosen({estimate(10.0, 0.12), estimate(10.01, 0.1)}), 0U);
  EXPECT_EQ(chosen({estimate(10.0, 0.121), estimate(10.01, 0.1)}), 1U);
}

TEST(Choice, WithoutErrorBarsTheBestValue) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(chosen({estimate(10.1, 0.0), estimate(10.0, 0.0)}), 1U);
  EXPECT_EQ(chosen({estimate(10.1, 0.1), estimate(10.0, unknown)}), 1U);
  EXPECT_EQ(chosen({estimate(10.0, 0.4), estimate(10.1, unknown)}), 0U);
}

TEST(Choice, OfEqualOnesTheFirst) {
  EXPECT_EQ(chosen({estimate(10.0, 0.1), estimate(10.0, 0.1)}), 0U);
  EXPECT_EQ(chosen({estimate(10.0, 0.4), estimate(11.0, 0.1), estimate(11.0, 0.1)}), 1U);
}

// Whatever is given: what is chosen cannot be told apart from the best value, nothing better known
// is as near, and nothing that is as well known is faster.
TEST(Choice, NoOtherIsBetterKnownAndAsNear) {
  std::mt19937_64 chance(1);
  std::uniform_real_distribution<double> log_value(0.0, 0.5);
  std::uniform_real_distribution<double> error(0.02, 0.5);
  int others = 0;
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<Estimate> estimates(12);
    for (Estimate& one : estimates) {
      one = {log_value(chance), error(chance)};
    }
    const Estimate& fastest = estimates[best_value(estimates)];
    const Estimate& taken = estimates[chosen(estimates)];
    others += &taken != &fastest ? 1 : 0;
    ASSERT_TRUE(cannot_be_told_apart(taken, fastest));
    for (const Estimate& one : estimates) {
      ASSERT_TRUE(taken.error <= as_wide * one.error || !cannot_be_told_apart(one, taken) ||
                  !cannot_be_told_apart(one, fastest));
      ASSERT_TRUE(one.log_value >= taken.log_value || one.error > taken.error);
    }
  }
  EXPECT_GT(others, 100);  // not by value alone
}

struct Losses {
  double by_value = 0.0;
  double by_rule = 0.0;
};

// A study of `count` layouts, every other one of a class that was measured nowhere: their times are
// spread, and estimates are off by errors of whose variance a class has its share in common. What
// is chosen loses its time over the least, less one. In the mean of many such studies.
Losses simulated_losses(std::size_t count, double spread) {
  constexpr int studies = 2000;
  std::mt19937_64 chance(7);
  std::normal_distribution<double> normal;
  Losses losses;
  for (int study = 0; study < studies; ++study) {
    const double class_errors[2] = {normal(chance), normal(chance)};
    std::vector<double> truths(count);
    std::vector<Estimate> estimates(count);
    for (std::size_t i = 0; i < count; ++i) {
      const double error = i % 2 == 0 ? 0.42 : 0.07;
      truths[i] = spread * normal(chance);
      const double off = std::sqrt(shared_share) * class_errors[i % 2] +
                         std::sqrt(1.0 - shared_share) * normal(chance);
      estimates[i] = {truths[i] - error * off, error};
    }
    const double best = *std::min_element(truths.begin(), truths.end());
    losses.by_value += std::expm1(truths[best_value(estimates)] - best) / studies;
    losses.by_rule += std::expm1(truths[chosen(estimates)] - best) / studies;
  }
  return losses;
}

// As many layouts as a question has, alike or far apart.
TEST(Choice, LosesLessThanTheBestValue) {
  for (const std::size_t count : {20, 200}) {
    for (const double spread : {0.1, 0.3, 0.5}) {
      const Losses losses = simulated_losses(count, spread);
      EXPECT_LT(losses.by_rule, 0.97 * losses.by_value) << count << " " << spread;
    }
  }
}

}  // namespace
}  // namespace scalesweep::reduce
