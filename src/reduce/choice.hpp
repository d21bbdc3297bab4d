// Which of several estimates to choose where each may be off by its error bar.
//
// The one with the best value is the one whose error flatters it most, the more so the more there
// are (J. E. Smith and R. L. Winkler, "The optimizer's curse", Management Science 52 (2006) 311).
// So the fastest gives way to one that is better known and cannot be told apart from it. That this
// loses less than taking the best value: nodes/calibration/choices.md, and a simulation in
// tests/unit/reduce/choice_test.cpp.
#pragma once

#include <cstddef>
#include <span>

namespace scalesweep::reduce {

// Of something that is minimised. What was measured is log_value plus a normal error.
struct Estimate {
  double log_value = 0.0;  // natural logarithm
  double error = 0.0;      // relative, one error bar; 0: certain, NaN: not known
};

// Of the variance of an error, what all estimates of one question have in common, of their stack,
// device and model: it moves them together and cancels between them. Chosen on half of the public
// groups of cases and tried on the others (nodes/calibration/choices.md).
inline constexpr double shared_share = 0.65;

// Bars that differ by less are as wide.
inline constexpr double as_wide = 1.2;

// Whether their difference is within its error bar, both taken to be as wide as the wider one:
// sqrt(2 (1 - shared_share)) of it, 0.84. Never where an error is not known.
bool cannot_be_told_apart(const Estimate& a, const Estimate& b);

// The one with the best value gives way to the best of those that are better known and cannot be
// told apart from it, that one again, as long as there are such that cannot be told apart from the
// best value either. Of equal ones the first. There is at least one, and no value is NaN.
std::size_t choose_under_doubt(std::span<const Estimate> estimates);

}  // namespace scalesweep::reduce
