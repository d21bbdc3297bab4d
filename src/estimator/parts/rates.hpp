// A device as the kernel models use it: plain doubles, sustained rates, one operand precision.
#pragma once

#include <cmath>
#include <cstdint>

#include "technology/device.hpp"
#include "technology/gemm_tiles.hpp"

namespace scalesweep::estimator {

// A long run keeps the device busy for hours: its power limit acts on what runs together
// (power_limit.hpp), and operands come from DRAM. A kernel measured alone is repeated for
// milliseconds: it runs at the full clock until the limit is felt, and small operands are still in
// L2 from the repetition before.
enum class Regime { long_run, isolated };

struct Rates {
  technology::Precision precision = technology::Precision::bf16;
  bool scales_blocks = false;  // the matrix units do
  double cores = 1;
  double cluster = 1;            // cores that share what they read from L2
  double tensor_flop_per_s = 0;  // sustained, whole device
  double tensor_j_per_flop = 0;
  technology::MatrixUnit matrix_unit;
  technology::GemmTileSet tiles = 0;  // that one core holds
  double vector_flop_per_s = 0;
  double dram_bytes_per_s = 0;  // sustained
  double l2_bytes_per_s = 0;    // sustained
  double l2_capacity_bytes = 0;
  bool memory_in_cores = false;      // a core reads what lies beside it without crossing L2
  double shared_bytes_per_s = 0;     // sustained, all cores together
  double shared_capacity_bytes = 0;  // of one core
  double latency_s = 0;              // of one kernel
  double split_latency_s = 0;        // added where K is split
  double quantize_latency_s = 0;     // added where activations are quantised
  technology::AttentionKernels attention;
  technology::MatMulFit matmul_fit;
  technology::AttentionFit attention_fit;

  // Of weights and caches, found in L2 since the pass before (kept_share in inference_memory.hpp).
  double kept_share = 0;
  // Whatever a kernel streams passes L2, and what stayed there does not come from DRAM. Memory in
  // cores is read beside them.
  double streamed_l2_bytes(double bytes) const { return memory_in_cores ? 0.0 : bytes; }
  double streamed_dram_bytes(double bytes) const { return (1.0 - kept_share) * bytes; }

  // Of isolated kernels; a long run has nothing to lose and keeps nothing.
  double limited_share = 1;      // of tensor_flop_per_s, where the power limit is felt
  double reusable_l2_bytes = 0;  // what a repetition may leave to the next

  friend bool operator==(const Rates&, const Rates&) = default;
};

// The smallest whole number that is not below, of numbers from 0 to 2^53. std::ceil says the same,
// by a call wherever the instruction set has no rounding.
inline double whole_above(double number) {
  const auto whole = static_cast<double>(static_cast<std::int64_t>(number));
  return whole < number ? whole + 1.0 : whole;
}

// `size` filled up to whole steps of a matrix unit.
inline double whole_steps(double size, int step) {
  return whole_above(size / step) * step;
}

Rates rates_of(const technology::Device& device, technology::Precision precision,
               Regime regime = Regime::long_run);

// Of the peak, what kernels reach whose instructions do `core_flop` in a clock of a core, as those
// that were written for an older generation; 0: all.
double reachable_share(double core_flop, const technology::Device& device,
                       technology::Precision precision);

}  // namespace scalesweep::estimator
