// What is measured of a case beside its time: energy and power, as meters of devices count them
// (NVML, Zeus, nvidia-smi), of all its devices, without hosts, switches and cables; and what a
// whole run of training came to.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "technology/device.hpp"
#include "validation/cases/row_reader.hpp"

namespace scalesweep::validation {

// Means over the whole work of a case; what is not known is empty.
struct CaseFigures {
  std::optional<double> energy_per_token_j;  // per output token; of training per token of a step
  std::optional<double> power_w;             // of all devices together
  std::optional<double> goodput = {};        // share of a run in which steps were done that stayed
  std::optional<double> time_to_train_days = {};
};

// One row for each: the column it is read from, the name it is reported under; what is predicted of
// it stands in the column predicted_NAME.
struct CaseFigure {
  std::string_view column;
  std::optional<double> CaseFigures::*value;
};
inline constexpr std::array<CaseFigure, 4> case_figures = {{
    {"energy_per_token_j", &CaseFigures::energy_per_token_j},
    {"power_w", &CaseFigures::power_w},
    {"goodput", &CaseFigures::goodput},
    {"time_to_train_days", &CaseFigures::time_to_train_days},
}};

CaseFigures read_case_figures(RowReader& row);

// Devices that are set to less than their design power: the column power_limit_w.
void read_power_limit(RowReader& row, technology::Device& device);

// Of `devices` that take `device_power_w` each while all of them together finish `tokens_per_s`.
CaseFigures energy_at(double device_power_w, std::int64_t devices, double tokens_per_s);

}  // namespace scalesweep::validation
