// What a function is expected to be at places where nobody looked, from where somebody did: a
// Gaussian process with a constant mean and the Matérn covariance of 5/2, a length for each
// coordinate (C. E. Rasmussen and C. K. I. Williams, "Gaussian Processes for Machine Learning", MIT
// Press 2006, eq. 4.17 and 5.8), as kriging has it (D. R. Jones, M. Schonlau and W. J. Welch,
// "Efficient Global Optimization of Expensive Black-Box Functions", Journal of Global Optimization
// 13, 1998, eq. 4 to 9 and 15).
#pragma once

#include <Eigen/Dense>
#include <span>
#include <vector>

namespace scalesweep::study {

// Numbers between 0 and 1, one for each coordinate.
using Coordinates = std::vector<double>;

struct Expected {
  double mean = 0.0;
  double deviation = 0.0;  // standard
};

// How the function varies.
struct Smoothness {
  std::vector<double> lengths;  // over which it changes, of each coordinate
  double jumps = 1e-6;          // share of its variance that neighbours do not have in common
};

class GaussianProcess {
 public:
  // One value for each place, of which there is one at least; all of them have as many coordinates
  // as there are lengths.
  GaussianProcess(std::vector<Coordinates> places, std::span<const double> values,
                  Smoothness smoothness);

  // How likely the values are, the logarithm but for a constant.
  double log_likelihood() const;
  // Of places where nobody looked.
  std::vector<Expected> at(std::span<const Coordinates> places) const;

 private:
  double correlation(std::span<const double> a, std::span<const double> b) const;

  std::vector<Coordinates> places_;
  Smoothness smoothness_;
  Eigen::LLT<Eigen::MatrixXd> correlations_;
  Eigen::VectorXd weights_;  // of the values, away from their mean
  Eigen::VectorXd of_ones_;  // of a constant
  double mean_ = 0.0;
  double variance_ = 0.0;
};

// Under which the values are most likely, of lengths and jumps on a grid, found from `from` on.
Smoothness likeliest_smoothness(const std::vector<Coordinates>& places,
                                std::span<const double> values, Smoothness from);

// By how much a value is expected to be below `best`, none where it is not.
double expected_improvement(const Expected& expected, double best);

}  // namespace scalesweep::study
