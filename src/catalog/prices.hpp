// What making a device takes, and what its maker asks for it. Internal to the layer.
#pragma once

#include <optional>
#include <string>

#include "catalog/catalog.hpp"
#include "catalog/data.hpp"
#include "core/diagnostic.hpp"

namespace scalesweep::catalog {

// Nothing where the catalog does not know die area, process or memory of the device.
std::optional<technology::DeviceCost> making_of(const Catalog& catalog,
                                                const technology::Device& device);

// Price of dies over making them, by the product that `priced_like` names, or the one that that one
// is priced like; nothing if "" or if no price is known there.
std::optional<double> asked_markup(const Catalog& catalog, const CatalogData& data,
                                   const std::string& priced_like, double parts_markup);

// Reports a device that is priced like one without a price, and a price below what making takes.
void check_prices(const Catalog& catalog, const CatalogData& data, Diagnostics& diagnostics);

}  // namespace scalesweep::catalog
