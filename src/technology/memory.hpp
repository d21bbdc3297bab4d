// A DRAM technology by the stack (HBM), device (GDDR) or package (LPDDR, DDR): all called stack. Or
// the memory of the cores themselves, where there is no other.
#pragma once

#include <string>

#include "core/quantity.hpp"

namespace scalesweep::technology {

struct MemoryTechnology {
  std::string name;
  // The shared memories of all cores are the memory of the device (wafer scale): what they hold and
  // how fast they are follows from the cores, and everything below is 0.
  bool in_cores = false;
  int pins = 0;  // data pins of one stack
  BytesPerSecond stack_bandwidth;
  Bytes stack_capacity;
  double sustained = 1.0;       // fraction of the bandwidth that long streams reach
  JoulesPerByte energy;         // everything from the cell to the die's interface
  SquareMetres package_area;    // that a stack takes beside the die; 0 if it stands on the board
  Metres edge;                  // of the die, taken by one interface
  SquareMetres interface_area;  // of the die, taken by one interface, at the reference node
  UsdPerByte cost;
  KilogramsCo2PerByte carbon;  // emitted in making it
};

}  // namespace scalesweep::technology
