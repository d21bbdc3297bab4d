// Quantities as people write them: "3.35 TB/s", "80 GiB", "400 Gb/s", "826 mm2", "0.7 V".
// SI and IEC prefixes are distinct, bits are not bytes, and a bare number is an error.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scalesweep::config {

// What a key is a measure of; values come out in SI base units (B, B/s, FLOP/s, m2, W, ...).
enum class Dimension {
  bytes,
  bytes_per_second,
  flop_per_second,
  seconds,
  hertz,
  metres,
  area,
  watts,
  volts,
  joules_per_byte,
  joules_per_flop,
  watts_per_byte,
  usd,
  per_area,                    // 1/m2: densities, defect density
  usd_per_byte,                // of memory
  usd_per_area,                // of packages
  usd_per_joule,               // of electricity
  usd_per_watt,                // of what power takes to build
  co2,                         // kg of CO2 equivalent
  co2_per_byte,                // of memory
  co2_per_area,                // of silicon
  co2_per_joule,               // of electricity
  bytes_per_second_per_metre,  // along a die's edge
  joules_per_byte_metre,       // along a wire
  tokens,                      // counted by thousands, millions, ...
};

struct QuantityResult {
  std::optional<double> si;
  std::string problem;  // why not: "a bare number; write a unit, for example \"80 GiB\""
};

// `example`: how one is written here, where that of the dimension tells little.
QuantityResult parse_quantity(std::string_view text, Dimension dimension,
                              std::string_view example = "");

// A value back as text in a unit a person would choose: 8.26e-4 -> "826 mm2".
std::string quantity_text(double si, Dimension dimension);

// The units that a dimension accepts, for messages: "B, kB, MB, GB, TB, KiB, ...".
std::string accepted_units(Dimension dimension);

// "data size".
std::string dimension_name(Dimension dimension);

}  // namespace scalesweep::config
