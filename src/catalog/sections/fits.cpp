// What was fitted on all devices alike.
#include "catalog/data.hpp"
#include "catalog/sections/field.hpp"

namespace scalesweep::catalog {
namespace {

using technology::AttentionFit;
using technology::CollectiveFit;
using technology::MatMulFit;

// Of GEMMs with few rows, and of kernels that convert operands.
Fields<MatMulFit> streamed_fit_fields() {
  return {
      number(&MatMulFit::gemv_rows, from_zero, "gemv_rows",
             "at most, that libraries multiply on the vector units", "4"),
      number(&MatMulFit::gemv_bytes, from_zero, "gemv_bytes",
             "of an element at least, in GEMMs of so few rows", "2"),
      number(&MatMulFit::gemv_columns, above_zero, "gemv_columns",
             "that one core takes at a time in these", "64"),
      number(&MatMulFit::gemv_stream_share, fraction, "gemv_stream_share",
             "of the rate of DRAM, what these reach", "0.92"),
      number(&MatMulFit::quantize_stream_share, fraction, "quantize_stream_share",
             "of the rate of DRAM, what converting kernels reach", "0.7"),
      truth(&MatMulFit::persistent_four_bits, "persistent_four_bits",
            "kernels for four-bit operands stay on their cores: tiles of all sizes, one of which "
            "is stored while the next is multiplied; else of 128 x 256, stored before",
            "false"),
      truth(&MatMulFit::splits_depth, "splits_depth",
            "kernels split K among cores that would be idle", "true"),
  };
}

Fields<MatMulFit> matmul_fit_fields() {
  const Fields<MatMulFit> rows = {
      number(&MatMulFit::pipeline_fill, from_zero, "pipeline_fill",
             "steps along K that filling and draining a tile's pipeline costs, of one of 128 x "
             "128 where it is larger",
             "64"),
      number(&MatMulFit::least_tile, from_zero, "least_tile",
             "elements of C that smaller tiles take as long as", "8192"),
      number(&MatMulFit::accumulator_share, fraction, "accumulator_share",
             "of what holds sums beside shared memory, what a tile of C may take", "0.75"),
      number(&MatMulFit::operand_share, fraction, "operand_share",
             "of the rate of shared memory, what feeding operands reaches", "0.8"),
      number(&MatMulFit::unaligned_share, fraction, "unaligned_share",
             "of the rate of the matrix units, where a row of an operand or of the result is no "
             "multiple of 16 bytes",
             "0.3"),
      number(&MatMulFit::resident_share, fraction, "resident_share",
             "of a level's capacity, what one operand may take to be read once, and a stream "
             "to be "
             "found there by the next kernel",
             "0.5"),
      number(&MatMulFit::weight_copies, above_zero, "weight_copies",
             "of the weights, that an isolated kernel is measured over in turn", "5"),
      number(&MatMulFit::all_reused_share, fraction, "all_reused_share",
             "of L2, below which all operands of an isolated kernel are found there", "0.4"),
      number(&MatMulFit::none_reused_share, fraction, "none_reused_share",
             "of L2, above which none are", "0.8"),
      number(&MatMulFit::conversion_flop, from_zero, "conversion_flop",
             "vector operations that turn a stored weight into an operand", "4"),
      or_zero(quantity(
          &MatMulFit::power_window_s, Dimension::seconds, "power_window",
          "over which a power limit acts on averages: shorter kernels run at the full clock",
          "\"7 ms\"")),
      number(&MatMulFit::job_energy, above_zero, "job_energy",
             "of a FLOP in a job over that in a benchmark of one GEMM: real operands, warm "
             "silicon",
             "1.3"),
  };
  return joined<MatMulFit>({rows, streamed_fit_fields()});
}

Fields<AttentionFit> attention_fit_fields() {
  return {
      number(&AttentionFit::block_rows, above_zero, "block_rows",
             "queries that one core works on at a time; a causal mask computes blocks of as many "
             "keys whole",
             "128"),
      number(&AttentionFit::idle_tail, from_zero, "idle_tail",
             "of the longest block, how long the last ones run while other cores idle", "0.75"),
      number(&AttentionFit::core_blocks, above_zero, "core_blocks",
             "blocks of decode on the vector units that a core keeps at most", "4"),
      number(&AttentionFit::block_bytes, from_zero, "block_bytes",
             "of shared memory that such a block keeps beside its scores", "4096"),
      number(&AttentionFit::full_blocks, above_zero, "full_blocks",
             "of these that keep a core busy", "1.8"),
      number(&AttentionFit::least_part, above_zero, "least_part",
             "tokens; contexts are not split into less", "256"),
      number(&AttentionFit::pass_heads, above_zero, "pass_heads",
             "query heads that a pass over the KV cache serves where they read it together", "8"),
      number(&AttentionFit::latent_share, fraction, "latent_share",
             "of the matrix units, what kernels for latent attention reach", "0.67"),
      number(&AttentionFit::latent_rows, above_zero, "latent_rows",
             "of queries that these take at a time", "64"),
  };
}

Fields<CollectiveFit> collective_fit_fields() {
  return {
      quantity(&CollectiveFit::word_bytes_per_s, Dimension::bytes_per_second, "word_rate",
               "of the channels of a ring that send a flag beside every word (small messages), on "
               "whatever link",
               "\"17 GB/s\""),
      quantity(&CollectiveFit::pair_word_bytes_per_s, Dimension::bytes_per_second, "pair_word_rate",
               "of the channel that each peer has for such messages between pairs", "\"5.7 GB/s\""),
      number(&CollectiveFit::line_flag_share, fraction, "line_flag_share",
             "of the sustained rate, what a flag a line of 128 B leaves", "0.5"),
      number(&CollectiveFit::line_step, from_zero, "line_step",
             "of a step, what it takes more with a flag a line than with one a word", "0.25"),
      quantity(&CollectiveFit::line_flag_part_bytes, Dimension::bytes, "line_flag_part",
               "largest part of a buffer, of one rank, that libraries send with a flag a line",
               "\"1.5 MB\""),
      number(&CollectiveFit::handshake_hidden, fraction_or_none, "handshake_hidden",
             "of a message, what goes while a rank waits for the `handshake` of a step", "0.5"),
      number(&CollectiveFit::pair_handshake, from_zero, "pair_handshake",
             "steps that larger messages between pairs wait for: all-to-all, send", "4.8"),
      number(&CollectiveFit::pair_share, fraction, "pair_share",
             "of the sustained rate inside a domain, what messages between all pairs reach",
             "0.85"),
      number(&CollectiveFit::pair_half_share, from_zero, "pair_half_share",
             "half size of messages between pairs over that of a ring", "0.2"),
      quantity(&CollectiveFit::direct_latency_s, Dimension::seconds, "direct_latency",
               "fixed time of kernels that write tokens straight to the devices of their experts",
               "\"30 us\""),
      number(&CollectiveFit::far_step, above_zero, "far_step",
             "steps between neighbours that one between far ranks inside a domain costs", "2.33"),
      number(&CollectiveFit::flag_step, from_zero, "flag_step",
             "of a step, what a flag of a peer takes in kernels that read the peers' buffers",
             "0.2"),
      number(&CollectiveFit::two_shot_share, fraction, "two_shot_share",
             "of the rate of these, what their kind in two rounds reaches", "0.7"),
  };
}

const Fields<FitRecord>& fit_fields() {
  static const Fields<FitRecord> fields =
      joined<FitRecord>({in_table(table("matmul", "GEMM"), &FitRecord::matmul, matmul_fit_fields()),
                         in_table(table("attention", "fused attention"), &FitRecord::attention,
                                  attention_fit_fields()),
                         in_table(table("collectives", "collectives and transfers"),
                                  &FitRecord::collectives, collective_fit_fields())});
  return fields;
}

}  // namespace

std::vector<Key> fit_rows() {
  return keys_of(fit_fields());
}

FitRecord read_fit(EntryReader& entry) {
  FitRecord fit;
  read_fields(entry, fit_fields(), fit);
  return fit;
}

}  // namespace scalesweep::catalog
