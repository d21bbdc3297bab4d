// The power of a long GEMM, the clock that it settles at, and the energy of matrix units that
// follows from a measured clock: one law, read in both directions.
//
// A GEMM of milliseconds runs at the highest clock; repeated for longer the power limit lowers it.
// What is measured is the ratio of both (nodes/calibration/kernels.md); with the voltage law of
// voltage.hpp and the traffic of tiles it gives the energy.
#pragma once

#include "technology/device.hpp"

namespace scalesweep::technology {

// Of the whole device at `fraction` (above 0, at most 1) of its clock, while GEMMs of 8192 x 8192 x
// 8192 follow each other: idle and active power, the matrix units at their sustained rate, operands
// through L2 in the largest tiles a core holds (a cluster of c cores reads the root of c less) and
// once through DRAM.
Watts long_gemm_power(const Device& device, Precision precision, double fraction);

// The highest fraction of the clock at which that keeps within the thermal design power; 1 where
// the power is not known or never reached, and least_clock_fraction where even that takes more.
double long_gemm_clock(const Device& device, Precision precision);

// The energy of the matrix units with which a device settles at `fraction`: what the thermal design
// power leaves there. 0 or less where it leaves nothing.
JoulesPerFlop tensor_energy_for(const Device& device, Precision precision, double fraction);

}  // namespace scalesweep::technology
