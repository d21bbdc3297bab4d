#include "study/search/gaussian_process.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/contracts.hpp"

namespace scalesweep::study {
namespace {

// From a sixteenth of the range of a coordinate to four times it, half as much again each.
constexpr int shortest_length = -8;  // powers of sqrt(2)
constexpr int longest_length = 4;
double length_of(int power) {
  return std::exp2(0.5 * power);
}
constexpr std::array all_jumps = {1e-6, 1e-4, 1e-2};

double normal_density(double z) {
  return std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
}
double normal_share_below(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

// The search for the likeliest, one number after the other.
class Likeliest {
 public:
  Likeliest(const std::vector<Coordinates>& places, std::span<const double> values, Smoothness from)
      : places_(places), values_(values), best_(std::move(from)), likelihood_(likelihood(best_)) {}

  Smoothness find() {
    constexpr int rounds = 2;
    for (int round = 0; round < rounds; ++round) {
      for (double& length : best_.lengths) {
        for (int power = shortest_length; power <= longest_length; ++power) {
          try_value(length, length_of(power));
        }
      }
      for (const double jumps : all_jumps) {
        try_value(best_.jumps, jumps);
      }
    }
    return best_;
  }

 private:
  double likelihood(const Smoothness& smoothness) const {
    return GaussianProcess(places_, values_, smoothness).log_likelihood();
  }
  // `number`: one of the best.
  void try_value(double& number, double value) {
    const double before = std::exchange(number, value);
    const double likelihood_now = likelihood(best_);
    if (likelihood_now > likelihood_) {
      likelihood_ = likelihood_now;
    } else {
      number = before;
    }
  }

  const std::vector<Coordinates>& places_;
  std::span<const double> values_;
  Smoothness best_;
  double likelihood_;
};

}  // namespace

GaussianProcess::GaussianProcess(std::vector<Coordinates> places, std::span<const double> values,
                                 Smoothness smoothness)
    : places_(std::move(places)), smoothness_(std::move(smoothness)) {
  SCALESWEEP_EXPECT(!places_.empty() && places_.size() == values.size());
  const auto count = static_cast<Eigen::Index>(places_.size());
  Eigen::MatrixXd all = Eigen::MatrixXd::Identity(count, count) * (1.0 + smoothness_.jumps);
  for (Eigen::Index row = 1; row < count; ++row) {
    for (Eigen::Index column = 0; column < row; ++column) {
      all(row, column) = correlation(places_[static_cast<std::size_t>(row)],
                                     places_[static_cast<std::size_t>(column)]);
    }
  }
  correlations_.compute(all);  // which reads the lower half
  const Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(values.data(), count);
  of_ones_ = correlations_.solve(Eigen::VectorXd::Ones(count));
  mean_ = of_ones_.dot(y) / of_ones_.sum();
  const Eigen::VectorXd away = y.array() - mean_;
  weights_ = correlations_.solve(away);
  variance_ = std::max(0.0, away.dot(weights_)) / static_cast<double>(count);
}

double GaussianProcess::correlation(std::span<const double> a, std::span<const double> b) const {
  double squares = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double away = (a[i] - b[i]) / smoothness_.lengths[i];
    squares += away * away;
  }
  const double scaled = std::sqrt(5.0 * squares);
  return (1.0 + scaled + 5.0 / 3.0 * squares) * std::exp(-scaled);
}

double GaussianProcess::log_likelihood() const {
  constexpr double least_variance = 1e-300;  // of values that are all the same
  const double log_root_determinant = correlations_.matrixLLT().diagonal().array().log().sum();
  return -0.5 * static_cast<double>(places_.size()) *
             std::log(std::max(variance_, least_variance)) -
         log_root_determinant;
}

std::vector<Expected> GaussianProcess::at(std::span<const Coordinates> places) const {
  Eigen::MatrixXd to(places_.size(), places.size());
  for (std::size_t column = 0; column < places.size(); ++column) {
    for (std::size_t row = 0; row < places_.size(); ++row) {
      to(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)) =
          correlation(places[column], places_[row]);
    }
  }
  const Eigen::RowVectorXd means = weights_.transpose() * to;
  const Eigen::RowVectorXd of_mean =
      (1.0 - (of_ones_.transpose() * to).array()).square() / of_ones_.sum();
  correlations_.matrixL().solveInPlace(to);
  const Eigen::RowVectorXd known = to.colwise().squaredNorm();
  std::vector<Expected> expected;
  for (Eigen::Index i = 0; i < to.cols(); ++i) {
    // Its own jump, which no other place tells of, is part of what a new place has.
    const double unknown = std::max(0.0, 1.0 + smoothness_.jumps - known[i] + of_mean[i]);
    expected.push_back({mean_ + means[i], std::sqrt(variance_ * unknown)});
  }
  return expected;
}

Smoothness likeliest_smoothness(const std::vector<Coordinates>& places,
                                std::span<const double> values, Smoothness from) {
  return Likeliest(places, values, std::move(from)).find();
}

double expected_improvement(const Expected& expected, double best) {
  const double below = best - expected.mean;
  if (expected.deviation <= 0.0) {
    return std::max(0.0, below);
  }
  const double z = below / expected.deviation;
  return below * normal_share_below(z) + expected.deviation * normal_density(z);
}

}  // namespace scalesweep::study
