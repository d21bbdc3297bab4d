#include "catalog/sections/core_fields.hpp"

namespace scalesweep::catalog {
namespace {

using technology::AllReduceKernel;
using technology::AllReduceKernels;
using technology::AttentionKernels;
using technology::ExpertKernels;
using technology::MatMulKernels;
using technology::MatrixUnit;
using technology::SizesByDevices;

// What Hopper's library takes, which the members begin with.
constexpr std::string_view hopper = "Hopper's";

Field<AttentionKernels> time(std::string_view path, std::string_view text, std::string_view example,
                             Seconds AttentionKernels::*member) {
  return field(or_zero(quantity(path, Dimension::seconds, text, example, hopper)), member);
}

// Without a default, as formats of numbers are.
Field<ExpertKernels> format(std::string_view path, std::string_view text, std::string_view example,
                            technology::Precision ExpertKernels::*member) {
  Field<ExpertKernels> row = choice(name(path, text, example), member, technology::precision_names);
  const auto read = row.read;
  row.read = [path, read](EntryReader& entry, ExpertKernels& record) {
    if (!entry.has(path)) {
      entry.table().error("", fmt::format("missing key '{}'", path));
    }
    read(entry, record);
  };
  return row;
}

Fields<SizesByDevices> sizes_fields() {
  const auto size = [](std::string_view devices, std::string_view text,
                       Bytes SizesByDevices::*member) {
    return or_zero(value(member, devices, text, "\"0.524288 MB\"", "\"0 B\""));
  };
  return {size("2", "of two devices", &SizesByDevices::two),
          size("4", "of three or four", &SizesByDevices::four),
          size("8", "of five to eight", &SizesByDevices::eight)};
}

Fields<AllReduceKernel> all_reduce_kernel_fields() {
  return joined<AllReduceKernel>(
      {{value(&AllReduceKernel::latency, "latency", "fixed time of a call", "\"2.4 us\""),
        or_zero(value(&AllReduceKernel::peer_latency, "peer_latency",
                      "more of it for each of the other devices", "\"0.15 us\"", "\"0 s\"")),
        number(&AllReduceKernel::share, fraction, "share",
               "fraction of the rate of the port that it sends at", "0.6")},
       in_table(table("from", "the smallest message that it is launched for", "all"),
                &AllReduceKernel::from, sizes_fields()),
       in_table(table("up_to", "the largest; without a size never launched", "none"),
                &AllReduceKernel::up_to, sizes_fields())});
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

Key expert_kernels_table() {
  return table("experts",
               "what a library of routed experts takes for a layer in one pair of formats",
               "what GEMMs of the device take");
}

Key all_reduce_table() {
  return table("all_reduce",
               "kernels that add up inside a scale-up domain of up to eight devices, the first of "
               "which takes a message that is launched for it; others go to the general library",
               "those that the links speak of");
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

Fields<ExpertKernels> expert_kernels_fields() {
  return {format("operands", "what is multiplied", "\"fp8\"", &ExpertKernels::operands),
          format("weights", "what is stored", "\"mxfp4\"", &ExpertKernels::weights),
          number(&ExpertKernels::tensor_sustained, fraction, "tensor_sustained",
                 "fraction of the peak that the products reach", "0.6"),
          number(&ExpertKernels::stream_share, fraction, "stream_share",
                 "fraction of the rate of DRAM that reading weights reaches", "0.9", "1"),
          or_zero(value(&ExpertKernels::layer_latency, "layer_latency",
                        "launches that sort, quantise and sum copies, beside the two products",
                        "\"12 us\"", "\"0 s\"")),
          number(&ExpertKernels::token_passes, from_zero, "token_passes",
                 "passes over all tokens that a device is given, beside those that bring them to "
                 "the experts and back",
                 "3", "0"),
          truth(&ExpertKernels::all_copies, "all_copies",
                "activations and sums are of copies that go to other devices, too", "false")};
}

Fields<AllReduceKernels> all_reduce_fields() {
  const Fields<AllReduceKernel> kernel = all_reduce_kernel_fields();
  return joined<AllReduceKernels>(
      {in_place(table("one_shot", "each device reads the buffers of all others", "none"),
                &AllReduceKernels::one_shot, kernel),
       in_place(table("two_shot", "each sums its part of all buffers, then reads the other sums",
                      "none"),
                &AllReduceKernels::two_shot, kernel),
       in_place(table("multicast", "the same by loads and stores that the switch adds and spreads",
                      "none"),
                &AllReduceKernels::multicast, kernel)});
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
      or_zero(value(&AttentionKernels::narrow_latency, "narrow_latency",
                    "launches in decode that convert queries, and new keys and values, for a KV "
                    "cache of fewer bits",
                    "\"4 us\"", "none")),
      number(&AttentionKernels::narrow_flop, from_zero, "narrow_flop",
             "vector FLOP per element that is read of such a cache, beside all else", "9", "0"),
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
