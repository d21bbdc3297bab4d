#include "catalog/keys/fit_rows.hpp"

namespace scalesweep::catalog {
namespace {

template <class Fit>
void add(std::vector<Key>& keys, Key table, const std::vector<FitRow<Fit>>& rows) {
  keys.push_back(table);
  for (const FitRow<Fit>& row : rows) {
    keys.push_back(row.key);
  }
}

}  // namespace

namespace {

// Of GEMMs with few rows, and of kernels that convert operands.
std::vector<FitRow<technology::MatMulFit>> streamed_fit_rows() {
  using technology::MatMulFit;
  return {
      {number("matmul.gemv_rows", from_zero, "at most, that libraries multiply on the vector units",
              "4"),
       &MatMulFit::gemv_rows},
      {number("matmul.gemv_bytes", from_zero, "of an element at least, in GEMMs of so few rows",
              "2"),
       &MatMulFit::gemv_bytes},
      {number("matmul.gemv_columns", above_zero, "that one core takes at a time in these", "64"),
       &MatMulFit::gemv_columns},
      {number("matmul.gemv_stream_share", fraction, "of the rate of DRAM, what these reach",
              "0.92"),
       &MatMulFit::gemv_stream_share},
      {number("matmul.quantize_stream_share", fraction,
              "of the rate of DRAM, what converting kernels reach", "0.7"),
       &MatMulFit::quantize_stream_share},
  };
}

}  // namespace

std::vector<FitRow<technology::MatMulFit>> matmul_fit_rows() {
  using technology::MatMulFit;
  std::vector<FitRow<MatMulFit>> rows = {
      {number("matmul.pipeline_fill", from_zero,
              "steps along K that filling and draining a tile's pipeline costs, of one of 128 x "
              "128 where it is larger",
              "64"),
       &MatMulFit::pipeline_fill},
      {number("matmul.least_tile", from_zero, "elements of C that smaller tiles take as long as",
              "8192"),
       &MatMulFit::least_tile},
      {number("matmul.accumulator_share", fraction,
              "of what holds sums beside shared memory, what a tile of C may take", "0.75"),
       &MatMulFit::accumulator_share},
      {number("matmul.operand_share", fraction,
              "of the rate of shared memory, what feeding operands reaches", "0.8"),
       &MatMulFit::operand_share},
      {number("matmul.unaligned_share", fraction,
              "of the rate of the matrix units, where a row of an operand or of the result is no "
              "multiple of 16 bytes",
              "0.3"),
       &MatMulFit::unaligned_share},
      {number(
           "matmul.resident_share", fraction,
           "of a level's capacity, what one operand may take to be read once, and a stream to be "
           "found there by the next kernel",
           "0.5"),
       &MatMulFit::resident_share},
      {number("matmul.weight_copies", above_zero,
              "of the weights, that an isolated kernel is measured over in turn", "5"),
       &MatMulFit::weight_copies},
      {number("matmul.all_reused_share", fraction,
              "of L2, below which all operands of an isolated kernel are found there", "0.4"),
       &MatMulFit::all_reused_share},
      {number("matmul.none_reused_share", fraction, "of L2, above which none are", "0.8"),
       &MatMulFit::none_reused_share},
      {number("matmul.conversion_flop", from_zero,
              "vector operations that turn a stored weight into an operand", "4"),
       &MatMulFit::conversion_flop},
      {or_zero(quantity(
           "matmul.power_window", Dimension::seconds,
           "over which a power limit acts on averages: shorter kernels run at the full clock",
           "\"7 ms\"")),
       &MatMulFit::power_window_s},
      {number(
           "matmul.job_energy", above_zero,
           "of a FLOP in a job over that in a benchmark of one GEMM: real operands, warm silicon",
           "1.3"),
       &MatMulFit::job_energy},
  };
  const std::vector<FitRow<MatMulFit>> streamed = streamed_fit_rows();
  rows.insert(rows.end(), streamed.begin(), streamed.end());
  return rows;
}

std::vector<FitRow<technology::AttentionFit>> attention_fit_rows() {
  using technology::AttentionFit;
  return {
      {number("attention.block_rows", above_zero,
              "queries that one core works on at a time; a causal mask computes blocks of as many "
              "keys whole",
              "128"),
       &AttentionFit::block_rows},
      {number("attention.idle_tail", from_zero,
              "of the longest block, how long the last ones run while other cores idle", "0.75"),
       &AttentionFit::idle_tail},
      {number("attention.core_blocks", above_zero,
              "blocks of decode on the vector units that a core keeps at most", "4"),
       &AttentionFit::core_blocks},
      {number("attention.block_bytes", from_zero,
              "of shared memory that such a block keeps beside its scores", "4096"),
       &AttentionFit::block_bytes},
      {number("attention.full_blocks", above_zero, "of these that keep a core busy", "1.8"),
       &AttentionFit::full_blocks},
      {number("attention.least_part", above_zero, "tokens; contexts are not split into less",
              "256"),
       &AttentionFit::least_part},
      {number("attention.pass_heads", above_zero,
              "query heads that a pass over the KV cache serves where they read it together", "8"),
       &AttentionFit::pass_heads},
      {number("attention.latent_share", fraction,
              "of the matrix units, what kernels for latent attention reach", "0.67"),
       &AttentionFit::latent_share},
      {number("attention.latent_rows", above_zero, "of queries that these take at a time", "64"),
       &AttentionFit::latent_rows},
  };
}

std::vector<FitRow<technology::CollectiveFit>> collective_fit_rows() {
  using technology::CollectiveFit;
  return {
      {quantity("collectives.word_rate", Dimension::bytes_per_second,
                "of the channels of a ring that send a flag beside every word (small messages), on "
                "whatever link",
                "\"17 GB/s\""),
       &CollectiveFit::word_bytes_per_s},
      {quantity("collectives.pair_word_rate", Dimension::bytes_per_second,
                "of the channel that each peer has for such messages between pairs",
                "\"5.7 GB/s\""),
       &CollectiveFit::pair_word_bytes_per_s},
      {number("collectives.line_flag_share", fraction,
              "of the sustained rate, what a flag a line of 128 B leaves", "0.5"),
       &CollectiveFit::line_flag_share},
      {number("collectives.line_step", from_zero,
              "of a step, what it takes more with a flag a line than with one a word", "0.25"),
       &CollectiveFit::line_step},
      {quantity("collectives.line_flag_part", Dimension::bytes,
                "largest part of a buffer, of one rank, that libraries send with a flag a line",
                "\"1.5 MB\""),
       &CollectiveFit::line_flag_part_bytes},
      {number("collectives.handshake_hidden", fraction_or_none,
              "of a message, what goes while a rank waits for the `handshake` of a step", "0.5"),
       &CollectiveFit::handshake_hidden},
      {number("collectives.pair_handshake", from_zero,
              "steps that larger messages between pairs wait for: all-to-all, send", "4.8"),
       &CollectiveFit::pair_handshake},
      {number("collectives.pair_share", fraction,
              "of the sustained rate inside a domain, what messages between all pairs reach",
              "0.85"),
       &CollectiveFit::pair_share},
      {number("collectives.pair_half_share", from_zero,
              "half size of messages between pairs over that of a ring", "0.2"),
       &CollectiveFit::pair_half_share},
      {quantity("collectives.direct_latency", Dimension::seconds,
                "fixed time of kernels that write tokens straight to the devices of their experts",
                "\"30 us\""),
       &CollectiveFit::direct_latency_s},
      {number("collectives.far_step", above_zero,
              "steps between neighbours that one between far ranks inside a domain costs", "2.33"),
       &CollectiveFit::far_step},
      {number("collectives.flag_step", from_zero,
              "of a step, what a flag of a peer takes in kernels that read the peers' buffers",
              "0.2"),
       &CollectiveFit::flag_step},
      {number("collectives.two_shot_share", fraction,
              "of the rate of these, what their kind in two rounds reaches", "0.7"),
       &CollectiveFit::two_shot_share},
  };
}

std::vector<Key> fit_rows() {
  std::vector<Key> keys;
  add(keys, table("matmul", "GEMM"), matmul_fit_rows());
  add(keys, table("attention", "fused attention"), attention_fit_rows());
  add(keys, table("collectives", "collectives and transfers"), collective_fit_rows());
  return keys;
}

}  // namespace scalesweep::catalog
