// Which factors a function on a full factorial depends on: Sobol's decomposition of its variance,
// exactly, because every combination of levels is there. Levels weigh the same.
//
// I. M. Sobol', Sensitivity estimates for nonlinear mathematical models, Math. Modelling Comput.
// Exp. 1 (1993); total indices: T. Homma, A. Saltelli, Reliab. Eng. Syst. Saf. 52 (1996).
#pragma once

#include <cstddef>
#include <vector>

namespace scalesweep::analysis {

// Values of every combination of levels, the last factor fastest; NaN where there is none.
struct Factorial {
  std::vector<std::size_t> sizes;  // levels of each factor
  std::vector<double> values;
};

struct SobolIndices {
  double mean = 0.0;
  double variance = 0.0;                          // over all combinations
  std::vector<double> first_order;                // by factor: what it explains by itself
  std::vector<double> total;                      // what it explains with all it interacts with
  std::vector<std::vector<double>> second_order;  // by pair: what the two explain only together
};

// No value may be NaN. Where nothing varies all indices are 0.
SobolIndices sobol_indices(const Factorial& factorial);

// The same where the levels of some factors are questions of their own, which explain nothing of
// each other: each combination of them is decomposed alone, and its parts are of the variance of
// all together. The indices of these factors are 0, the mean is that of all.
SobolIndices sobol_indices_within(const Factorial& factorial, const std::vector<bool>& apart);

struct CompletePart {
  Factorial factorial;
  std::vector<std::vector<std::size_t>> levels;  // of each factor, those that were kept
};

// A sub-factorial without gaps: as long as a value is missing, the level is left out of whose
// combinations the largest part is missing; of equal ones the later, so that the first values of
// a study stay. Empty (a factor without levels) only if every value is missing.
CompletePart complete_part(const Factorial& factorial);

}  // namespace scalesweep::analysis
