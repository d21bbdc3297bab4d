// Rows of devices as sold, and of templates that devices are derived from.
#include <array>

#include "catalog/keys/rows.hpp"

namespace scalesweep::catalog {
namespace {

void add(std::vector<Key>& keys, const std::vector<Key>& more) {
  keys.insert(keys.end(), more.begin(), more.end());
}

std::vector<Key> library_rows() {
  constexpr std::string_view hopper = "Hopper's";
  Key heads = integer("attention.shared_heads",
                      "most query heads that read their KV cache together in decode; 1: each for "
                      "itself",
                      "8", hopper);
  return {
      table("matmul", "what the device's GEMM library takes beside FLOP and bytes", "nothing"),
      or_zero(quantity("matmul.split_latency", Dimension::seconds,
                       "a second pass that sums the parts where K is split over cores",
                       "\"1.97 us\"", "\"0 s\"")),
      table("matmul.quantize_latency",
            "launches of the kernels that convert activations, by precision", "nothing"),
      quantity("matmul.quantize_latency.*", Dimension::seconds, "of one", "\"9.5 us\"", "none"),
      table("attention", "what the device's library of fused attention takes beside FLOP and bytes",
            hopper),
      number("attention.softmax_flop", above_zero,
             "vector FLOP per score that are not hidden behind the GEMMs", "18.5", hopper),
      or_zero(quantity("attention.block_latency", Dimension::seconds,
                       "fill and drain of a block of 128 queries", "\"6.4 us\"", hopper)),
      or_zero(quantity("attention.prefill_latency", Dimension::seconds,
                       "launches of a prefill: rotary embedding, writing the KV cache, attention",
                       "\"9.8 us\"", hopper)),
      truth("attention.narrow_products",
            "over a KV cache of fewer bits, prefill multiplies in these", hopper),
      heads,
      or_zero(quantity("attention.decode_latency", Dimension::seconds, "launches in decode",
                       "\"5.5 us\"", hopper)),
      or_zero(quantity("attention.merge_latency", Dimension::seconds,
                       "joining the parts of a context that is split over cores", "\"4 us\"",
                       hopper)),
      or_zero(quantity("attention.decode_block_latency", Dimension::seconds,
                       "fill and drain of such a part", "\"2.8 us\"", hopper)),
      number("attention.cache_flop", above_zero,
             "vector FLOP per element of the KV cache and query head that reads alone", "20",
             hopper),
      number("attention.cache_passes", above_zero,
             "passes of the KV cache through shared memory for every eight heads that share it",
             "4", hopper),
  };
}

std::vector<Key> collective_rows() {
  const auto time = [](std::string_view path, std::string_view text, std::string_view example) {
    return or_zero(quantity(path, Dimension::seconds, text, example, "\"0 s\""));
  };
  return {
      table("collectives",
            "what the device's library of collectives takes beside the times of its link, "
            "whatever link that is",
            "nothing"),
      time("collectives.latency", "of a step", "\"0.447 us\""),
      time("collectives.call_latency", "of a call", "\"3 us\""),
      time("collectives.handshake", "of a step that hands buffers over", "\"8.35 us\""),
      time("collectives.one_shot_latency", "of a call of kernels that read the peers' buffers",
           "\"1.69 us\""),
  };
}

// Rates and energies of the matrix units, by operand precision. `energy` says where one comes from
// that is not given.
std::vector<Key> sustained_rows(std::string_view energy) {
  return {
      table("tensor_sustained",
            "fraction of the peak that the inner loop of a GEMM reaches while "
            "cool, by precision"),
      number("tensor_sustained.*", fraction, "of one", "0.89"),
      table("tensor_energy", "energy of the matrix units, by precision", energy),
      quantity("tensor_energy.*", Dimension::joules_per_flop, "of one", "\"0.34 pJ/FLOP\"", energy),
  };
}

std::vector<Key> compute_rows() {
  return {
      table("matrix_unit", "what multiplies in one core: rows x depth by depth x columns", "none"),
      integer("matrix_unit.rows", "of A that a step takes", "128", "16"),
      integer("matrix_unit.columns", "of B", "128", "8"),
      integer("matrix_unit.depth", "of both; what a systolic array holds along K", "128", "16"),
      or_zero(quantity("matrix_unit.accumulators", Dimension::bytes,
                       "of one core, for sums: registers, tensor memory; without it a tile of C "
                       "lies in shared memory",
                       "\"256 KiB\"", "\"0 B\"")),
      integer("cluster", "cores that read what they share from L2 once (multicast)", "4", "1"),
      number("long_gemm_clock", fraction,
             "clock of a long 16-bit GEMM over that of a short one: what `power` leaves", "0.83",
             "1"),
      number("vector_sustained", fraction, "fraction of the vector peak that kernels reach", "1"),
      quantity("vector_energy", Dimension::joules_per_flop, "energy of the vector units",
               "\"3.7 pJ/FLOP\""),
      or_zero(quantity("memory_access_energy", Dimension::joules_per_byte,
                       "from the interface of the DRAM to the cores: controllers and wires",
                       "\"31 pJ/B\"", "\"0 J/B\"")),
      quantity("kernel_latency", Dimension::seconds,
               "fixed time of one kernel: launch, ramp-up and drain", "\"2.5 us\""),
  };
}

struct Level {
  std::string_view table, capacity, bandwidth, sustained, energy, text;
};
constexpr std::array<Level, 3> levels = {{
    {"dram", "dram.capacity", "dram.bandwidth", "dram.sustained", "dram.energy",
     "device memory; data sheets write GB and mean GiB"},
    {"l2", "l2.capacity", "l2.bandwidth", "l2.sustained", "l2.energy",
     "L2 cache; a mesh between cores where its capacity is 0"},
    {"shared", "shared.capacity", "shared.bandwidth", "shared.sustained", "shared.energy",
     "shared memory: capacity of one core, bandwidth of all cores"},
}};

std::vector<Key> level_rows() {
  std::vector<Key> keys;
  for (const Level& level : levels) {
    Key capacity = quantity(level.capacity, Dimension::bytes, "what it holds", "\"80 GiB\"");
    capacity.zero = level.table == "l2";
    add(keys,
        {table(level.table, level.text), capacity,
         quantity(level.bandwidth, Dimension::bytes_per_second, "of the whole device",
                  "\"3350 GB/s\""),
         number(level.sustained, fraction, "fraction of it that long streams reach", "0.86", "1"),
         quantity(level.energy, Dimension::joules_per_byte, "of an access", "\"14 pJ/B\"",
                  level.table == "dram" ? "of the memory" : "none")});
  }
  return keys;
}

}  // namespace

std::vector<Key> device_rows() {
  std::vector<Key> keys = {
      name("title", "as people call it", "\"NVIDIA H100 SXM5 80 GB\"", "the name"),
      integer("year", "in which it was sold first", "2022", "not known"),
      integer("cores", "streaming multiprocessors, compute units, matrix units of a TPU", "132"),
      quantity("clock", Dimension::hertz, "at which the peaks are stated", "\"1830 MHz\""),
      table("tensor_peak", "dense peak of the matrix units, by precision"),
      quantity("tensor_peak.*", Dimension::flop_per_second, "of one", "\"989.4 TFLOP/s\""),
  };
  add(keys, sustained_rows("from `long_gemm_clock`"));
  keys.push_back(quantity("vector_peak", Dimension::flop_per_second,
                          "of fp32 outside the matrix units", "\"66.9 TFLOP/s\""));
  add(keys, compute_rows());
  add(keys, level_rows());
  add(keys, library_rows());
  add(keys, collective_rows());
  add(keys,
      {table("matmul.long_gemm_clock", "`long_gemm_clock` by operand precision",
             "`long_gemm_clock`"),
       number("matmul.long_gemm_clock.*", fraction,
              "of one; narrow operands take more power at their peak", "0.84", "long_gemm_clock"),
       quantity("power", Dimension::watts, "thermal design power", "\"700 W\""),
       quantity("idle_power", Dimension::watts, "what burns without work", "\"140 W\""),
       or_zero(quantity("active_power", Dimension::watts,
                        "beside it while a program keeps the cores busy, whatever they compute",
                        "\"140 W\"", "\"0 W\"")),
       or_zero(quantity("leakage_power", Dimension::watts,
                        "the part of `idle_power` that leaks through transistors", "\"50 W\"",
                        "\"0 W\"")),
       quantity("supply", Dimension::volts,
                "at `clock`, from which the law of voltages goes down: of the same die in a "
                "product that is clocked higher it is higher",
                "\"0.766 V\"", "nominal of `logic`"),
       quantity("die_area", Dimension::area, "of one die; its cost is known with it and `logic`",
                "\"814 mm2\"", "not known"),
       integer("dies", "in the package", "2", "1"),
       name("logic", "its node, an entry of `logic`", "\"4N\"", "not known"),
       name("package", "what carries dies and stacks, an entry of `package`", "\"interposer\"",
            "\"interposer\""),
       name("template",
            "architecture that its twin is derived from, an entry of `template`; the device then "
            "says of itself all that a twin takes",
            "\"hopper\"", "none"),
       name("memory", "its DRAM, an entry of `memory`", "\"HBM3\""),
       integer("stacks", "of it", "5", "not known"),
       quantity("price", Dimension::usd,
                "at which it is sold, its memory included; says what its maker asks for dies",
                "\"27500 USD\"", "from `priced_like`, or what making it takes"),
       name("priced_like", "another entry with a `price`, whose maker asks as much for dies",
            "\"h100-sxm\"", "none"),
       quantity("host_bandwidth", Dimension::bytes_per_second, "to host memory, in one direction",
                "\"450 GB/s\"", "\"55 GB/s\""),
       name("scale_up", "its usual link, an entry of `scale_up`", "\"NVLink4\""),
       integer("domain", "devices that it usually joins", "8"),
       name("scale_out", "its usual network, with ports", "\"NDRx8\"")});
  return keys;
}

namespace {

// Of templates.
std::vector<Key> cache_rows() {
  return {
      table("l2", "L2 cache"),
      or_zero(quantity("l2.area_holds", Dimension::bytes,
                       "what the two areas below hold; 0: there is no cache, operands go from "
                       "core to core over a mesh that is part of the cores",
                       "\"40 MiB\"")),
      or_zero(quantity("l2.logic_area", Dimension::area, "crossbar, tags, queues", "\"144 mm2\"")),
      or_zero(quantity("l2.sram_area", Dimension::area, "of its arrays", "\"36 mm2\"")),
      quantity("l2.bytes_per_clock", Dimension::bytes,
               "of the port of each core, or of the links of a mesh into it", "\"64 B\""),
      or_zero(quantity("l2.slice_bytes_per_clock", Dimension::bytes,
                       "of all slices of what `area_holds` says", "\"5120 B\"")),
      truth("l2.below",
            "it stands on the dies below the cores where the package has them, which stay at the "
            "node that its areas hold for",
            "false"),
      number("l2.sustained", fraction, "fraction of it that long streams reach", "0.74", "1"),
      quantity("l2.access_energy", Dimension::joules_per_byte, "of the arrays", "\"0.13 pJ/bit\""),
      quantity("l2.wire_energy", Dimension::joules_per_byte_metre, "of the way there, by length",
               "\"0.1 pJ/bit/mm\"")};
}

}  // namespace

std::vector<Key> template_rows() {
  std::vector<Key> keys = {
      name("calibrated_on",
           "device that it gives on that one's budgets, or of a projection the last one of its "
           "line; its energies are those of the template where none are given",
           "\"a100-sxm-80gb\""),
      name("reference_node", "node at which areas, powers and energies hold", "\"N7\""),
      quantity("nominal_clock", Dimension::hertz, "at the nominal voltage of any node",
               "\"1410 MHz\""),
      table("tensor_flop_per_clock", "FLOP of one core in one clock, by precision"),
      number("tensor_flop_per_clock.*", above_zero, "of one", "2048"),
      number("vector_flop_per_clock", above_zero, "vector FLOP of one core in one clock", "128"),
  };
  add(keys, sustained_rows("of the device that it is calibrated on"));
  add(keys, compute_rows());
  add(keys, library_rows());
  add(keys,
      {table("core", "one core at the reference node, without L2, under full load"),
       quantity("core.logic_area", Dimension::area, "of its logic", "\"3.4 mm2\""),
       quantity("core.sram_area", Dimension::area, "of registers and shared memory",
                "\"0.55 mm2\""),
       quantity("core.active_power", Dimension::watts,
                "at nominal voltage and clock, while a program keeps it busy, whatever it computes",
                "\"0.74 W\""),
       or_zero(
           quantity("core.leakage_power", Dimension::watts, "at nominal voltage", "\"0.46 W\"")),
       number("core.matrix_share", fraction, "of its logic and power: matrix units", "0.2"),
       number("core.enabled", fraction, "of the cores on the die that are sold as working", "0.84"),
       number("core.area_share", fraction,
              "of what the interfaces leave of the die: cores; L2 takes the rest", "0.74")});
  add(keys, cache_rows());
  add(keys,
      {table("shared", "shared memory of one core"),
       quantity("shared.capacity", Dimension::bytes, "what it holds", "\"164 KiB\""),
       quantity("shared.bytes_per_clock", Dimension::bytes, "of one core", "\"128 B\""),
       number("shared.sustained", fraction, "fraction of it that kernels reach", "0.9", "1"),
       table("die", "the die on which these values hold"),
       quantity("die.area", Dimension::area, "of it", "\"826 mm2\""),
       quantity("die.fixed_area", Dimension::area,
                "of each die: what is neither core nor L2, memory or link", "\"30 mm2\""),
       quantity("die.fixed_power", Dimension::watts, "of the same", "\"12 W\""),
       number("die.memory_edge_share", fraction, "of the outer edge, usable for memory", "0.5"),
       number("die.link_edge_share", fraction, "of the outer edge, usable for links", "0.2")});
  return heritable(std::move(keys));
}

}  // namespace scalesweep::catalog
