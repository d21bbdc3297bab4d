#include "reduce/measurement_value.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <random>
#include <utility>

#include "core/contracts.hpp"

namespace scalesweep::reduce {
namespace {

constexpr std::size_t draws = 4000;
constexpr std::uint64_t seed = 2009;

// Of standard deviation 1; the same on every platform, which distributions of the library are not.
class Normals {
 public:
  double next() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  double uniform() { return static_cast<double>(chance_() >> 11) * 0x1p-53; }

  std::mt19937_64 chance_{seed};
};

// The lower triangle whose product with its transpose is `matrix`, of n x n.
std::vector<double> root_of(std::vector<double> matrix, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = matrix[i * n + j];
      for (std::size_t k = 0; k < j; ++k) {
        sum -= matrix[i * n + k] * matrix[j * n + k];
      }
      matrix[i * n + j] = i == j ? std::sqrt(sum) : sum / matrix[j * n + j];
    }
  }
  return matrix;
}

// x of root root^T x = b.
std::vector<double> solve(const std::vector<double>& root, std::span<const double> b) {
  const std::size_t n = b.size();
  std::vector<double> x(b.begin(), b.end());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      x[i] -= root[i * n + k] * x[k];
    }
    x[i] /= root[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) {
      x[i] -= root[k * n + i] * x[k];
    }
    x[i] /= root[i * n + i];
  }
  return x;
}

}  // namespace

MeasurementValue::MeasurementValue(std::span<const Estimate> estimates,
                                   std::vector<double> covariance)
    : estimates_(estimates.begin(), estimates.end()),
      covariance_(std::move(covariance)),
      root_(root_of(covariance_, estimates.size())) {
  SCALESWEEP_EXPECT(!estimates.empty() && covariance_.size() == count() * count());
  Normals normals;
  std::vector<double> own(count());
  for (std::size_t draw = 0; draw < draws; ++draw) {
    for (std::size_t i = 0; i < count(); ++i) {
      own[i] = normals.next();
      double error = 0.0;
      for (std::size_t k = 0; k <= i; ++k) {
        error += root_[i * count() + k] * own[k];
      }
      errors_.push_back(error);
    }
    free_.push_back(normals.next());
  }
}

double MeasurementValue::loss() const {
  return loss_after(std::vector<double>(count()));
}

std::vector<double> MeasurementValue::moves_of(std::size_t estimate) const {
  std::vector<double> moves;
  for (std::size_t i = 0; i < count(); ++i) {
    moves.push_back(covariance_[estimate * count() + i] /
                    std::sqrt(covariance_[estimate * count() + estimate]));
  }
  return moves;
}

// What is measured is a part that follows from the errors and one that is free of them.
double MeasurementValue::loss_after(std::span<const double> moves) const {
  SCALESWEEP_EXPECT(moves.size() == count());
  const std::vector<double> weights = solve(root_, moves);
  const double bound = std::inner_product(weights.begin(), weights.end(), moves.begin(), 0.0);
  const double most = std::max(bound, 1.0);  // errors cannot move with more than they are
  const double rest = std::sqrt(std::max(1.0 - bound / most, 0.0));
  std::vector<Estimate> expected = estimates_;
  for (std::size_t i = 0; i < count(); ++i) {
    expected[i].error =
        std::sqrt(std::max(covariance_[i * count() + i] - moves[i] * moves[i] / most, 0.0));
  }
  double sum = 0.0;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const double* const errors = &errors_[draw * count()];
    const double seen =
        std::inner_product(weights.begin(), weights.end(), errors, 0.0) / std::sqrt(most) +
        rest * free_[draw];
    double least = errors[0] + estimates_.front().log_value;
    for (std::size_t i = 0; i < count(); ++i) {
      expected[i].log_value = estimates_[i].log_value + moves[i] / std::sqrt(most) * seen;
      least = std::min(least, errors[i] + estimates_[i].log_value);
    }
    const std::size_t chosen = choose_under_doubt(expected);
    sum += std::expm1(errors[chosen] + estimates_[chosen].log_value - least);
  }
  return sum / static_cast<double>(draws);
}

}  // namespace scalesweep::reduce
