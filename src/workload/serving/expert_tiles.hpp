// The tiles in which the tokens of experts are multiplied.
#pragma once

namespace scalesweep::workload {

// Rows of the smallest tiles in which a stack multiplies the tokens of one expert. Rows that no
// token fills are multiplied as well: they take no time where weights bind, but energy. 0: no such
// rows.
struct ExpertTiles {
  double few = 0.0;  // while there are no more tokens than experts
  double many = 0.0;
  double narrow = 0.0;  // where weights have fewer bits than activations

  double rows(double tokens, double experts, bool is_narrow) const {
    return is_narrow ? narrow : tokens <= experts ? few : many;
  }
  bool operator==(const ExpertTiles&) const = default;
};

}  // namespace scalesweep::workload
