// An accelerator and the networks around it, as the estimator sees them: rates, capacities,
// latencies and energies, whether they come from a data sheet or are derived from a logic node.
// Knows no file format and no model.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/quantity.hpp"
#include "technology/derive/voltage.hpp"
#include "technology/library_fits.hpp"
#include "technology/precision.hpp"

namespace scalesweep::technology {

// One level of the memory hierarchy. `sustained` is the fraction of `bandwidth` that a long,
// well-formed stream reaches.
struct MemoryLevel {
  Bytes capacity;  // whole device; for shared memory: of one core
  BytesPerSecond bandwidth;
  double sustained = 1.0;
  JoulesPerByte energy;

  friend bool operator==(const MemoryLevel&, const MemoryLevel&) = default;
};

// What the device's library of fused attention kernels takes beside FLOP and bytes;
// the defaults are those fitted on Hopper.
struct AttentionKernels {
  // Prefill, and attention in training.
  double softmax_flop = 18.5;  // vector FLOP per score that are not hidden behind the GEMMs
  Seconds block_latency = Seconds::si(6.4e-6);  // fill and drain of a block of 128 queries
  Seconds prefill_latency =
      Seconds::si(9.8e-6);      // its launches: rotary embedding, cache, attention
  bool narrow_products = true;  // over a cache of fewer bits prefill multiplies in these

  // Decode: one new token of every sequence.
  int shared_heads = 32;  // most query heads that read their cache together; 1: each reads its own
  Seconds decode_latency = Seconds::si(5.5e-6);  // launches
  Seconds merge_latency = Seconds::si(4e-6);     // of the parts of a context that is split
  Seconds decode_block_latency = Seconds::si(2.8e-6);
  double cache_flop = 20.0;   // vector FLOP per element of the cache where heads read it alone
  double cache_passes = 4.0;  // of the cache through shared memory for every eight heads together
  // Over a cache of fewer bits than queries have: launches that convert what is new, and vector
  // FLOP an element that is read, beside all else.
  Seconds narrow_latency;
  double narrow_flop = 0.0;

  friend bool operator==(const AttentionKernels&, const AttentionKernels&) = default;
};

// What the device's library of GEMMs takes beside FLOP and bytes.
struct MatMulKernels {
  // A second pass that sums the parts where K is split over cores.
  Seconds split_latency;
  // Quantising the activations to this precision first: its launches.
  std::array<Seconds, precision_count> quantize_latency{};

  friend bool operator==(const MatMulKernels&, const MatMulKernels&) = default;
};

// What a library of routed experts takes for a layer in one pair of formats, in place of what GEMMs
// of the device take.
struct ExpertKernels {
  Precision operands = Precision::bf16;
  Precision weights = Precision::bf16;  // as they are stored
  double tensor_sustained = 1.0;        // of the peak of the matrix units, what products reach
  double stream_share = 1.0;            // of the rate of DRAM, what reading weights reaches
  Seconds layer_latency;                // launches that sort, quantise and sum, beside products
  double token_passes = 0.0;  // over all tokens that a device is given, beside there and back
  bool all_copies = false;    // activations and sums are those of other devices' copies, too

  friend bool operator==(const ExpertKernels&, const ExpertKernels&) = default;
};

// Sizes of messages, by the number of devices that they are among.
struct SizesByDevices {
  Bytes two;
  Bytes four;   // three or four
  Bytes eight;  // five to eight

  Bytes among(double devices) const { return devices <= 2.0 ? two : devices <= 4.0 ? four : eight; }
  friend bool operator==(const SizesByDevices&, const SizesByDevices&) = default;
};

// One of the kernels with which an inference library adds up what devices of a scale-up domain
// have, and the messages that it is launched for.
struct AllReduceKernel {
  Seconds latency;       // of a call
  Seconds peer_latency;  // more of it for each of the other devices
  double share = 0.0;    // of the rate of the port, what it sends at
  SizesByDevices from;
  SizesByDevices up_to;  // 0: never launched

  bool takes(double bytes, double devices) const {
    return bytes >= from.among(devices).si() && bytes <= up_to.among(devices).si();
  }
  friend bool operator==(const AllReduceKernel&, const AllReduceKernel&) = default;
};

// All that a library has; what none of them takes is left to the general library of collectives.
struct AllReduceKernels {
  static constexpr double most_devices = 8.0;

  std::optional<AllReduceKernel> one_shot;   // each device reads the buffers of all others
  std::optional<AllReduceKernel> two_shot;   // each sums its part of all, and reads the other sums
  std::optional<AllReduceKernel> multicast;  // the same by loads and stores that the switch reduces

  friend bool operator==(const AllReduceKernels&, const AllReduceKernels&) = default;
};

// What multiplies in one core: a step takes rows x depth by depth x columns. Tensor cores take
// 16 x 16 x 8 and the like, systolic arrays hold depth x columns of weights and fill and drain
// through them.
struct MatrixUnit {
  int rows = 16;
  int columns = 8;
  int depth = 16;
  Bytes accumulators;  // of one core, beside its shared memory; 0: sums lie in shared memory

  friend bool operator==(const MatrixUnit&, const MatrixUnit&) = default;
};

struct Device {
  std::string name;
  int cores = 0;    // streaming multiprocessors, compute units
  int cluster = 1;  // cores that share what they read from L2 (multicast); a power of two
  Hertz clock;

  // Dense peak of the matrix units by operand precision, 0 where not supported, and the fraction of
  // it that the inner loop of large GEMMs reaches while the package is cool.
  std::array<FlopPerSecond, precision_count> tensor_peak{};
  std::array<double, precision_count> tensor_sustained{};
  MatrixUnit matrix_unit;
  FlopPerSecond vector_peak;  // fp32 outside the matrix units, multiply-add counted as two
  double vector_sustained = 1.0;

  MemoryLevel dram;
  MemoryLevel l2;      // without a capacity: a mesh, on which operands go from core to core
  MemoryLevel shared;  // capacity per core, bandwidth of all cores together

  // `dram` is not DRAM but the shared memories of all cores: it runs at their clock, and a core
  // reads what lies beside it without crossing `l2`.
  bool memory_in_cores = false;

  // To host memory, one direction: PCIe 5 with 16 lanes reaches about 55 of its 64 GB/s.
  BytesPerSecond host_bandwidth = BytesPerSecond::si(55e9);

  Seconds kernel_latency;  // fixed time of one kernel: launch, ramp-up and drain
  MatMulKernels matmul;
  AttentionKernels attention;
  std::vector<ExpertKernels> experts;          // by formats; of others GEMMs say what products take
  std::optional<AllReduceKernels> all_reduce;  // none: those that the links speak of
  MatMulFit matmul_fit;
  AttentionFit attention_fit;
  std::vector<std::string> libraries;  // "gemm of NAME": whose kernels are not those of its entry
  Watts thermal_design_power;          // or the limit that it is set to
  Hertz lowest_clock;                  // that can be set; 0: not known
  Watts lowest_power_limit;            // that can be set; 0: not known
  // The lowest power that work on its die was measured at: the design power of a product of it, or
  // a limit. 0: not asked, as of a derived device.
  Watts lowest_measured_power;
  // From the interface of the DRAM to the cores: controllers and wires. Part of dram.energy.
  JoulesPerByte memory_access_energy;
  Watts idle_power;     // leakage and everything else that burns without work
  Watts active_power;   // beside idle_power while a program keeps it busy, whatever that computes
  Watts leakage_power;  // the part of idle_power that leaks through transistors, 0 if not known
  // Of the logic, and where its clock above holds: what a power limit moves along.
  VoltageCurve voltage;
  Volts supply;  // 0 if not known: then the clock cannot be moved
  std::array<JoulesPerFlop, precision_count> tensor_energy{};
  JoulesPerFlop vector_energy;

  SquareMetres die_area;  // of one die
  int dies = 1;
  std::string package;  // "" if unknown
  std::string logic;    // node name, "" if unknown
  std::string memory;   // memory technology name
  int stacks = 0;
  // Catalogued device whose price says what the maker asks for dies, "" if none is known.
  std::string priced_like;

  friend bool operator==(const Device&, const Device&) = default;
};

inline bool has_peak(const Device& device, Precision precision) {
  return device.tensor_peak[index_of(precision)].si() > 0.0;
}

// The matrix units multiply operands with a scale for each block of them, as all formats of four
// bits have: then those of eight bits as well, in whatever layout they lie.
inline bool scales_blocks(const Device& device) {
  return has_peak(device, Precision::fp4) || has_peak(device, Precision::mxfp4) ||
         has_peak(device, Precision::mxfp8);
}

// The format by whose rate the matrix units multiply this one. Of mxfp8 without a rate of its own
// that of fp8, whose elements it has, where they scale blocks; of mxfp4 that of fp4, whose units
// take powers of two for 32 elements as well as 8-bit scales for 16 (PTX ISA 8.7, tcgen05.mma:
// kind::mxf4 and kind::mxf4nvf4), and of mxfp6 there that of fp8 (kind::mxf8f6f4). Units that scale
// by powers of two alone have a rate of mxfp4 and none of fp4.
inline Precision matrix_format(const Device& device, Precision precision) {
  if (has_peak(device, precision)) {
    return precision;
  }
  const bool eight = precision == Precision::mxfp8 && scales_blocks(device);
  const bool six = precision == Precision::mxfp6 && has_peak(device, Precision::fp4);
  const bool four = precision == Precision::mxfp4 && has_peak(device, Precision::fp4);
  return eight || six ? Precision::fp8 : four ? Precision::fp4 : precision;
}

// 0 where the device has no matrix unit for it.
inline FlopPerSecond matrix_peak(const Device& device, Precision precision) {
  return device.tensor_peak[index_of(matrix_format(device, precision))];
}

// One level of the network, from the point of view of one device.
struct Network {
  std::string name;
  BytesPerSecond bandwidth;  // per device, one direction
  double sustained = 1.0;    // fraction of bandwidth that a large message reaches
  Seconds latency;           // fixed time of one step of a collective, alpha
  Seconds call_latency;      // fixed time of one collective call (launch, synchronisation)
  Bytes half_size;           // message size at which half the sustained bandwidth is reached
  Seconds handshake;         // of one step where buffers are handed over, beside its latency
  // Of the rank's own part of the buffer, what it copies meanwhile, at the rate of sending.
  double own_part = 0.0;
  bool in_network_reduction = false;
  double in_network_efficiency = 0.0;  // fraction of bandwidth, when reducing in the switch
  Bytes in_network_half_size;          // message size at which half of that rate is reached
  // What patterns between far ranks (trees, halving and doubling) reach of `bandwidth`; neighbours
  // (rings, pipelines) reach all of it. Below 1 where the topology is thinner further up.
  double distant_share = 1.0;
  // Of the torus in which circuits, set once for a job, join the ranks of a group; 0: packet
  // switches join them.
  int circuit_dimensions = 0;
  // Kernels of inference libraries that read the peers' buffers directly (one-shot all-reduce):
  // fixed time of a call, and the fraction of `bandwidth` that they reach; 0 where there are none.
  Seconds one_shot_latency;
  double one_shot_efficiency = 0.0;
  CollectiveFit fit;
  // Share of the device's cores that a running collective keeps busy: what it takes from
  // computation that it overlaps. 12 to 32 channels of one core each in NCCL, on 108 to 148 cores.
  double core_share = 0.1;
  JoulesPerByte energy;         // per byte sent by a device, all hops, beside what burns at rest
  JoulesPerByte device_energy;  // the part of `energy` that the device itself burns, of its power
  // Of what adapters, cables and switches burn at the full rate, the part that they burn whatever
  // is sent; and that power, for each device.
  double rest_share = 0.0;
  Watts rest_power;
  Metres edge;            // of the die, taken by the links of one device
  Usd cost;               // per device: ports, cables, its share of switches
  double switches = 0.0;  // per device, that a failure of stops those that they join
  friend bool operator==(const Network&, const Network&) = default;
};

// The same technology `width` times as wide: messages take the same time to fill it.
inline void widen(Network& network, double width) {
  network.bandwidth *= width;
  network.half_size *= width;
  network.in_network_half_size *= width;
  network.cost *= width;
  network.switches *= width;
  network.rest_power *= width;
}

// Takes what burns at rest out of the energy of a byte, so that both together are at the full rate
// what that energy alone was. `owned`: what a byte burns beyond the device in all that a device
// pays for, used or not. What the device itself burns at rest is part of its idle power.
inline void part_rest(Network& network, JoulesPerByte owned) {
  network.rest_power = network.bandwidth * owned * network.rest_share;
  network.energy -= (network.energy - network.device_energy) * network.rest_share;
}

// One level of the links of a system: blocks of `size` devices, which `link` joins.
struct LinkLevel {
  Network link;
  int size = 0;  // devices of a block; 0 on the outermost level, whose block is the whole system
  friend bool operator==(const LinkLevel&, const LinkLevel&) = default;
};

// Levels that a system may have.
inline constexpr std::size_t most_link_levels = 6;

// Accelerators and what joins them, as an ordered list of levels from the inside out: pairs,
// boards, domains, racks, pods, whatever the catalog says. Each block holds whole blocks of the
// level inside it. Two levels have names: the scale-up domains, and the network that joins them
// first.
struct System {
  Device device;
  std::vector<LinkLevel> levels = std::vector<LinkLevel>(2);
  std::size_t domain_level = 0;

  Network& scale_up() { return levels[domain_level].link; }
  const Network& scale_up() const { return levels[domain_level].link; }
  int& scale_up_domain() { return levels[domain_level].size; }
  int scale_up_domain() const { return levels[domain_level].size; }
  // The network that joins domains first, and what its rate is to be, with the levels beyond it in
  // proportion.
  Network& scale_out() { return levels[domain_level + 1].link; }
  const Network& scale_out() const { return levels[domain_level + 1].link; }
  void set_scale_out_rate(BytesPerSecond rate) {
    const double times = rate / scale_out().bandwidth;
    for (std::size_t level = domain_level + 2; level < levels.size(); ++level) {
      levels[level].link.bandwidth *= times;
    }
    scale_out().bandwidth = rate;
  }
};

// What the links of a device burn at rest beyond it, inside its domain and between domains.
struct RestPower {
  Watts inside;
  Watts beyond;
};
inline RestPower rest_power(const System& system) {
  RestPower rest;
  for (std::size_t level = 0; level < system.levels.size(); ++level) {
    (level <= system.domain_level ? rest.inside : rest.beyond) +=
        system.levels[level].link.rest_power;
  }
  return rest;
}

}  // namespace scalesweep::technology
