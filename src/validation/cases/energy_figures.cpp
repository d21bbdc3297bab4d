#include "validation/cases/energy_figures.hpp"

namespace scalesweep::validation {

EnergyFigures read_energy(RowReader& row) {
  EnergyFigures energy;
  for (const EnergyFigure& figure : energy_figures) {
    energy.*figure.value = row.number(figure.column);
  }
  return energy;
}

EnergyFigures energy_at(double device_power_w, std::int64_t devices, double tokens_per_s) {
  const double power_w = device_power_w * static_cast<double>(devices);
  return {power_w / tokens_per_s, power_w};
}

}  // namespace scalesweep::validation
