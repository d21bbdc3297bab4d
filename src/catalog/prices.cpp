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
                                                const technology::Device& device,
                                                const technology::Economics& economics = {}) {
  const std::optional<technology::Process> made = catalog.process(device.logic);
  if (!made || device.die_area.si() <= 0.0 || !catalog.has(Section::memories, device.memory)) {
    return std::nullopt;
  }
  return technology::device_cost(device, technology::assumed(*made, economics),
                                 technology::assumed(catalog.memory(device.memory), economics),
                                 catalog.package(device.package));
}

struct Product {
  technology::DeviceCost cost;  // today, whatever a study assumes
  Usd price;
};

// That `priced_like` names, or that that one is priced like; nothing if "" or if no price is known
// there.
std::optional<Product> product_like(const Catalog& catalog, const CatalogData& data,
                                    const std::string& priced_like) {
  const DeviceRecord* record = priced(catalog, data, priced_like);
  const auto cost = record == nullptr ? std::nullopt : making_of(catalog, record->device);
  return cost ? std::optional(Product{*cost, *record->price}) : std::nullopt;
}

// By the price of the product, or by what a study says that makers ask: a part and a sum that are
// the same for the product.
technology::SiliconPrice asked_price(const technology::Economics& economics,
                                     const std::optional<Product>& product) {
  if (!product) {
    return {economics.silicon_markup};
  }
  const Usd dies = product->cost.dies;
  if (economics.margin) {
    return {1.0 + *economics.margin / dies, economics.margin};
  }
  if (economics.one_silicon_markup) {
    return {economics.silicon_markup, dies * (economics.silicon_markup - 1.0)};
  }
  return technology::silicon_price_of(product->cost, product->price, economics.parts_markup);
}

}  // namespace

std::optional<technology::Ownership> Catalog::ownership(
    const technology::System& system, const technology::Economics& economics) const {
  const auto cost = making_of(*this, system.device, economics);
  if (!cost) {
    return std::nullopt;
  }
  const auto product = product_like(*this, *data_, system.device.priced_like);
  return technology::ownership_of(*cost, system, economics, asked_price(economics, product));
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
