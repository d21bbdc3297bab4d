#include "estimator/inference/service/fastest_batch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace scalesweep::estimator {
namespace {

// A stay that grows with each sequence, and by a part where so many of them need one more wave; and
// by a little at each 256th, so that what one adds there is more than what it adds elsewhere.
struct Stay {
  double alone_s, each_s, wave, step_s;
  double little_s = 0.0;

  double rate(double own) const {
    return own / (alone_s + each_s * own + step_s * std::ceil(own / wave) +
                  little_s * std::floor(own / 256.0));
  }
};

std::vector<Stay> stays() {
  return {{1.0, 0.01, 1e9, 0.0},   // no steps
          {1.0, 0.01, 64, 0.3},    // few of them
          {1.0, 0.004, 100, 0.2},  // not at powers of two
          {0.1, 0.02, 256, 3.0},
          {2.0, 0.001, 37, 0.5},
          {1.0, 0.5, 4, 1.0},
          {0.145, 0.00185, 812, 0.34, 0.003}};  // as a service within 50 ms a token, and within 75
}

double most_of(const Stay& stay, double own) {
  double most = 0.0;
  for (double one = 1.0; one <= own; one += 1.0) {
    most = std::max(most, stay.rate(one));
  }
  return most;
}

TEST(FastestBatch, IsThatOfAllOfThem) {
  for (const Stay& stay : stays()) {
    for (double own = 1.0; own < 1500.0; own = std::floor(1.3 * own) + 1.0) {
      FastestBatch search([&](double one) { return stay.rate(one); });
      const ServedBatch found = search.at_most(own);
      EXPECT_LE(found.own, own);
      EXPECT_DOUBLE_EQ(found.rate, stay.rate(found.own));
      EXPECT_GE(found.rate, (1.0 - 2.0 * fastest_tolerance) * most_of(stay, own))
          << stay.wave << " " << own;
    }
  }
}

TEST(FastestBatch, NeverFallsWhereMoreAreAllowed) {
  for (const Stay& stay : stays()) {
    double before = 0.0;
    for (double own = 1.0; own < 1000.0; own += 7.0) {
      FastestBatch search([&](double one) { return stay.rate(one); });
      const double rate = search.at_most(own).rate;
      EXPECT_GE(rate, (1.0 - 2.0 * fastest_tolerance) * before) << stay.wave << " " << own;
      before = std::max(before, rate);
    }
  }
}

TEST(FastestBatch, AsksLittle) {
  const Stay stay = {1.0, 0.01, 1e9, 0.0};
  int asked = 0;
  FastestBatch search([&](double one) {
    ++asked;
    return stay.rate(one);
  });
  search.at_most(1000.0);
  EXPECT_LE(asked, 12);
  const int first = asked;
  search.at_most(1000.0);
  EXPECT_EQ(asked, first);
}

}  // namespace
}  // namespace scalesweep::estimator
