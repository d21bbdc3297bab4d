// An architecture whose size and clock are open: what one core does, how large it is and what it
// burns on a reference node. A logic node, a memory and budgets make a Device of it (derive.hpp).
#pragma once

#include <array>
#include <string>

#include "core/quantity.hpp"
#include "technology/device.hpp"
#include "technology/precision.hpp"

namespace scalesweep::technology {

struct DeviceTemplate {
  std::string name;
  std::string calibrated_on;   // device that it gives on that one's budgets
  std::string reference_node;  // node at which areas, powers and energies below hold
  Hertz nominal_clock;         // at the nominal voltage of any node

  // One core in one clock.
  std::array<double, precision_count> tensor_flop_per_clock{};  // 0 where not supported
  double vector_flop_per_clock = 0.0;
  double l2_bytes_per_clock = 0.0;  // its port
  double shared_bytes_per_clock = 0.0;
  Bytes shared_capacity;

  // Areas. Cores and L2 share what the interfaces leave.
  SquareMetres core_logic_area;         // of one core
  SquareMetres core_sram_area;          // registers and shared memory of one core
  double core_matrix_share = 0.0;       // of core logic and its power, taken by the matrix units
  double core_area_share = 0.0;         // of what the interfaces leave; L2 takes the rest
  double enabled_cores = 1.0;           // fraction of the cores on the die that are sold as working
  double l2_logic_area_per_byte = 0.0;  // m2/B, crossbar and tags, on a die of reference_die_area
  double l2_sram_area_per_byte = 0.0;   // m2/B, of enabled capacity
  double l2_slice_bytes_per_clock = 0.0;  // B a clock for each byte of capacity, all slices
  // L2 stands on the dies below the cores where the package has them, and takes what interfaces
  // leave of these; they stay at the node on which its areas were found.
  bool l2_below = false;
  // No cache: operands go from core to core over a mesh, whose links into a core carry
  // l2_bytes_per_clock and whose area is that of the cores.
  bool mesh = false;
  SquareMetres reference_die_area;  // on which the values of this template hold
  SquareMetres fixed_area;          // of each die: links, host interface, pads
  double memory_edge_share = 0.0;   // of the outer edge of the dies, usable for memory
  double link_edge_share = 0.0;     // and for links

  // Power of one core at nominal voltage and clock. Active is what burns while a program keeps it
  // busy, whatever that computes: clock tree, instruction issue, waiting warps.
  Watts core_active_power;
  Watts core_leakage_power;
  Watts fixed_power;  // everything that burns whatever the cores do, except memory and links

  // What a derived device inherits.
  int cluster = 1;               // cores that share what they read from L2
  double long_gemm_clock = 1.0;  // sustained in a long 16-bit GEMM over the clock that is rated
  std::array<double, precision_count> tensor_sustained{};
  double vector_sustained = 1.0;
  double l2_sustained = 1.0;
  double shared_sustained = 1.0;
  Seconds kernel_latency;
  MatrixUnit matrix_unit;
  MatMulKernels matmul;
  AttentionKernels attention;
  MatMulFit matmul_fit;
  AttentionFit attention_fit;
  std::array<JoulesPerFlop, precision_count> tensor_energy{};  // at nominal voltage
  JoulesPerFlop vector_energy;
  JoulesPerByte memory_access_energy;  // from the interface of the DRAM to the cores
  JoulesPerByte l2_access_energy;      // of the arrays
  JoulesPerByteMetre l2_wire_energy;   // of the way there: two thirds of a die's side on average
  JoulesPerByte shared_energy;
};

// What one core's logic (area, switching power) grows to with matrix units `factor` times as wide:
//   s f + (1 - s) sqrt(f),  s = core_matrix_share
// The units grow with the products they form, what feeds them (registers, operand paths, control)
// with the operands: n x n products take n operands a side (Kung, "Why systolic architectures?",
// IEEE Computer 15(1), 1982).
double core_growth(const DeviceTemplate& architecture, double factor);

// The same architecture with matrix units `factor` times as wide in every core.
DeviceTemplate with_tensor_width(DeviceTemplate architecture, double factor);

}  // namespace scalesweep::technology
