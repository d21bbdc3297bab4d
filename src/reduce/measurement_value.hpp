// What a measurement is worth to a choice under doubt (choice.hpp): what the choice is expected to
// lose now, and what it will lose once the measurement is known.
//
// Truths are drawn from the error bars: the logarithm of each is its estimate plus a normal error.
// What is chosen loses truth / least truth - 1. What is measured is a normal quantity that the
// errors move with. Once it is known the same rule chooses among what is expected of each
// (P. Frazier, W. Powell, S. Dayanik, "The Knowledge-Gradient Policy for Correlated Normal
// Beliefs", INFORMS Journal on Computing 21 (2009) 599, with this rule in place of the best mean).
// Simulated; the same arguments give the same bits.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "reduce/choice.hpp"

namespace scalesweep::reduce {

class MeasurementValue {
 public:
  // At least one. `covariance` of the errors of the logarithms, n x n, positive definite, with the
  // squares of the errors on its diagonal.
  MeasurementValue(std::span<const Estimate> estimates, std::vector<double> covariance);

  // Expected, relative.
  double loss() const;
  // `moves`: by how much each error moves with one standard deviation of what is measured.
  double loss_after(std::span<const double> moves) const;
  // The moves of the truth of one estimate.
  std::vector<double> moves_of(std::size_t estimate) const;

 private:
  std::size_t count() const { return estimates_.size(); }

  std::vector<Estimate> estimates_;
  std::vector<double> covariance_;
  std::vector<double> root_;    // of it, lower triangular
  std::vector<double> errors_;  // draws x estimates
  std::vector<double> free_;    // by draw, of standard deviation 1
};

}  // namespace scalesweep::reduce
