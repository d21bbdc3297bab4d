// The order of entries in a catalog. Internal to the folder.
#pragma once

#include <vector>

#include "catalog/load/found.hpp"

namespace scalesweep::catalog {

// The entries of the catalog as they stand in its files, and those of overlays by kind and name,
// whatever their files are called and wherever they were found. Overlays' processes, and their
// nodes of series that the catalog has, stand before its own: what is a step beyond its last node
// stays what it is. Reports a series of theirs that is not in one file.
std::vector<Found*> in_order(const std::vector<Found*>& found, Diagnostics& diagnostics);

}  // namespace scalesweep::catalog
