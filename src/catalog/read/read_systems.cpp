// Devices, templates and networks out of their entries.
#include <fmt/format.h>

#include <charconv>

#include "catalog/data.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

using config::Dimension;
using technology::precision_count;

// Visits the values of a group whose keys are precisions: read(index, key).
template <typename Read>
void read_precisions(EntryReader& group, const Read& read) {
  for (const std::string& key : group.value_keys()) {
    const std::optional<technology::Precision> precision = technology::precision_from(key);
    if (precision) {
      read(technology::index_of(*precision), key);
      continue;
    }
    const std::vector<std::string> known(technology::precision_names.begin(),
                                         technology::precision_names.end());
    (void)group.table().value(key);  // counts as read: reported here
    group.table().error(key, fmt::format("unknown precision '{}'{}", key, suggestion(key, known)));
  }
}

std::array<double, precision_count> fractions(EntryReader group) {
  std::array<double, precision_count> values{};
  read_precisions(group, [&](std::size_t i, const std::string& key) {
    values[i] = group.number(key, Range::fraction);
  });
  return values;
}

template <typename Quantity>
std::array<Quantity, precision_count> quantities(EntryReader group, Dimension dimension) {
  std::array<Quantity, precision_count> values{};
  read_precisions(group, [&](std::size_t i, const std::string& key) {
    values[i] = Quantity::si(group.quantity(key, dimension));
  });
  return values;
}

// What has a peak must have a sustained fraction and an energy.
template <typename Peak, typename Energy>
void check_precisions(const EntryReader& entry, const std::array<Peak, precision_count>& peak,
                      const std::array<double, precision_count>& sustained,
                      const std::array<Energy, precision_count>& energy,
                      std::string_view peak_key) {
  for (std::size_t i = 0; i < precision_count; ++i) {
    const bool has_peak = !(peak[i] == Peak{});
    const std::string_view name = technology::precision_names[i];
    if (has_peak != (sustained[i] > 0.0)) {
      entry.table().error("tensor_sustained",
                          fmt::format("{} stands in only one of {} and tensor_sustained; give both",
                                      name, peak_key));
    }
    if (has_peak != (energy[i].si() > 0.0)) {
      entry.table().error(
          "tensor_energy",
          fmt::format("{} stands in only one of {} and tensor_energy; give both", name, peak_key));
    }
  }
}

technology::MemoryLevel read_level(EntryReader group) {
  technology::MemoryLevel level;
  level.capacity = Bytes::si(group.quantity("capacity", Dimension::bytes));
  level.bandwidth = BytesPerSecond::si(group.quantity("bandwidth", Dimension::bytes_per_second));
  level.sustained = group.optional_number("sustained", Range::fraction).value_or(1.0);
  level.energy = JoulesPerByte::si(
      group.optional_quantity("energy", Dimension::joules_per_byte).value_or(0.0));
  return level;
}

// Every key is optional: nothing is added, and all precisions keep the long_run_clock.
technology::MatMulKernels read_matmul(EntryReader group) {
  technology::MatMulKernels matmul;
  matmul.split_latency =
      Seconds::si(group.optional_quantity("split_latency", Dimension::seconds, Range::not_negative)
                      .value_or(0.0));
  matmul.long_run = fractions(group.optional_group("long_run"));
  matmul.quantize_latency =
      quantities<Seconds>(group.optional_group("quantize_latency"), Dimension::seconds);
  return matmul;
}

// Every key is optional: what is not given is Hopper's.
technology::AttentionKernels read_attention(EntryReader group) {
  technology::AttentionKernels attention;
  const auto read_seconds = [&](std::string_view key, Seconds& value) {
    value = Seconds::si(
        group.optional_quantity(key, Dimension::seconds, Range::not_negative).value_or(value.si()));
  };
  const auto read_number = [&](std::string_view key, double& value) {
    value = group.optional_number(key, Range::positive).value_or(value);
  };
  read_number("softmax_flop", attention.softmax_flop);
  read_seconds("block_latency", attention.block_latency);
  read_seconds("prefill_latency", attention.prefill_latency);
  attention.narrow_products =
      group.optional_boolean("narrow_products").value_or(attention.narrow_products);
  attention.shared_heads =
      static_cast<int>(group.optional_integer("shared_heads").value_or(attention.shared_heads));
  read_seconds("decode_latency", attention.decode_latency);
  read_seconds("merge_latency", attention.merge_latency);
  read_seconds("decode_block_latency", attention.decode_block_latency);
  read_number("cache_flop", attention.cache_flop);
  read_number("cache_passes", attention.cache_passes);
  return attention;
}

technology::Network read_network(EntryReader& entry, const std::string& name) {
  technology::Network network;
  network.name = name;
  network.bandwidth = BytesPerSecond::si(entry.quantity("bandwidth", Dimension::bytes_per_second));
  network.sustained = entry.number("sustained", Range::fraction);
  network.latency = Seconds::si(entry.quantity("latency", Dimension::seconds));
  network.call_latency =
      Seconds::si(entry.quantity("call_latency", Dimension::seconds, Range::not_negative));
  network.half_size = Bytes::si(entry.quantity("half_size", Dimension::bytes, Range::not_negative));
  const std::optional<double> in_network = entry.optional_number("in_network", Range::fraction);
  network.in_network_reduction = in_network.has_value();
  network.in_network_efficiency = in_network.value_or(0.0);
  network.one_shot_latency = Seconds::si(
      entry.optional_quantity("one_shot_latency", Dimension::seconds, Range::not_negative)
          .value_or(0.0));
  network.one_shot_efficiency = entry.optional_number("one_shot", Range::fraction).value_or(0.0);
  network.core_share =
      entry.optional_number("core_share", Range::fraction).value_or(network.core_share);
  network.energy = JoulesPerByte::si(entry.quantity("energy", Dimension::joules_per_byte));
  network.device_energy = JoulesPerByte::si(
      entry.optional_quantity("device_energy", Dimension::joules_per_byte).value_or(0.0));
  return network;
}

void read_compute(EntryReader& entry, technology::Device& device) {
  device.cores = static_cast<int>(entry.integer("cores"));
  device.cluster = static_cast<int>(entry.optional_integer("cluster").value_or(1));
  device.clock = Hertz::si(entry.quantity("clock", Dimension::hertz));
  device.long_run_clock = entry.optional_number("long_run_clock", Range::fraction).value_or(1.0);
  device.tensor_peak =
      quantities<FlopPerSecond>(entry.group("tensor_peak"), Dimension::flop_per_second);
  device.tensor_sustained = fractions(entry.group("tensor_sustained"));
  device.tensor_energy =
      quantities<JoulesPerFlop>(entry.group("tensor_energy"), Dimension::joules_per_flop);
  check_precisions(entry, device.tensor_peak, device.tensor_sustained, device.tensor_energy,
                   "tensor_peak");
  device.vector_peak = FlopPerSecond::si(entry.quantity("vector_peak", Dimension::flop_per_second));
  device.vector_sustained = entry.number("vector_sustained", Range::fraction);
  device.vector_energy =
      JoulesPerFlop::si(entry.quantity("vector_energy", Dimension::joules_per_flop));
  device.kernel_latency = Seconds::si(entry.quantity("kernel_latency", Dimension::seconds));
}

}  // namespace

DeviceRecord read_device(EntryReader& entry, const std::string& name,
                         std::vector<Reference>& references) {
  DeviceRecord record;
  technology::Device& device = record.device;
  device.name = name;
  (void)entry.optional_text("title");
  (void)entry.optional_integer("year");
  read_compute(entry, device);
  device.dram = read_level(entry.group("dram"));
  device.l2 = read_level(entry.group("l2"));
  device.shared = read_level(entry.group("shared"));
  device.matmul = read_matmul(entry.optional_group("matmul"));
  device.attention = read_attention(entry.optional_group("attention"));
  device.thermal_design_power = Watts::si(entry.quantity("power", Dimension::watts));
  device.idle_power = Watts::si(entry.quantity("idle_power", Dimension::watts));
  device.active_power = Watts::si(
      entry.optional_quantity("active_power", Dimension::watts, Range::not_negative).value_or(0.0));
  device.leakage_power =
      Watts::si(entry.optional_quantity("leakage_power", Dimension::watts, Range::not_negative)
                    .value_or(0.0));
  device.die_area =
      SquareMetres::si(entry.optional_quantity("die_area", Dimension::area).value_or(0.0));
  device.dies = static_cast<int>(entry.optional_integer("dies").value_or(1));
  device.logic = entry.optional_text("logic").value_or(Located{}).text;
  device.package = default_package;
  if (const std::optional<Located> package = entry.optional_text("package")) {
    device.package = package->text;
    references.push_back({Section::packages, *package});
  }
  const Located memory = entry.text("memory");
  device.memory = memory.text;
  device.stacks = static_cast<int>(entry.optional_integer("stacks").value_or(0));
  if (const auto host = entry.optional_quantity("host_bandwidth", Dimension::bytes_per_second)) {
    device.host_bandwidth = BytesPerSecond::si(*host);
  }
  const Located scale_up = entry.text("scale_up");
  const Located scale_out = entry.text("scale_out");
  record.usual = {name, scale_up.text, static_cast<int>(entry.integer("domain")), scale_out.text};
  references.push_back({Section::memories, memory});
  references.push_back({Section::scale_up, scale_up});
  references.push_back({Section::scale_out, scale_out});
  return record;
}

LinkRecord read_link(EntryReader& entry, const std::string& name) {
  LinkRecord record;
  record.network = read_network(entry, name);
  record.network.edge = Metres::si(entry.quantity("edge", Dimension::metres, Range::not_negative));
  record.network.cost = Usd::si(entry.quantity("cost", Dimension::usd, Range::not_negative));
  record.largest_domain = static_cast<int>(entry.integer("largest_domain"));
  return record;
}

PortRecord read_ports(EntryReader& entry, const std::string& name) {
  PortRecord record;
  technology::PortTechnology& technology = record.technology;
  technology.port = read_network(entry, name);
  technology.switch_latency = Seconds::si(entry.quantity("switch_latency", Dimension::seconds));
  technology.switch_energy =
      JoulesPerByte::si(entry.quantity("switch_energy", Dimension::joules_per_byte));
  technology.cable_energy =
      JoulesPerByte::si(entry.quantity("cable_energy", Dimension::joules_per_byte));
  technology.port_cost = Usd::si(entry.quantity("port_cost", Dimension::usd));
  technology.switch_cost = Usd::si(entry.quantity("switch_cost", Dimension::usd));
  technology.cable_cost = Usd::si(entry.quantity("cable_cost", Dimension::usd));
  record.ports = entry.integers("ports");
  return record;
}

technology::DeviceTemplate read_template(EntryReader& entry, const std::string& name) {
  technology::DeviceTemplate t;
  t.name = name;
  t.reference_node = entry.text("reference_node").text;
  t.nominal_clock = Hertz::si(entry.quantity("nominal_clock", Dimension::hertz));
  t.cluster = static_cast<int>(entry.optional_integer("cluster").value_or(1));
  t.long_run_clock = entry.optional_number("long_run_clock", Range::fraction).value_or(1.0);
  EntryReader flop = entry.group("tensor_flop_per_clock");
  read_precisions(flop, [&](std::size_t i, const std::string& key) {
    t.tensor_flop_per_clock[i] = flop.number(key, Range::positive);
  });
  t.tensor_sustained = fractions(entry.group("tensor_sustained"));
  t.tensor_energy =
      quantities<JoulesPerFlop>(entry.group("tensor_energy"), Dimension::joules_per_flop);
  check_precisions(entry, t.tensor_flop_per_clock, t.tensor_sustained, t.tensor_energy,
                   "tensor_flop_per_clock");
  t.vector_flop_per_clock = entry.number("vector_flop_per_clock", Range::positive);
  t.vector_sustained = entry.number("vector_sustained", Range::fraction);
  t.vector_energy = JoulesPerFlop::si(entry.quantity("vector_energy", Dimension::joules_per_flop));
  t.kernel_latency = Seconds::si(entry.quantity("kernel_latency", Dimension::seconds));

  EntryReader core = entry.group("core");
  t.core_logic_area = SquareMetres::si(core.quantity("logic_area", Dimension::area));
  t.core_sram_area = SquareMetres::si(core.quantity("sram_area", Dimension::area));
  t.core_dynamic_power = Watts::si(core.quantity("dynamic_power", Dimension::watts));
  t.core_leakage_power =
      Watts::si(core.quantity("leakage_power", Dimension::watts, Range::not_negative));
  t.core_active_share = core.number("active_share", Range::fraction);
  t.core_matrix_share = core.number("matrix_share", Range::fraction);
  t.enabled_cores = core.number("enabled", Range::fraction);
  t.core_area_share = core.number("area_share", Range::fraction);

  EntryReader l2 = entry.group("l2");
  t.l2_logic_area_per_byte = l2.quantity("logic_area", Dimension::area, Range::not_negative) /
                             l2.quantity("area_holds", Dimension::bytes);
  t.l2_sram_area_per_byte =
      l2.quantity("sram_area", Dimension::area) / l2.quantity("area_holds", Dimension::bytes);
  t.l2_bytes_per_clock = l2.quantity("bytes_per_clock", Dimension::bytes);
  t.l2_sustained = l2.optional_number("sustained", Range::fraction).value_or(1.0);
  t.l2_access_energy = JoulesPerByte::si(l2.quantity("access_energy", Dimension::joules_per_byte));
  t.l2_wire_energy =
      JoulesPerByteMetre::si(l2.quantity("wire_energy", Dimension::joules_per_byte_metre));

  EntryReader shared = entry.group("shared");
  t.shared_capacity = Bytes::si(shared.quantity("capacity", Dimension::bytes));
  t.shared_bytes_per_clock = shared.quantity("bytes_per_clock", Dimension::bytes);
  t.shared_sustained = shared.optional_number("sustained", Range::fraction).value_or(1.0);

  t.matmul = read_matmul(entry.optional_group("matmul"));
  t.attention = read_attention(entry.optional_group("attention"));

  EntryReader die = entry.group("die");
  t.reference_die_area = SquareMetres::si(die.quantity("area", Dimension::area));
  t.fixed_area = SquareMetres::si(die.quantity("fixed_area", Dimension::area));
  t.fixed_power = Watts::si(die.quantity("fixed_power", Dimension::watts));
  t.memory_edge_share = die.number("memory_edge_share", Range::fraction);
  t.link_edge_share = die.number("link_edge_share", Range::fraction);
  return t;
}

std::optional<std::pair<std::string, std::int64_t>> split_ports(std::string_view name) {
  const std::size_t cross = name.rfind('x');
  if (cross == std::string_view::npos || cross == 0) {
    return std::nullopt;
  }
  std::int64_t ports = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + cross + 1, end, ports);
  if (error != std::errc{} || stop != end || ports < 1) {
    return std::nullopt;
  }
  return std::pair{std::string(name.substr(0, cross)), ports};
}

}  // namespace scalesweep::catalog
