// A derivation as tables: what was asked, every value on the way, what came out.
#pragma once

#include "cli/output/sheet.hpp"
#include "technology/cost.hpp"
#include "technology/derive/derive.hpp"

namespace scalesweep::cli {

// Name, value and where it comes from, in the order in which the law finds them.
Sheet derivation_sheet(const technology::Parts& parts, const technology::Budget& budget,
                       const technology::Derivation& derivation);
Sheet device_sheet(const technology::Device& device, const technology::Network& scale_up);
Sheet binding_sheet(const technology::Binding& binding, const technology::Derivation& derivation);
// Of the device alone, part by part.
Sheet cost_sheet(const technology::Ownership& own);

}  // namespace scalesweep::cli
