// A small catalog of made-up entries, whole and valid, for tests to load and to spoil.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "catalog/catalog.hpp"
#include "support/temporary_folder.hpp"

namespace scalesweep::catalog::test {

inline const std::string example_text = R"(schema = 1
[sources]
paper = "A paper, 2024"
sheet = "A data sheet"

[logic.foundry.N7]
source = "paper"
kind = "published"
logic_density = 1
sram_density = 1
analog_density = 1
switching_energy = 1
leakage = 1
voltage = "0.75 V"
threshold = "0.06 V"
minimum_voltage = "0.55 V"
maximum_voltage = "1.0 V"

[memory.HBM2]
source = "paper"
kind = "published"
bandwidth = "256 GB/s"
capacity = "8 GiB"
sustained = 0.8
energy = "4 pJ/bit"
package_area = "110 mm2"
edge = "11 mm"
interface_area = "12 mm2"

[scale_up.Link]
aliases = ["link-1"]
source = "sheet"
kind = "datasheet"
bandwidth = "300 GB/s"
largest_domain = 8
sustained = 0.7
latency = "2 us"
call_latency = "8 us"
half_size = "1 MB"
energy = "10 pJ/bit"

[scale_out.Net]
source = "sheet"
kind = "datasheet"
bandwidth = "200 Gb/s"
ports = [1, 8]
sustained = 0.9
latency = "5 us"
call_latency = "9 us"
half_size = "1 MB"
energy = "100 pJ/bit"

[model.tiny]
aliases = ["small"]
source = "paper"
kind = "published"
family = "llama"
hidden = 64
layers = 2
heads = 8
kv_heads = 2
ffn = 256
vocab = 1000
max_positions = 128

# The device comes last.
[device.chip]
aliases = ["chip-80"]
source = "sheet"
kind = "datasheet"
cores = 100
clock = "1 GHz"
vector_peak = "20 TFLOP/s"
vector_sustained = 0.9
kernel_latency = { value = "4 us", source = "paper", kind = "calibrated", note = "by hand" }
power = "400 W"
idle_power = "80 W"
vector_energy = "8 pJ/FLOP"
memory = "HBM2"
scale_up = "Link"
domain = 8
scale_out = "Netx8"

[device.chip.tensor_peak]
bf16 = "300 TFLOP/s"
[device.chip.tensor_sustained]
bf16 = 0.8
[device.chip.tensor_energy]
bf16 = "0.7 pJ/FLOP"
[device.chip.dram]
capacity = "80 GiB"
bandwidth = "2 TB/s"
sustained = 0.8
[device.chip.l2]
capacity = "40 MiB"
bandwidth = "7 TB/s"
energy = "8 pJ/B"
[device.chip.shared]
capacity = "164 KiB"
bandwidth = "18 TB/s"
)";

inline void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

// The example with the first occurrence of `from` replaced.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) {
    throw std::invalid_argument("the example has no '" + from + "'");
  }
  return text.replace(at, from.size(), to);
}

// What loading the text says, with the path of the file left out: "12:3: error: ...".
inline std::string complaints(const std::string& text) {
  const scalesweep::test::TemporaryFolder folder;
  write(folder / "a.toml", text);
  Diagnostics diagnostics;
  const bool loaded = Catalog::load(folder.path(), diagnostics).has_value();
  std::string all = diagnostics.text();
  if (loaded != all.empty()) {
    return "loaded in spite of: " + all;
  }
  const std::string prefix = (folder / "a.toml").string() + ":";
  for (std::size_t at = all.find(prefix); at != std::string::npos; at = all.find(prefix)) {
    all.erase(at, prefix.size());
  }
  return all;
}

}  // namespace scalesweep::catalog::test
