// What carries dies and memory stacks: a substrate, an interposer, a base die, a whole wafer.
#pragma once

#include <string>

#include "core/quantity.hpp"

namespace scalesweep::technology {

// Dies stand in a grid that is as square as their number allows; every two neighbours are joined
// along the edge they share.
struct Package {
  std::string name;
  int most_dies = 1;
  SquareMetres area;     // room for dies and the stacks beside them
  SquareMetres reticle;  // largest die
  // Interfaces of memory and links, and the host's, stand on dies of their own below or between the
  // compute dies (MI300X), which then hold cores and L2 only.
  bool interfaces_apart = false;
  double base_area_ratio = 1.0;  // then: area of those dies over that of the compute dies
  // Whether any core reads any die's L2 (Blackwell), or each die has its own and only what misses
  // it crosses over (MI250X, MI300X).
  bool l2_spans_dies = true;
  // Between dies: one direction, per length of shared edge, and what a byte takes. 0 for one die.
  BytesPerSecondMetre joint_bandwidth;
  JoulesPerByte joint_energy;
  UsdPerArea cost;            // of `area` in use
  Usd assembly;               // per die or stack that is placed, test included
  double assembly_yield = 1;  // of placing one die or stack
  KilogramsCo2 carbon;        // of one package
};

}  // namespace scalesweep::technology
