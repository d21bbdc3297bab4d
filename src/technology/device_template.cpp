#include "technology/device_template.hpp"

#include "core/contracts.hpp"

namespace scalesweep::technology {

DeviceTemplate with_tensor_width(DeviceTemplate architecture, double factor) {
  SCALESWEEP_EXPECT(factor > 0.0);
  for (double& flop : architecture.tensor_flop_per_clock) {
    flop *= factor;
  }
  const double extra = factor - 1.0;
  architecture.core_logic_area *= 1.0 + extra * architecture.core_tensor_area_share;
  architecture.core_dynamic_power *= 1.0 + extra * architecture.core_tensor_power_share;
  return architecture;
}

}  // namespace scalesweep::technology
