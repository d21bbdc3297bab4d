// Where the values of a quantity lie, over many orders of magnitude: bins that are exact, cheap to
// find, and the same on every machine.
//
// Every factor of two is cut into the same number of equal bins, as in a floating-point number of
// few digits: the bin of a value is read from its exponent and its leading bits, without logarithm
// or search. Counts of parts add up to those of the whole, in any order.
#pragma once

#include <cstddef>
#include <vector>

namespace scalesweep::reduce {

struct OctaveBins {
  int first_exponent = -30;  // from 2^first_exponent
  int last_exponent = 30;    // up to 2^last_exponent

  static constexpr int bins_per_octave = 4;
  friend bool operator==(const OctaveBins&, const OctaveBins&) = default;
};

// Ascending, all exact: 2^e (1 + m / bins_per_octave), the two ends included.
std::vector<double> edges_of(const OctaveBins& bins);

// How many there are with the two open ones, below the first edge and from the last one on.
std::size_t bin_count(const OctaveBins& bins);

// Bin 0 is below the first edge; bin i holds edges[i - 1] <= value < edges[i]. NaN has none: the
// number of bins is returned.
std::size_t bin_of(const OctaveBins& bins, double value);

}  // namespace scalesweep::reduce
