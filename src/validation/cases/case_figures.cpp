#include "validation/cases/case_figures.hpp"

#include <fmt/format.h>

namespace scalesweep::validation {

CaseFigures read_case_figures(RowReader& row) {
  CaseFigures figures;
  for (const CaseFigure& figure : case_figures) {
    figures.*figure.value = row.number(figure.column);
  }
  return figures;
}

void read_power_limit(RowReader& row, technology::Device& device) {
  const std::optional<double> limit_w = row.number("power_limit_w");
  const double design_w = device.thermal_design_power.si();
  if (limit_w && design_w > 0.0 && *limit_w > design_w) {
    row.error("power_limit_w", fmt::format("{} is above the design power of {}, {} W",
                                           row.text("power_limit_w"), device.name, design_w));
  } else if (limit_w) {
    device.thermal_design_power = Watts::si(*limit_w);
  }
}

CaseFigures energy_at(double device_power_w, std::int64_t devices, double tokens_per_s) {
  const double power_w = device_power_w * static_cast<double>(devices);
  return {power_w / tokens_per_s, power_w};
}

}  // namespace scalesweep::validation
