// Whether the prices of devices hold together. Internal to the layer. What a system costs by them
// is Catalog::ownership.
#pragma once

#include "catalog/catalog.hpp"
#include "catalog/data.hpp"
#include "core/diagnostic.hpp"

namespace scalesweep::catalog {

// Reports a device that is priced like one without a price, and a price below what making its dies
// takes and its memory and package are sold at under the default economics.
void check_prices(const Catalog& catalog, const CatalogData& data, Diagnostics& diagnostics);

}  // namespace scalesweep::catalog
