// Hardware files of LLMCompass (JSON) and RAPID-LLM (YAML).
#include <fmt/format.h>

#include "core/failure.hpp"
#include "deploy/import/device_entry.hpp"
#include "deploy/import/import_run.hpp"

namespace scalesweep::deploy {
namespace {

double needed(GivenKeys& keys, const std::string& name) {
  const auto value = keys.number(name);
  if (!value || *value <= 0.0) {
    refuse(fmt::format("{}: {} is missing, or not above 0", keys.file(), name));
  }
  return *value;
}

// "80 GB" or "1986 GB": a number with a unit, as bytes; nothing where absent.
std::optional<double> bytes_of(GivenKeys& keys, const std::string& name) {
  const auto text = keys.text(name);
  if (!text) {
    return std::nullopt;
  }
  char unit[8] = "";
  double value = 0.0;
  const int read = std::sscanf(text->c_str(), "%lf %7s", &value, unit);
  const std::string word = unit;
  const double scale = word.starts_with("T")                            ? 1e12
                       : word.starts_with("G")                          ? 1e9
                       : word.starts_with("M")                          ? 1e6
                       : word.starts_with("K") || word.starts_with("k") ? 1e3
                                                                        : 1.0;
  if (read < 1 || value <= 0.0) {
    refuse(fmt::format("{}: {} is '{}'; it must be bytes, as 80 GB", keys.file(), name, *text));
  }
  return value * scale;
}

void set_memory(SpecTable& table, std::optional<double> capacity, std::optional<double> bandwidth) {
  if (capacity) {
    table["capacity"] = quantity(*capacity, "B");
  }
  if (bandwidth) {
    table["bandwidth"] = quantity(*bandwidth, "B/s");
  }
}

// Chips, cores, sublanes with a systolic array and vector lanes each.
void read_compass_cores(GivenKeys& keys, DeviceEntry& entry) {
  const std::string chiplet = "device.compute_chiplet.";
  const std::string lane = chiplet + "core.";
  const double clock = needed(keys, "device.frequency_Hz");
  const double cores = needed(keys, chiplet + "core_count") *
                       keys.number("device.compute_chiplet_count").value_or(1.0);
  const double lanes = cores * needed(keys, lane + "sublane_count");
  const double products = needed(keys, lane + "systolic_array.array_width") *
                          needed(keys, lane + "systolic_array.array_height") *
                          keys.number(lane + "systolic_array.mac_per_cycle").value_or(1.0);
  const std::string type = keys.text(lane + "systolic_array.data_type").value_or("fp16");
  entry.device["cores"] = fmt::format("{:.0f}", cores);
  entry.device["clock"] = quantity(clock, "Hz");
  entry.tensor_peak[type] = quantity(2.0 * lanes * products * clock, "FLOP/s");
  if (type == "fp16") {
    entry.tensor_peak["bf16"] = entry.tensor_peak[type];
  }
  if (const auto lanes32 = keys.number(lane + "vector_unit.fp32_count")) {
    entry.device["vector_peak"] = quantity(2.0 * lanes * *lanes32 * clock, "FLOP/s");
  }
  if (const auto shared = keys.number(lane + "SRAM_KB")) {
    entry.shared["capacity"] = fmt::format("\"{:g} KiB\"", *shared);
  }
}

void read_compass_memory(GivenKeys& keys, DeviceEntry& entry) {
  const double clock = needed(keys, "device.frequency_Hz");
  if (const auto l2 = keys.number("device.io.global_buffer_MB")) {
    entry.l2["capacity"] = fmt::format("\"{:g} MiB\"", *l2);
  }
  if (const auto width = keys.number("device.io.global_buffer_bandwidth_per_cycle_byte")) {
    entry.l2["bandwidth"] = quantity(*width * clock, "B/s");
  }
  const double channels = needed(keys, "device.io.memory_channel_active_count");
  const double bits = needed(keys, "device.io.pin_count_per_channel") *
                      needed(keys, "device.io.bandwidth_per_pin_bit");
  entry.dram["bandwidth"] = quantity(channels * bits / 8.0, "B/s");
  if (const auto capacity = keys.number("device.memory.total_capacity_GB")) {
    entry.dram["capacity"] = fmt::format("\"{:g} GB\"", *capacity);
  }
}

}  // namespace

Imported import_llmcompass(GivenKeys& keys, const catalog::Catalog& catalog,
                           const ImportQuestion& question) {
  Imported imported;
  imported.origin = "a hardware file of LLMCompass";
  DeviceEntry entry;
  entry.name = keys.text("name").value_or("imported");
  read_compass_cores(keys, entry);
  read_compass_memory(keys, entry);
  const auto link = keys.number("interconnect.link.bandwidth_per_direction_byte");
  const auto count = keys.number("interconnect.link_count_per_device");
  if (link && count) {
    entry.link["bandwidth"] = quantity(*link * *count, "B/s");
    if (const auto latency = keys.number("interconnect.link.latency_second")) {
      entry.link["latency"] = fmt::format("\"{:g} us\"", 1e6 * *latency);
    }
  }
  if (const auto devices = keys.integer("device_count"); devices && *devices > 1) {
    entry.device["domain"] = std::to_string(*devices);
  }
  add_device(imported, entry, catalog, question);
  leave_out(imported, keys);
  return imported;
}

Imported import_rapid_llm(GivenKeys& keys, const catalog::Catalog& catalog,
                          const ImportQuestion& question) {
  const std::string core = "tech_param.core.";
  Imported imported;
  imported.origin = "a hardware file of RAPID-LLM";
  DeviceEntry entry;
  entry.name = "imported";
  const double clock = needed(keys, core + "operating_frequency");
  const double cores = needed(keys, core + "num_bundles");
  const double units = cores * needed(keys, core + "num_mcu_per_bundle");
  const double flop = needed(keys, core + "nominal_flop_rate_per_mcu");
  entry.device["cores"] = fmt::format("{:.0f}", cores);
  entry.device["clock"] = quantity(clock, "Hz");
  entry.tensor_peak["bf16"] = entry.tensor_peak["fp16"] = quantity(units * flop * clock, "FLOP/s");
  const auto memory = [&keys](const std::string& name, SpecTable& to, bool of_a_core,
                              double count) {
    auto size = bytes_of(keys, fmt::format("tech_param.{}.size", name));
    if (size && of_a_core) {
      size = *size / count;
    }
    set_memory(to, size, bytes_of(keys, fmt::format("tech_param.{}.bandwidth", name)));
  };
  memory("DRAM", entry.dram, false, cores);
  memory("SRAM-L2", entry.l2, false, cores);
  memory("SRAM-L1", entry.shared, true, cores);
  const std::string inner = "network.dimensions[0].";
  if (const auto bandwidth = bytes_of(keys, inner + "topology.bandwidth")) {
    entry.link["bandwidth"] = quantity(*bandwidth, "B/s");
    if (const auto latency = keys.number(inner + "topology.latency")) {
      entry.link["latency"] = fmt::format("\"{:g} us\"", 1e6 * *latency);
    }
  }
  add_device(imported, entry, catalog, question);
  leave_out(imported, keys);
  return imported;
}

}  // namespace scalesweep::deploy
