#include "validation/cases/device_power.hpp"

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

std::optional<double> share_of_design_power(const CaseRow& row) {
  if (!row.predicted.device_power_w || row.design_power_w <= 0.0) {
    return std::nullopt;
  }
  return *row.predicted.device_power_w / row.design_power_w;
}

std::vector<DevicePower> power_by_device(const std::vector<CaseRow>& rows) {
  std::vector<DevicePower> devices;
  for (const CaseRow& row : rows) {
    const std::optional<double> share = share_of_design_power(row);
    if (!share || !row.measured) {
      continue;
    }
    auto found = std::find_if(devices.begin(), devices.end(),
                              [&](const DevicePower& power) { return power.device == row.device; });
    if (found == devices.end()) {
      devices.emplace_back();
      found = devices.end() - 1;
      found->device = row.device;
    }
    count(*found, *share, row.predicted.clock_lowered);
  }
  for (DevicePower& power : devices) {
    power.mean /= static_cast<double>(power.count);
  }
  return devices;
}

}  // namespace scalesweep::validation
