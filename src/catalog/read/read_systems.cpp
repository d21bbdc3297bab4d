// Devices, templates and networks out of their entries.
#include <fmt/format.h>

#include <charconv>

#include "catalog/data.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

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
    (void)group.table().value(key);  // counts as read: reported here
    group.table().error(key, fmt::format("unknown precision '{}'{}", key,
                                         suggestion(key, technology::precision_names.list())));
  }
}

std::array<double, precision_count> fractions(EntryReader group) {
  std::array<double, precision_count> values{};
  read_precisions(group,
                  [&](std::size_t i, const std::string& key) { values[i] = group.value(key); });
  return values;
}

template <typename Quantity>
std::array<Quantity, precision_count> quantities(EntryReader group) {
  std::array<Quantity, precision_count> values{};
  read_precisions(group, [&](std::size_t i, const std::string& key) {
    values[i] = Quantity::si(group.value(key));
  });
  return values;
}

// What has a peak must have a sustained fraction.
template <typename Peak>
void check_precisions(const EntryReader& entry, const std::array<Peak, precision_count>& peak,
                      const std::array<double, precision_count>& sustained,
                      std::string_view peak_key) {
  for (std::size_t i = 0; i < precision_count; ++i) {
    const bool has_peak = !(peak[i] == Peak{});
    const std::string_view name = technology::precision_names[i];
    if (has_peak != (sustained[i] > 0.0)) {
      entry.table().error("tensor_sustained",
                          fmt::format("{} stands in only one of {} and tensor_sustained; give both",
                                      name, peak_key));
    }
  }
}

technology::MemoryLevel read_level(EntryReader group) {
  technology::MemoryLevel level;
  level.capacity = Bytes::si(group.value("capacity"));
  level.bandwidth = BytesPerSecond::si(group.value("bandwidth"));
  level.sustained = group.value("sustained");
  level.energy = JoulesPerByte::si(group.given("energy").value_or(0.0));
  return level;
}

// Every key is optional: nothing is added.
technology::MatMulKernels read_matmul(EntryReader& group) {
  technology::MatMulKernels matmul;
  matmul.split_latency = Seconds::si(group.value("split_latency"));
  matmul.quantize_latency = quantities<Seconds>(group.optional_group("quantize_latency"));
  return matmul;
}

CollectiveTimes read_collectives(EntryReader group) {
  return {.latency = Seconds::si(group.value("latency")),
          .call_latency = Seconds::si(group.value("call_latency")),
          .handshake = Seconds::si(group.value("handshake")),
          .one_shot_latency = Seconds::si(group.value("one_shot_latency"))};
}

technology::MatrixUnit read_matrix_unit(EntryReader group) {
  return {.rows = static_cast<int>(group.integer("rows")),
          .columns = static_cast<int>(group.integer("columns")),
          .depth = static_cast<int>(group.integer("depth")),
          .accumulators = Bytes::si(group.value("accumulators"))};
}

// Every key is optional: what is not given is Hopper's.
technology::AttentionKernels read_attention(EntryReader group) {
  technology::AttentionKernels attention;
  const auto read_seconds = [&](std::string_view key, Seconds& value) {
    value = Seconds::si(group.given(key).value_or(value.si()));
  };
  const auto read_number = [&](std::string_view key, double& value) {
    value = group.given(key).value_or(value);
  };
  read_number("softmax_flop", attention.softmax_flop);
  read_seconds("block_latency", attention.block_latency);
  read_seconds("prefill_latency", attention.prefill_latency);
  attention.narrow_products =
      group.given_truth("narrow_products").value_or(attention.narrow_products);
  attention.shared_heads =
      static_cast<int>(group.given_integer("shared_heads").value_or(attention.shared_heads));
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
  network.bandwidth = BytesPerSecond::si(entry.value("bandwidth"));
  network.sustained = entry.value("sustained");
  network.latency = Seconds::si(entry.value("latency"));
  network.call_latency = Seconds::si(entry.value("call_latency"));
  network.half_size = Bytes::si(entry.value("half_size"));
  network.handshake = Seconds::si(entry.value("handshake"));
  network.own_part = entry.value("own_part");
  network.in_network_efficiency = entry.value("in_network");
  network.in_network_reduction = network.in_network_efficiency > 0.0;
  network.in_network_half_size =
      Bytes::si(entry.given("in_network_half_size").value_or(network.half_size.si()));
  network.one_shot_latency = Seconds::si(entry.value("one_shot_latency"));
  network.one_shot_efficiency = entry.value("one_shot");
  network.core_share = entry.value("core_share");
  network.energy = JoulesPerByte::si(entry.value("energy"));
  network.device_energy = JoulesPerByte::si(entry.given("device_energy").value_or(0.0));
  return network;
}

Inside read_inside(EntryReader& entry, Section section, std::vector<Reference>& references) {
  EntryReader group = entry.optional_group("inside");
  if (!group.exists()) {
    return {};
  }
  const std::optional<Located> link = group.given_text("link");
  const std::optional<std::int64_t> size = group.given_integer("size");
  if (!link || !size) {
    group.table().error(link ? "size" : "link",
                        "is missing: a block inside needs a link and a size, the devices that it "
                        "joins");
    return {};
  }
  references.push_back({section, *link});
  return {*link, static_cast<int>(*size)};
}

void read_compute(EntryReader& entry, technology::Device& device) {
  device.cores = static_cast<int>(entry.integer("cores"));
  device.cluster = static_cast<int>(entry.integer("cluster"));
  device.clock = Hertz::si(entry.value("clock"));
  device.tensor_peak = quantities<FlopPerSecond>(entry.group("tensor_peak"));
  device.tensor_sustained = fractions(entry.group("tensor_sustained"));
  device.tensor_energy = quantities<JoulesPerFlop>(entry.optional_group("tensor_energy"));
  check_precisions(entry, device.tensor_peak, device.tensor_sustained, "tensor_peak");
  device.matrix_unit = read_matrix_unit(entry.optional_group("matrix_unit"));
  device.vector_peak = FlopPerSecond::si(entry.value("vector_peak"));
  device.vector_sustained = entry.value("vector_sustained");
  device.vector_energy = JoulesPerFlop::si(entry.value("vector_energy"));
  device.memory_access_energy = JoulesPerByte::si(entry.value("memory_access_energy"));
  device.kernel_latency = Seconds::si(entry.value("kernel_latency"));
}

void read_cache(EntryReader l2, technology::DeviceTemplate& t) {
  const double held = l2.value("area_holds");
  t.mesh = held == 0.0;
  const auto by_byte = [&](std::string_view key) {
    const double value = l2.value(key);
    if (!t.mesh && key != "logic_area" && l2.exists() && value == 0.0) {
      l2.table().error(key, "must be above 0, but of a mesh, where area_holds is 0");
    }
    return t.mesh ? 0.0 : value / held;
  };
  t.l2_logic_area_per_byte = by_byte("logic_area");
  t.l2_sram_area_per_byte = by_byte("sram_area");
  t.l2_bytes_per_clock = l2.value("bytes_per_clock");
  t.l2_slice_bytes_per_clock = by_byte("slice_bytes_per_clock");
  t.l2_below = l2.truth("below");
  t.l2_sustained = l2.value("sustained");
  t.l2_access_energy = JoulesPerByte::si(l2.value("access_energy"));
  t.l2_wire_energy = JoulesPerByteMetre::si(l2.value("wire_energy"));
}

// A device with a price tells by itself what its maker asks for dies.
void read_price(EntryReader& entry, DeviceRecord& record, std::vector<Reference>& references) {
  technology::Device& device = record.device;
  entry.either({"price"}, {"priced_like"});
  if (const std::optional<double> price = entry.given("price")) {
    record.price = Usd::si(*price);
    device.priced_like = device.name;
  }
  const std::optional<Located> like = entry.given_text("priced_like");
  if (like && record.price) {
    entry.table().error("priced_like",
                        fmt::format("'{}' has a price; take one of the two away", device.name));
  } else if (like) {
    device.priced_like = like->text;
    references.push_back({Section::devices, *like});
  }
}

}  // namespace

DeviceRecord read_device(EntryReader& entry, const std::string& name,
                         std::vector<Reference>& references) {
  DeviceRecord record;
  technology::Device& device = record.device;
  device.name = name;
  entry.leave("title");
  entry.leave("year");
  (void)entry.given_text("title");
  (void)entry.given_integer("year");
  read_compute(entry, device);
  device.dram = read_level(entry.group("dram"));
  device.l2 = read_level(entry.group("l2"));
  device.shared = read_level(entry.group("shared"));
  EntryReader matmul = entry.optional_group("matmul");
  device.matmul = read_matmul(matmul);
  record.long_gemm_clock = fractions(matmul.optional_group("long_gemm_clock"));
  const double usual = entry.value("long_gemm_clock");
  for (double& share : record.long_gemm_clock) {
    share = share > 0.0 ? share : usual;
  }
  device.attention = read_attention(entry.optional_group("attention"));
  record.collectives = read_collectives(entry.optional_group("collectives"));
  device.thermal_design_power = Watts::si(entry.value("power"));
  device.idle_power = Watts::si(entry.value("idle_power"));
  device.active_power = Watts::si(entry.value("active_power"));
  device.leakage_power = Watts::si(entry.value("leakage_power"));
  device.supply = Volts::si(entry.given("supply").value_or(0.0));
  device.die_area = SquareMetres::si(entry.given("die_area").value_or(0.0));
  device.dies = static_cast<int>(entry.integer("dies"));
  device.logic = entry.given_text("logic").value_or(Located{}).text;
  device.package = default_package;
  if (const std::optional<Located> package = entry.given_text("package")) {
    device.package = package->text;
    references.push_back({Section::packages, *package});
  }
  if (const std::optional<Located> architecture = entry.given_text("template")) {
    record.architecture = architecture->text;
    references.push_back({Section::templates, *architecture});
  }
  const Located memory = entry.text("memory");
  device.memory = memory.text;
  device.stacks = static_cast<int>(entry.given_integer("stacks").value_or(0));
  read_price(entry, record, references);
  device.host_bandwidth = BytesPerSecond::si(entry.value("host_bandwidth"));
  const Located scale_up = entry.text("scale_up");
  const Located scale_out = entry.text("scale_out");
  record.usual = {name, scale_up.text, static_cast<int>(entry.integer("domain")), scale_out.text};
  references.push_back({Section::memories, memory});
  references.push_back({Section::scale_up, scale_up});
  references.push_back({Section::scale_out, scale_out});
  return record;
}

namespace {

void read_optics(EntryReader& entry) {
  (void)entry.given_integer("switch_ports");
  (void)entry.given("reach");
  (void)entry.given("reconfiguration");
}

}  // namespace

LinkRecord read_link(EntryReader& entry, const std::string& name,
                     std::vector<Reference>& references) {
  LinkRecord record;
  record.network = read_network(entry, name);
  record.network.edge = Metres::si(entry.value("edge"));
  record.network.cost = Usd::si(entry.value("cost"));
  record.largest_domain = static_cast<int>(entry.integer("largest_domain"));
  record.network.circuit_dimensions =
      static_cast<int>(entry.given_integer("circuit_dimensions").value_or(0));
  read_optics(entry);
  record.inside = read_inside(entry, Section::scale_up, references);
  return record;
}

PortRecord read_ports(EntryReader& entry, const std::string& name,
                      std::vector<Reference>& references) {
  PortRecord record;
  technology::PortTechnology& technology = record.technology;
  technology.port = read_network(entry, name);
  technology.switch_latency = Seconds::si(entry.value("switch_latency"));
  technology.switch_energy = JoulesPerByte::si(entry.value("switch_energy"));
  technology.cable_energy = JoulesPerByte::si(entry.value("cable_energy"));
  technology.port_cost = Usd::si(entry.value("port_cost"));
  technology.switch_cost = Usd::si(entry.value("switch_cost"));
  technology.cable_cost = Usd::si(entry.value("cable_cost"));
  technology.uplink_sustained = entry.value("uplink_sustained");
  record.ports = entry.integers("ports");
  read_optics(entry);
  record.inside = read_inside(entry, Section::scale_out, references);
  return record;
}

technology::DeviceTemplate read_template(EntryReader& entry, const std::string& name,
                                         std::vector<Reference>& references) {
  technology::DeviceTemplate t;
  t.name = name;
  const Located device = entry.text("calibrated_on");
  t.calibrated_on = device.text;
  references.push_back({Section::devices, device});
  t.reference_node = entry.text("reference_node").text;
  t.nominal_clock = Hertz::si(entry.value("nominal_clock"));
  t.cluster = static_cast<int>(entry.integer("cluster"));
  t.long_gemm_clock = entry.value("long_gemm_clock");
  EntryReader flop = entry.group("tensor_flop_per_clock");
  read_precisions(flop, [&](std::size_t i, const std::string& key) {
    t.tensor_flop_per_clock[i] = flop.value(key);
  });
  t.tensor_sustained = fractions(entry.group("tensor_sustained"));
  t.tensor_energy = quantities<JoulesPerFlop>(entry.optional_group("tensor_energy"));
  check_precisions(entry, t.tensor_flop_per_clock, t.tensor_sustained, "tensor_flop_per_clock");
  t.vector_flop_per_clock = entry.value("vector_flop_per_clock");
  t.vector_sustained = entry.value("vector_sustained");
  t.vector_energy = JoulesPerFlop::si(entry.value("vector_energy"));
  t.memory_access_energy = JoulesPerByte::si(entry.value("memory_access_energy"));
  t.kernel_latency = Seconds::si(entry.value("kernel_latency"));

  EntryReader core = entry.group("core");
  t.core_logic_area = SquareMetres::si(core.value("logic_area"));
  t.core_sram_area = SquareMetres::si(core.value("sram_area"));
  t.core_active_power = Watts::si(core.value("active_power"));
  t.core_leakage_power = Watts::si(core.value("leakage_power"));
  t.core_matrix_share = core.value("matrix_share");
  t.enabled_cores = core.value("enabled");
  t.core_area_share = core.value("area_share");

  read_cache(entry.group("l2"), t);

  EntryReader shared = entry.group("shared");
  t.shared_capacity = Bytes::si(shared.value("capacity"));
  t.shared_bytes_per_clock = shared.value("bytes_per_clock");
  t.shared_sustained = shared.value("sustained");

  t.matrix_unit = read_matrix_unit(entry.optional_group("matrix_unit"));
  EntryReader matmul = entry.optional_group("matmul");
  t.matmul = read_matmul(matmul);
  t.attention = read_attention(entry.optional_group("attention"));

  EntryReader die = entry.group("die");
  t.reference_die_area = SquareMetres::si(die.value("area"));
  t.fixed_area = SquareMetres::si(die.value("fixed_area"));
  t.fixed_power = Watts::si(die.value("fixed_power"));
  t.memory_edge_share = die.value("memory_edge_share");
  t.link_edge_share = die.value("link_edge_share");
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

std::string with_ports(const std::string& technology, std::int64_t ports) {
  return fmt::format("{}x{}", technology, ports);
}

}  // namespace scalesweep::catalog
