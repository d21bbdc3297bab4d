#include "catalog/sections/core_fields.hpp"

namespace scalesweep::catalog {
namespace {

using technology::AttentionKernels;
using technology::MatMulKernels;
using technology::MatrixUnit;

// What Hopper's library takes, which the members begin with.
constexpr std::string_view hopper = "Hopper's";

Field<AttentionKernels> time(std::string_view path, std::string_view text, std::string_view example,
                             Seconds AttentionKernels::*member) {
  return field(or_zero(quantity(path, Dimension::seconds, text, example, hopper)), member);
}

}  // namespace

Key matmul_table() {
  return table("matmul", "what the device's GEMM library takes beside FLOP and bytes", "nothing");
}

Key attention_table() {
  return table("attention",
               "what the device's library of fused attention takes beside FLOP and "
               "bytes",
               hopper);
}

Key matrix_unit_table() {
  return table("matrix_unit", "what multiplies in one core: rows x depth by depth x columns",
               "none");
}

Key long_gemm_clock_key() {
  return number("long_gemm_clock", fraction,
                "clock of a long 16-bit GEMM over that of a short one: what `power` leaves", "0.83",
                "1");
}

Fields<MatMulKernels> matmul_fields() {
  return joined<MatMulKernels>(
      {{or_zero(value(&MatMulKernels::split_latency, "split_latency",
                      "a second pass that sums the parts where K is split over cores",
                      "\"1.97 us\"", "\"0 s\""))},
       by_precision(
           table("quantize_latency",
                 "launches of the kernels that convert activations, by precision", "nothing"),
           quantity("*", Dimension::seconds, "of one", "\"9.5 us\"", "none"),
           &MatMulKernels::quantize_latency)});
}

Fields<AttentionKernels> attention_fields() {
  return {
      number(&AttentionKernels::softmax_flop, above_zero, "softmax_flop",
             "vector FLOP per score that are not hidden behind the GEMMs", "18.5", hopper),
      time("block_latency", "fill and drain of a block of 128 queries", "\"6.4 us\"",
           &AttentionKernels::block_latency),
      time("prefill_latency",
           "launches of a prefill: rotary embedding, writing the KV cache, attention", "\"9.8 us\"",
           &AttentionKernels::prefill_latency),
      truth(&AttentionKernels::narrow_products, "narrow_products",
            "over a KV cache of fewer bits, prefill multiplies in these", hopper),
      value(&AttentionKernels::shared_heads, "shared_heads",
            "most query heads that read their KV cache together in decode; 1: each for "
            "itself",
            "8", hopper),
      time("decode_latency", "launches in decode", "\"5.5 us\"", &AttentionKernels::decode_latency),
      time("merge_latency", "joining the parts of a context that is split over cores", "\"4 us\"",
           &AttentionKernels::merge_latency),
      time("decode_block_latency", "fill and drain of such a part", "\"2.8 us\"",
           &AttentionKernels::decode_block_latency),
      number(&AttentionKernels::cache_flop, above_zero, "cache_flop",
             "vector FLOP per element of the KV cache and query head that reads alone", "20",
             hopper),
      number(&AttentionKernels::cache_passes, above_zero, "cache_passes",
             "passes of the KV cache through shared memory for every eight heads that share "
             "it",
             "4", hopper),
  };
}

Fields<MatrixUnit> matrix_unit_fields() {
  return {
      value(&MatrixUnit::rows, "rows", "of A that a step takes", "128", "16"),
      value(&MatrixUnit::columns, "columns", "of B", "128", "8"),
      value(&MatrixUnit::depth, "depth", "of both; what a systolic array holds along K", "128",
            "16"),
      or_zero(value(&MatrixUnit::accumulators, "accumulators",
                    "of one core, for sums: registers, tensor memory; without it a tile "
                    "of C lies in shared memory",
                    "\"256 KiB\"", "\"0 B\"")),
  };
}

}  // namespace scalesweep::catalog
