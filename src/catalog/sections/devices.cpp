// Devices as sold.
#include <fmt/format.h>

#include "catalog/data.hpp"
#include "catalog/sections/core_fields.hpp"

namespace scalesweep::catalog {
namespace {

using technology::Device;
using technology::MemoryLevel;

Fields<CollectiveTimes> collective_fields() {
  const auto time = [](std::string_view path, std::string_view text, std::string_view example,
                       Seconds CollectiveTimes::*member) {
    return field(or_zero(quantity(path, Dimension::seconds, text, example, "\"0 s\"")), member);
  };
  return {
      time("latency", "of a step", "\"0.447 us\"", &CollectiveTimes::latency),
      time("call_latency", "of a call", "\"3 us\"", &CollectiveTimes::call_latency),
      time("handshake", "of a step that hands buffers over", "\"8.35 us\"",
           &CollectiveTimes::handshake),
      time("one_shot_latency", "of a call of kernels that read the peers' buffers", "\"1.69 us\"",
           &CollectiveTimes::one_shot_latency),
  };
}

Fields<Device> level_fields(std::string_view name, std::string_view text,
                            MemoryLevel Device::*level, std::string_view energy) {
  Key capacity = quantity("capacity", Dimension::bytes, "what it holds", "\"80 GiB\"");
  capacity.zero = name == "l2";
  return in_table(
      table(name, text), level,
      Fields<MemoryLevel>{
          field(capacity, &MemoryLevel::capacity),
          value(&MemoryLevel::bandwidth, "bandwidth", "of the whole device", "\"3350 GB/s\""),
          number(&MemoryLevel::sustained, fraction, "sustained",
                 "fraction of it that long streams reach", "0.86", "1"),
          value(&MemoryLevel::energy, "energy", "of an access", "\"14 pJ/B\"", energy),
      });
}

Fields<Device> peak_fields() {
  return joined<Device>(
      {{said<Device>(name("title", "as people call it", "\"NVIDIA H100 SXM5 80 GB\"", "the name")),
        said<Device>(integer("year", "in which it was sold first", "2022", "not known")),
        value(&Device::cores, "cores",
              "streaming multiprocessors, compute units, matrix units of a TPU", "132"),
        value(&Device::clock, "clock", "at which the peaks are stated", "\"1830 MHz\"")},
       by_precision(table("tensor_peak", "dense peak of the matrix units, by precision"),
                    quantity("*", Dimension::flop_per_second, "of one", "\"989.4 TFLOP/s\""),
                    &Device::tensor_peak),
       sustained_fields<Device>("from `long_gemm_clock`"),
       {value(&Device::vector_peak, "vector_peak", "of fp32 outside the matrix units",
              "\"66.9 TFLOP/s\"")}});
}

Fields<Device> memory_fields() {
  return joined<Device>(
      {level_fields("dram", "device memory; data sheets write GB and mean GiB", &Device::dram,
                    "of the memory"),
       level_fields("l2", "L2 cache; a mesh between cores where its capacity is 0", &Device::l2,
                    "none"),
       level_fields("shared", "shared memory: capacity of one core, bandwidth of all cores",
                    &Device::shared, "none")});
}

Fields<Device> power_fields() {
  return {
      value(&Device::thermal_design_power, "power", "thermal design power", "\"700 W\""),
      value(&Device::lowest_clock, "lowest_clock",
            "the lowest that can be set: where that does not keep a power limit nothing does",
            "\"210 MHz\"", "a twentieth of `clock`"),
      value(&Device::lowest_power_limit, "lowest_power_limit", "the lowest that can be set",
            "\"200 W\"", "any can"),
      field(quantity("lowest_measured_power", Dimension::watts,
                     "of all that work on its die was measured at, in a product of it or under a "
                     "limit: below it error bars are wider",
                     "\"300 W\"", "`power`"),
            &Device::lowest_measured_power, &Device::thermal_design_power),
      value(&Device::idle_power, "idle_power", "what burns without work", "\"140 W\""),
      or_zero(value(&Device::active_power, "active_power",
                    "beside it while a program keeps the cores busy, whatever they "
                    "compute",
                    "\"140 W\"", "\"0 W\"")),
      or_zero(value(&Device::leakage_power, "leakage_power",
                    "the part of `idle_power` that leaks through transistors", "\"50 W\"",
                    "\"0 W\"")),
      value(&Device::supply, "supply",
            "at `clock`, from which the law of voltages goes down: of the same die in a "
            "product that is clocked higher it is higher",
            "\"0.766 V\"", "nominal of `logic`"),
  };
}

// Names of other entries are read by hand, since they must be there.
Fields<Device> making_fields() {
  return joined<Device>(
      {{value(&Device::die_area, "die_area", "of one die; its cost is known with it and `logic`",
              "\"814 mm2\"", "not known"),
        value(&Device::dies, "dies", "in the package", "2", "1"),
        value(&Device::logic, "logic", "its node, an entry of `logic`", "\"4N\"", "not known")},
       by_hand<Device>(
           {name("maker",
                 "whose devices take after each other: error bars of one that was not measured ask "
                 "whether another one was",
                 "\"NVIDIA\"", "not known"),
            name("package", "what carries dies and stacks, an entry of `package`", "\"interposer\"",
                 "\"interposer\""),
            name("template",
                 "architecture that its twin is derived from, an entry of `template`; the device "
                 "then says of itself all that a twin takes",
                 "\"hopper\"", "none"),
            name("memory", "its DRAM, an entry of `memory`", "\"HBM3\"")}),
       {value(&Device::stacks, "stacks", "of it", "5", "not known")},
       by_hand<Device>(
           {quantity("price", Dimension::usd,
                     "at which it is sold, its memory included; says what its maker asks for dies",
                     "\"27500 USD\"", "from `priced_like`, or what making it takes"),
            name("priced_like", "another entry with a `price`, whose maker asks as much for dies",
                 "\"h100-sxm\"", "none")}),
       {value(&Device::host_bandwidth, "host_bandwidth", "to host memory, in one direction",
              "\"450 GB/s\"", "\"55 GB/s\"")},
       by_hand<Device>({name("scale_up", "its usual link, an entry of `scale_up`", "\"NVLink4\""),
                        integer("domain", "devices that it usually joins", "8"),
                        name("scale_out", "its usual network, with ports", "\"NDRx8\"")})});
}

// Of GEMMs, with the clocks that follow from them, which are of the record.
Fields<DeviceRecord> gemm_fields() {
  return joined<DeviceRecord>(
      {of_part(&DeviceRecord::device, of_part(&Device::matmul, matmul_fields())),
       by_precision(
           table("long_gemm_clock", "`long_gemm_clock` by operand precision", "`long_gemm_clock`"),
           number("*", fraction, "of one; narrow operands take more power at their peak", "0.84",
                  "long_gemm_clock"),
           &DeviceRecord::long_gemm_clock)});
}

const Fields<DeviceRecord>& device_fields() {
  static const Fields<DeviceRecord> fields = [] {
    const auto of_device = [](const Fields<Device>& part) {
      return of_part(&DeviceRecord::device, part);
    };
    return joined<DeviceRecord>(
        {of_device(peak_fields()),
         of_device(unit_fields<Device>()),
         {field(long_gemm_clock_key(), &DeviceRecord::usual_gemm_clock)},
         of_device(vector_fields<Device>()),
         of_device(memory_fields()),
         in_table(matmul_table(), gemm_fields()),
         of_device(in_table(attention_table(), &Device::attention, attention_fields())),
         in_table(table("collectives",
                        "what the device's library of collectives takes beside the times of its "
                        "link, whatever link that is",
                        "nothing"),
                  &DeviceRecord::collectives, collective_fields()),
         of_device(power_fields()),
         of_device(making_fields())});
  }();
  return fields;
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

// What can be set lies below what the device is sold with.
void check_lowest(const EntryReader& entry, const Device& device) {
  const auto check = [&](std::string_view key, bool is_above, std::string_view most) {
    if (is_above) {
      entry.table().error(std::string(key), fmt::format("'{}' is above '{}'; give a lower one, or "
                                                        "leave it out",
                                                        key, most));
    }
  };
  check("lowest_clock", device.lowest_clock > device.clock, "clock");
  check("lowest_power_limit", device.lowest_power_limit > device.thermal_design_power, "power");
  check("lowest_measured_power", device.lowest_measured_power > device.thermal_design_power,
        "power");
}

// Names of other entries, which must be there.
void read_names(EntryReader& entry, DeviceRecord& record, std::vector<Reference>& references) {
  Device& device = record.device;
  device.package = default_package;
  if (const std::optional<Located> package = entry.given_text("package")) {
    device.package = package->text;
    references.push_back({Section::packages, *package});
  }
  if (const std::optional<Located> maker = entry.given_text("maker")) {
    record.maker = maker->text;
  }
  if (const std::optional<Located> architecture = entry.given_text("template")) {
    record.architecture = architecture->text;
    references.push_back({Section::templates, *architecture});
  }
  const Located memory = entry.text("memory");
  const Located scale_up = entry.text("scale_up");
  const Located scale_out = entry.text("scale_out");
  device.memory = memory.text;
  record.usual = {device.name, scale_up.text, static_cast<int>(entry.integer("domain")),
                  scale_out.text};
  references.push_back({Section::memories, memory});
  references.push_back({Section::scale_up, scale_up});
  references.push_back({Section::scale_out, scale_out});
}

}  // namespace

std::vector<Key> device_rows() {
  return keys_of(device_fields());
}

DeviceRecord read_device(EntryReader& entry, const std::string& name,
                         std::vector<Reference>& references) {
  DeviceRecord record;
  Device& device = record.device;
  device.name = name;
  entry.leave("title");
  entry.leave("year");
  read_fields(entry, device_fields(), record);
  check_precisions(entry, device.tensor_peak, device.tensor_sustained, "tensor_peak");
  check_lowest(entry, device);
  for (double& share : record.long_gemm_clock) {
    share = share > 0.0 ? share : record.usual_gemm_clock;
  }
  read_names(entry, record, references);
  read_price(entry, record, references);
  record.is_claimed =
      entry.has_value_of("tensor_peak.", {SourceKind::vendor_claim, SourceKind::roadmap});
  return record;
}

}  // namespace scalesweep::catalog
