// Predicted power against thermal design power: what no measured step time says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "validation/cases/case_file.hpp"

namespace scalesweep::validation {

// Average power of a device over its thermal design power; nothing where not predicted or where the
// catalog knows no such power.
std::optional<double> share_of_design_power(const CaseRow& row);

// Of all cases that ran on one device.
struct DevicePower {
  std::string device;
  std::size_t count = 0;
  double mean = 0.0;
  double lowest = 0.0;
  double highest = 0.0;
  std::size_t above = 0;       // cases above the thermal design power
  std::size_t below_half = 0;  // cases below a half of it
  std::size_t limited = 0;     // cases in which it lowers the clock
};

// In the order in which devices first occur.
class DevicePowers {
 public:
  void add(const CaseRow& row);
  std::vector<DevicePower> result() const;

 private:
  std::vector<DevicePower> sums_;
};
std::vector<DevicePower> power_by_device(const std::vector<CaseRow>& rows);

}  // namespace scalesweep::validation
