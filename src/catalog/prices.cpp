#include "catalog/prices.hpp"

#include <fmt/format.h>

namespace scalesweep::catalog {
namespace {

const DeviceRecord* sold(const Catalog& catalog, const CatalogData& data, std::string_view name) {
  const auto known = catalog.canonical(Section::devices, name);
  const auto found = known ? data.devices.find(*known) : data.devices.end();
  return found == data.devices.end() ? nullptr : &found->second;
}

// The product whose price tells; nothing if there is none.
const DeviceRecord* priced(const Catalog& catalog, const CatalogData& data, std::string_view name) {
  const DeviceRecord* record = sold(catalog, data, name);
  if (record != nullptr && !record->price) {
    record = sold(catalog, data, record->device.priced_like);
  }
  return record != nullptr && record->price ? record : nullptr;
}

// Nothing where the catalog does not know die area, process or memory of the device.
std::optional<technology::DeviceCost> making_of(const Catalog& catalog,
                                                const technology::Device& device) {
  const std::optional<technology::Process> made = catalog.process(device.logic);
  if (!made || device.die_area.si() <= 0.0 || !catalog.has(Section::memories, device.memory)) {
    return std::nullopt;
  }
  return technology::device_cost(device, *made, catalog.memory(device.memory),
                                 catalog.package(device.package));
}

// Price of dies over making them, by the product that `priced_like` names, or the one that that one
// is priced like; nothing if "" or if no price is known there.
std::optional<double> asked_markup(const Catalog& catalog, const CatalogData& data,
                                   const std::string& priced_like, double parts_markup) {
  const DeviceRecord* record = priced(catalog, data, priced_like);
  const auto cost = record == nullptr ? std::nullopt : making_of(catalog, record->device);
  if (!cost) {
    return std::nullopt;
  }
  return technology::silicon_markup_of(*cost, *record->price, parts_markup);
}

}  // namespace

std::optional<technology::Ownership> Catalog::ownership(
    const technology::System& system, const technology::Economics& economics) const {
  const auto cost = making_of(*this, system.device);
  if (!cost) {
    return std::nullopt;
  }
  std::optional<double> markup;
  if (!economics.one_silicon_markup) {
    markup = asked_markup(*this, *data_, system.device.priced_like, economics.parts_markup);
  }
  return technology::ownership_of(*cost, system, economics,
                                  markup.value_or(economics.silicon_markup));
}

void check_prices(const Catalog& catalog, const CatalogData& data, Diagnostics& diagnostics) {
  for (const auto& [name, record] : data.devices) {
    const SourcePosition position = catalog.entry(Section::devices, name)->position;
    if (!record.price) {
      const std::string& like = record.device.priced_like;
      const DeviceRecord* other = sold(catalog, data, like);
      if (other != nullptr && !other->price) {
        diagnostics.error(position, fmt::format("device {}: '{}', like which it is priced, has no "
                                                "price",
                                                name, like));
      }
      continue;
    }
    const auto cost = making_of(catalog, record.device);
    const double markup = catalog.economics().parts_markup;
    const Usd least = cost ? cost->dies + (cost->memory + cost->package) * markup : Usd{};
    if (*record.price < least) {
      diagnostics.error(position,
                        fmt::format("device {}: its price of {:.4g} USD is below the {:.4g} USD "
                                    "that making its dies takes and its memory and package are "
                                    "sold at",
                                    name, record.price->si(), least.si()));
    }
  }
}

}  // namespace scalesweep::catalog
