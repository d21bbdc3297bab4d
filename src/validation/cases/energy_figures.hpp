// Energy and power of a case, as meters of devices count them (NVML, Zeus, nvidia-smi): of all its
// devices, without hosts, switches and cables.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "technology/device.hpp"
#include "validation/cases/row_reader.hpp"

namespace scalesweep::validation {

// Means over the whole work of a case; what is not known is empty.
struct EnergyFigures {
  std::optional<double> energy_per_token_j;  // per output token; of training per token of a step
  std::optional<double> power_w;             // of all devices together
};

// One row for each: the column it is read from, the name it is reported under; what is predicted of
// it stands in the column predicted_NAME.
struct EnergyFigure {
  std::string_view column;
  std::optional<double> EnergyFigures::*value;
};
inline constexpr std::array<EnergyFigure, 2> energy_figures = {{
    {"energy_per_token_j", &EnergyFigures::energy_per_token_j},
    {"power_w", &EnergyFigures::power_w},
}};

EnergyFigures read_energy(RowReader& row);

// Devices that are set to less than their design power: the column power_limit_w.
void read_power_limit(RowReader& row, technology::Device& device);

// Of `devices` that take `device_power_w` each while all of them together finish `tokens_per_s`.
EnergyFigures energy_at(double device_power_w, std::int64_t devices, double tokens_per_s);

}  // namespace scalesweep::validation
