// What follows from several entries together: energies and voltages of devices and templates.
#pragma once

#include "catalog/data.hpp"
#include "core/diagnostic.hpp"

namespace scalesweep::catalog {

// Once all entries are read: the voltage of each device from its node, the energy of its DRAM from
// the memory, and that of matrix units, where none is given, from a long GEMM at the design power;
// of templates from the device that they are calibrated on. Reports what leaves nothing to them.
void complete_energies(CatalogData& data, Diagnostics& diagnostics);

}  // namespace scalesweep::catalog
