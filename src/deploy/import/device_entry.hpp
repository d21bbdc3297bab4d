// A device of another program's hardware file as an entry that is like one of the catalog: what the
// file does not say is of that. Internal to import.
#pragma once

#include <string>

#include "deploy/import/imported.hpp"

namespace scalesweep::deploy {

struct DeviceEntry {
  std::string name;
  SpecTable device;  // keys of [device.NAME]
  SpecTable tensor_peak, dram, l2, shared;
  SpecTable link;  // keys of [scale_up.NAME-link]; none: that of the parent
};

// "312 TFLOP/s" of 3.12e14 and "FLOP/s".
std::string quantity(double value, std::string_view unit);

// Adds the entry and what stands in a spec for it. Throws Failure(usage) where --like is not given.
void add_device(Imported& imported, DeviceEntry entry, const catalog::Catalog& catalog,
                const ImportQuestion& question);

}  // namespace scalesweep::deploy
