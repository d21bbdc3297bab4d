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
aliases = ["7FF"]
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

[logic.foundry.N5]
source = "paper"
kind = "published"
logic_density = 1.5
sram_density = 1.25
analog_density = 1.1
switching_energy = 0.7
leakage = 0.7
voltage = "0.7 V"
threshold = "0.06 V"
minimum_voltage = "0.5 V"
maximum_voltage = "0.9 V"

[memory.HBM2]
source = "paper"
kind = "published"
pins = 1024
pin_rate = "2 Gb/s"
capacity = "8 GiB"
sustained = 0.8
energy = "4 pJ/bit"
package_area = "110 mm2"
edge = "11 mm"
interface_area = "12 mm2"
cost = "10 USD/GB"
carbon = "65 gCO2e/GB"

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
device_energy = "5 pJ/bit"
edge = "20 mm"
cost = "700 USD"

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
switch_latency = "0.3 us"
switch_energy = "20 pJ/bit"
cable_energy = "40 pJ/bit"
port_cost = "1000 USD"
switch_cost = "500 USD"
cable_cost = "800 USD"

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

# The device that most tests look at.
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

[template.open]
calibrated_on = "chip"
source = "sheet"
kind = "datasheet"
reference_node = "N7"
nominal_clock = "1 GHz"
vector_flop_per_clock = 128
vector_sustained = 0.9
vector_energy = "8 pJ/FLOP"
kernel_latency = "4 us"
[template.open.tensor_flop_per_clock]
bf16 = 2048
[template.open.tensor_sustained]
bf16 = 0.8
[template.open.tensor_energy]
bf16 = "0.7 pJ/FLOP"
[template.open.core]
logic_area = "3 mm2"
sram_area = "0.5 mm2"
matrix_share = 0.25
area_share = 0.75
enabled = 0.9
active_power = "0.45 W"
leakage_power = "0.5 W"
[template.open.l2]
area_holds = "40 MiB"
sram_area = "40 mm2"
logic_area = "120 mm2"
bytes_per_clock = "64 B"
slice_bytes_per_clock = "5000 B"
access_energy = "0.13 pJ/bit"
wire_energy = "0.1 pJ/bit/mm"
[template.open.shared]
capacity = "164 KiB"
bytes_per_clock = "128 B"
[template.open.die]
area = "800 mm2"
fixed_area = "80 mm2"
fixed_power = "30 W"
memory_edge_share = 0.6
link_edge_share = 0.25

[process.N7]
aliases = ["N6"]
source = "paper"
kind = "published"
wafer_price = "9346 USD"
wafer_diameter = "300 mm"
defect_density = "0.09 1/cm2"
clustering = 3.0
repairable_share = 0.6
carbon = "1.44 kgCO2e/cm2"

[process.N5]
source = "paper"
kind = "published"
wafer_price = "18692 USD"
wafer_diameter = "300 mm"
defect_density = "0.10 1/cm2"
clustering = 3.0
repairable_share = 0.6
carbon = "1.54 kgCO2e/cm2"

[package.interposer]
source = "paper"
kind = "published"
most_dies = 4
area = "2831 mm2"
reticle = "858 mm2"
joint_bandwidth = "177 GB/s/mm"
joint_energy = "0.25 pJ/bit"
cost = "0.25 USD/mm2"
assembly = "20 USD"
assembly_yield = 0.99
carbon = "5 kgCO2e"

[topology.fat-tree]
source = "paper"
kind = "published"
topology = "fat-tree"
radix = 64

[economics.default]
source = "paper"
kind = "published"
energy_price = "0.08 USD/kWh"
power_usage_effectiveness = 1.2
grid_carbon = "360 gCO2e/kWh"
lifetime = "4 a"
utilization = 0.8
silicon_markup = 3.0
parts_markup = 1.25
network_markup = 1.5
facility_cost = "11 USD/W"
facility_lifetime = "15 a"
delivery_cost = "1 USD/W"
server_cost = "12000 USD"
server_power = "350 W"
server_carbon = "160 kgCO2e"

[fit.default]
source = "paper"
kind = "published"

[fit.default.matmul]
pipeline_fill = 64.0
least_tile = 8192.0
accumulator_share = 0.75
operand_share = 0.8
unaligned_share = 0.3
resident_share = 0.5
weight_copies = 5.0
all_reused_share = 0.4
none_reused_share = 0.8
conversion_flop = 4.0
gemv_rows = 4.0
gemv_bytes = 2.0
gemv_columns = 64.0
gemv_stream_share = 0.92
quantize_stream_share = 0.7
power_window = "7 ms"
job_energy = 1.0

[fit.default.attention]
block_rows = 128.0
idle_tail = 0.75
core_blocks = 4.0
block_bytes = 4096.0
full_blocks = 1.8
least_part = 256.0
pass_heads = 8.0
latent_share = 0.67
latent_rows = 64.0

[fit.default.collectives]
word_rate = "16 GB/s"
pair_word_rate = "5 GB/s"
line_flag_share = 0.48
line_step = 0.25
line_flag_part = "1.5 MB"
handshake_hidden = 0.5
pair_handshake = 5.0
direct_latency = "30 us"
pair_share = 0.8
pair_half_share = 0.2
far_step = 2.3333333333333335
flag_step = 0.2
two_shot_share = 0.7
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

// The catalog that the text makes.
inline Catalog load_text(const std::string& text) {
  const scalesweep::test::TemporaryFolder folder;
  write(folder / "a.toml", text);
  Diagnostics diagnostics;
  std::optional<Catalog> catalog = Catalog::load(folder.path(), diagnostics);
  if (!catalog) {
    throw std::runtime_error(diagnostics.text());
  }
  return *catalog;
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
