#include "reduce/measurement_value.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace scalesweep::reduce {
namespace {

using Estimates = std::vector<Estimate>;
using Numbers = std::vector<double>;

Estimate estimate(double value, double error) {
  return {std::log(value), error};
}

// Estimates whose errors are sums of independent quantities of standard deviation 1, of each so
// much: estimates x quantities.
struct Sums {
  Estimates estimates;
  std::vector<Numbers> loads;

  std::vector<double> covariance() const {
    std::vector<double> found;
    for (const Numbers& a : loads) {
      for (const Numbers& b : loads) {
        found.push_back(std::inner_product(a.begin(), a.end(), b.begin(), 0.0));
      }
    }
    return found;
  }
  Numbers moves(std::size_t quantity) const {
    Numbers found;
    for (const Numbers& load : loads) {
      found.push_back(load[quantity]);
    }
    return found;
  }
  MeasurementValue value() const { return {estimates, covariance()}; }
};

// Three layouts: something common to all, one to the last two, and one of each alone.
Sums doubtful() {
  Sums sums{
      {}, {{0.06, 0.0, 0.045, 0.0, 0.0}, {0.08, 0.4, 0.0, 0.1, 0.0}, {0.06, 0.16, 0.0, 0.0, 0.1}}};
  for (std::size_t i = 0; i < sums.loads.size(); ++i) {
    const Numbers& load = sums.loads[i];
    sums.estimates.push_back(
        estimate(Numbers{14.4, 14.25, 14.6}[i],
                 std::sqrt(std::inner_product(load.begin(), load.end(), load.begin(), 0.0))));
  }
  return sums;
}

// A truth: the quantities, and the logarithms that they make.
struct Truth {
  Numbers quantities, values;
};

class Truths {
 public:
  Truths(const Sums& sums, unsigned seed) : sums_(sums), chance_(seed) {}

  Truth next() {
    Truth truth;
    for (std::size_t k = 0; k < sums_.loads.front().size(); ++k) {
      truth.quantities.push_back(normal_(chance_));
    }
    for (std::size_t i = 0; i < sums_.loads.size(); ++i) {
      truth.values.push_back(std::inner_product(truth.quantities.begin(), truth.quantities.end(),
                                                sums_.loads[i].begin(),
                                                sums_.estimates[i].log_value));
    }
    return truth;
  }

 private:
  const Sums& sums_;
  std::mt19937_64 chance_;
  std::normal_distribution<double> normal_;
};

double loss_of(const Numbers& values, std::size_t chosen) {
  return std::exp(values[chosen] - *std::min_element(values.begin(), values.end())) - 1.0;
}

// What is lost once something is known, without any formula of normal distributions: what is
// believed then is a crowd of truths, those in which it is about the same.
template <typename Measure>
double crowd_loss(const Sums& sums, double width, const Measure& measure) {
  constexpr int members = 10000;
  constexpr int trials = 1500;
  std::vector<Truth> crowd;
  Truths others(sums, 7);
  for (int i = 0; i < members; ++i) {
    crowd.push_back(others.next());
  }
  Truths truths(sums, 11);
  double loss = 0.0;
  for (int trial = 0; trial < trials; ++trial) {
    const Truth truth = truths.next();
    Numbers sum(sums.estimates.size()), squares(sums.estimates.size());
    double agree = 0.0;
    for (const Truth& one : crowd) {
      if (std::fabs(measure(one) - measure(truth)) < width) {
        agree += 1.0;
        for (std::size_t i = 0; i < sum.size(); ++i) {
          sum[i] += one.values[i];
          squares[i] += one.values[i] * one.values[i];
        }
      }
    }
    Estimates believed = sums.estimates;
    for (std::size_t i = 0; i < sum.size() && agree > 10.0; ++i) {
      const double mean = sum[i] / agree;
      believed[i] = {mean, std::sqrt(std::max(squares[i] / agree - mean * mean, 0.0))};
    }
    loss += loss_of(truth.values, choose_under_doubt(believed));
  }
  return loss / trials;
}

TEST(MeasurementValue, WithoutOneTheLossIsThatOfTheChoice) {
  const Sums sums = doubtful();
  Truths truths(sums, 3);
  double sum = 0.0;
  constexpr int trials = 100000;
  for (int i = 0; i < trials; ++i) {
    sum += loss_of(truths.next().values, 0);  // the best known one
  }
  EXPECT_NEAR(sums.value().loss() / (sum / trials), 1.0, 0.04);
  EXPECT_EQ(sums.value().loss(), sums.value().loss());
}

TEST(MeasurementValue, OfAStepAgreesWithACrowdOfTruths) {
  const Sums sums = doubtful();
  const MeasurementValue value = sums.value();
  for (std::size_t i = 0; i < 3; ++i) {
    const double crowd = crowd_loss(sums, 0.1 * sums.estimates[i].error,
                                    [&](const Truth& truth) { return truth.values[i]; });
    EXPECT_NEAR(value.loss_after(value.moves_of(i)), crowd, 0.1 * value.loss()) << i;
  }
}

// Kernels: a part of several errors.
TEST(MeasurementValue, OfAPartAgreesWithACrowdOfTruths) {
  const Sums sums = doubtful();
  const MeasurementValue value = sums.value();
  for (const std::size_t k : {0U, 1U}) {
    const double crowd =
        crowd_loss(sums, 0.1, [&](const Truth& truth) { return truth.quantities[k]; });
    EXPECT_NEAR(value.loss_after(sums.moves(k)), crowd, 0.1 * value.loss()) << k;
  }
}

TEST(MeasurementValue, WhatTheChoiceHangsOnBringsMost) {
  const Sums sums = doubtful();
  const MeasurementValue value = sums.value();
  const double widest = value.loss_after(value.moves_of(1));
  EXPECT_LT(widest, 0.6 * value.loss());
  EXPECT_LT(widest, value.loss_after(value.moves_of(2)));
  EXPECT_LT(value.loss_after(sums.moves(1)), 0.6 * value.loss());
  // What moves all errors nearly alike tells nothing of which is the least.
  EXPECT_GT(value.loss_after(sums.moves(0)), 0.95 * value.loss());
}

TEST(MeasurementValue, NothingToChooseNothingToLose) {
  const Estimates one = {estimate(10.0, 0.3)};
  EXPECT_EQ(MeasurementValue(one, {0.09}).loss(), 0.0);
  // One is beyond doubt the least.
  const Estimates two = {estimate(10.0, 0.05), estimate(100.0, 0.05)};
  EXPECT_EQ(MeasurementValue(two, {0.0025, 0.0, 0.0, 0.0025}).loss(), 0.0);
}

// Quantities that would move an error by more than it is count as all of it.
TEST(MeasurementValue, NoMoreIsToldThanThereIs) {
  const Estimates two = {estimate(10.0, 0.1), estimate(10.5, 0.3)};
  const MeasurementValue value(two, {0.01, 0.0, 0.0, 0.09});
  EXPECT_DOUBLE_EQ(value.loss_after(Numbers{0.0, 0.3}), value.loss_after(Numbers{0.0, 0.6}));
}

}  // namespace
}  // namespace scalesweep::reduce
