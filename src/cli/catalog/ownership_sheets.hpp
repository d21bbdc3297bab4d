// Cost and carbon of one estimate as tables.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/output/sheet.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

// One device with all that is bought for it.
Sheet price_sheet(const technology::Ownership& own);

// What costs are of: a step, a batch, a second of a service.
struct Period {
  std::string name;  // "One step"
  double seconds = 0.0;
  double energy_j = 0.0;                  // of all devices and networks
  std::optional<double> work_units = {};  // trained on, or that come out; as the job says
  double prefill_devices = 0.0;           // beside those of the point
};

// What making a device takes, what is bought with it, and what a period uses up of it. Nothing
// where the catalog does not know what the device takes, nor of a time that there is not.
void add_ownership_sheets(std::vector<Sheet>& sheets, const study::Study& study,
                          const study::Point& point, const Period& period);

}  // namespace scalesweep::cli
