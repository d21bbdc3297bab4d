// What a device must say of itself to have a twin: a device derived from a template and its own
// budgets.
#pragma once

#include <string>
#include <vector>

#include "catalog/data.hpp"
#include "core/diagnostic.hpp"

namespace scalesweep::catalog {

// What the entry of a device lacks of that, each with what the template, or else the device that it
// is calibrated on, has there: "die_area (hopper: 814 mm2)".
std::vector<std::string> facts_lacking(const Entry& device, const Entry& design,
                                       const Entry& calibrated_on);

// Reports, once for a device, all that it lacks of what the template that it names needs.
void check_twins(const CatalogData& data, Diagnostics& diagnostics);

}  // namespace scalesweep::catalog
