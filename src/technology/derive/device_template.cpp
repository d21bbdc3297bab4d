#include "technology/derive/device_template.hpp"

#include <cmath>

#include "core/contracts.hpp"

namespace scalesweep::technology {

double core_growth(const DeviceTemplate& architecture, double factor) {
  SCALESWEEP_EXPECT(factor > 0.0);
  const double share = architecture.core_matrix_share;
  return share * factor + (1.0 - share) * std::sqrt(factor);
}

DeviceTemplate with_tensor_width(DeviceTemplate architecture, double factor) {
  const double growth = core_growth(architecture, factor);
  for (double& flop : architecture.tensor_flop_per_clock) {
    flop *= factor;
  }
  for (JoulesPerFlop& energy : architecture.tensor_energy) {
    energy *= growth / factor;
  }
  const SquareMetres before = architecture.core_logic_area + architecture.core_sram_area;
  architecture.core_logic_area *= growth;
  architecture.core_active_power *= growth;
  architecture.core_leakage_power *=
      (architecture.core_logic_area + architecture.core_sram_area) / before;
  return architecture;
}

}  // namespace scalesweep::technology
