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

void DevicePowers::add(const CaseRow& row) {
  const std::optional<double> share = share_of_design_power(row);
  if (!share || !row.measured) {
    return;
  }
  auto found = std::find_if(sums_.begin(), sums_.end(),
                            [&](const DevicePower& power) { return power.device == row.device; });
  if (found == sums_.end()) {
    sums_.emplace_back();
    found = sums_.end() - 1;
    found->device = row.device;
  }
  count(*found, *share, row.predicted.clock_lowered);
}

std::vector<DevicePower> DevicePowers::result() const {
  std::vector<DevicePower> devices = sums_;
  for (DevicePower& power : devices) {
    power.mean /= static_cast<double>(power.count);
  }
  return devices;
}

std::vector<DevicePower> power_by_device(const std::vector<CaseRow>& rows) {
  DevicePowers powers;
  for (const CaseRow& row : rows) {
    powers.add(row);
  }
  return powers.result();
}

}  // namespace scalesweep::validation
