#include "validation/device_power.hpp"

#include <algorithm>

namespace scalesweep::validation {
namespace {

// What rounding leaves of a power that was held to the limit.
constexpr double rounding = 1e-9;

void count(DevicePower& power, double share, bool limited) {
  power.lowest = power.count == 0 ? share : std::min(power.lowest, share);
  power.highest = std::max(power.highest, share);
  power.mean += share;  // the sum, for now
  power.above += share > 1.0 + rounding ? 1 : 0;
  power.below_half += share < 0.5 ? 1 : 0;
  power.limited += limited ? 1 : 0;
  ++power.count;
}

}  // namespace

std::optional<double> share_of_design_power(const CaseResult& result) {
  const double design_w = result.measured->system.device.thermal_design_power.si();
  if (!result.estimate || design_w <= 0.0) {
    return std::nullopt;
  }
  return result.estimate->device_power_w / design_w;
}

std::vector<DevicePower> power_by_device(const std::vector<CaseResult>& results) {
  std::vector<DevicePower> devices;
  for (const CaseResult& result : results) {
    const std::optional<double> share = share_of_design_power(result);
    if (!share || result.measured->measured_step_s <= 0.0) {
      continue;
    }
    const std::string& name = result.measured->system.device.name;
    auto found = std::find_if(devices.begin(), devices.end(),
                              [&](const DevicePower& power) { return power.device == name; });
    if (found == devices.end()) {
      devices.emplace_back();
      found = devices.end() - 1;
      found->device = name;
    }
    count(*found, *share, result.estimate->clock_fraction < 1.0);
  }
  for (DevicePower& power : devices) {
    power.mean /= static_cast<double>(power.count);
  }
  return devices;
}

}  // namespace scalesweep::validation
