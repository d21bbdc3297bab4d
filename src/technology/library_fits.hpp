// How the kernels and collectives of vendor libraries behave alike on all devices: constants that
// were fitted or chosen on measured ones, which the catalog has (nodes/fits.toml says how each
// was found). The values here are those of libraries without overheads.
#pragma once

#include <algorithm>

namespace scalesweep::technology {

// GEMM kernels.
struct MatMulFit {
  // Filling and draining the pipeline of a tile, in steps along K; of larger ones than 128 x 128
  // those of that one: a latency does not grow with what scratchpads hold.
  double pipeline_fill = 0.0;
  double least_tile = 0.0;         // elements of C that smaller tiles take as long as
  double accumulator_share = 1.0;  // of registers or tensor memory, what sums may take
  double operand_share = 1.0;      // of the rate of shared memory, what feeding operands reaches
  // Of the rate of the matrix units, where a row of a matrix is no multiple of 16 bytes: copy
  // engines do not take such, and libraries fall back on kernels of older devices.
  double unaligned_share = 1.0;
  // A level that can hold one operand in this share of its capacity reads it once, and what one
  // kernel leaves in it the next one finds.
  double resident_share = 1.0;
  // Isolated kernels are measured over several copies of the weights: all of the operands are found
  // in L2 while they take less than the first share of it, none above the second.
  double weight_copies = 1.0;
  double all_reused_share = 0.0;
  double none_reused_share = 1.0;
  double conversion_flop = 0.0;  // vector operations that turn a stored weight into an operand
  // Rows that libraries multiply on the vector units, in formats of so many bytes and more, the
  // columns that one core takes at a time, and what such kernels reach of the rate of DRAM.
  double gemv_rows = 0.0;
  double gemv_bytes = 0.0;
  double gemv_columns = 1.0;
  double gemv_stream_share = 1.0;
  double quantize_stream_share = 1.0;  // of the rate of DRAM, what converting kernels reach
  // Kernels for four-bit operands stay on their cores: tiles of all sizes, one of which is stored
  // while the next is multiplied.
  bool persistent_four_bits = false;
  bool splits_depth = true;  // among cores that would be idle
  // A power limit acts on averages over about this time.
  // Energy of a FLOP in a job over that in a benchmark of one GEMM: operands that toggle more bits,
  // warm silicon.
  double job_energy = 1.0;
  double power_window_s = 0.0;

  friend bool operator==(const MatMulFit&, const MatMulFit&) = default;
};

// The share of what is read in turn that a cache still holds when its turn comes again, where all
// of it takes `filled` of the capacity: all below one share, nothing above another.
inline double found_again(double filled, const MatMulFit& fit) {
  return std::clamp(
      (fit.none_reused_share - filled) / (fit.none_reused_share - fit.all_reused_share), 0.0, 1.0);
}

// Fused attention.
struct AttentionFit {
  double block_rows = 1.0;  // queries that one core works on at a time
  double idle_tail = 0.0;   // of the longest block, how long the last ones run while others idle
  // Decode on the vector units: blocks that a core keeps at most, what each keeps of shared memory
  // beside its scores, and how many one core needs to be busy.
  double core_blocks = 1.0;
  double block_bytes = 0.0;
  double full_blocks = 1.0;
  double least_part = 1.0;    // tokens; contexts are not split into less
  double pass_heads = 1.0;    // query heads that a pass over the cache serves
  double latent_share = 1.0;  // of the matrix units, what kernels for latent attention reach
  double latent_rows = 1.0;   // of queries that they take at a time

  friend bool operator==(const AttentionFit&, const AttentionFit&) = default;
};

// Collectives and transfers.
struct CollectiveFit {
  // Protocols that send flags beside the data do without a handshake. A flag a word: rates of the
  // channels of a ring, and of the one that a peer has of its own.
  double word_bytes_per_s = 1.0;
  double pair_word_bytes_per_s = 1.0;
  // A flag a line: of the sustained rate, of a step what it takes more, and the largest part of a
  // buffer that libraries send so.
  double line_flag_share = 1.0;
  double line_step = 0.0;
  double line_flag_part_bytes = 0.0;
  double handshake_hidden = 0.0;  // of a message, what goes while a rank waits for the others
  // Messages between pairs, all-to-all and send: steps that they wait for, of the rate inside a
  // domain, and of the half size.
  double pair_handshake = 0.0;
  double pair_share = 1.0;
  double pair_half_share = 1.0;
  // Of kernels that write tokens straight to the devices of their experts, beside the links.
  double direct_latency_s = 0.0;
  double far_step = 1.0;   // steps that one between far ranks inside a scale-up domain costs
  double flag_step = 0.0;  // steps that a peer's flag takes in kernels that read the peers' buffers
  double two_shot_share = 1.0;  // of their rate, what their kind in two rounds reaches
  friend bool operator==(const CollectiveFit&, const CollectiveFit&) = default;
};

}  // namespace scalesweep::technology
