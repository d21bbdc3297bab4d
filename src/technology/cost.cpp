#include "technology/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/contracts.hpp"

namespace scalesweep::technology {
namespace {

constexpr double year_s = 365.25 * 86400.0;

}  // namespace

double dies_per_wafer(Metres wafer_diameter, SquareMetres die_area) {
  SCALESWEEP_EXPECT(die_area.si() > 0.0);
  const double d = wafer_diameter.si();
  const double area = die_area.si();
  return std::max(
      0.0, std::numbers::pi * d * d / (4.0 * area) - std::numbers::pi * d / std::sqrt(2.0 * area));
}

double die_yield(const Process& process, SquareMetres die_area) {
  if (process.die_yield) {
    return *process.die_yield;
  }
  const double defects =
      die_area.si() * (1.0 - process.repairable_share) * process.defect_density.si();
  return std::pow(1.0 + defects / process.clustering, -process.clustering);
}

Process extrapolate(const Process& last, const Process& previous, int steps) {
  Process process = last;
  process.name += fmt::format("+{}", steps);
  process.wafer_price *= std::pow(last.wafer_price / previous.wafer_price, steps);
  process.defect_density *= std::pow(last.defect_density / previous.defect_density, steps);
  process.carbon *= std::pow(last.carbon / previous.carbon, steps);
  return process;
}

Process assumed(Process process, const Economics& economics) {
  process.wafer_price = economics.wafer_price.value_or(process.wafer_price);
  process.defect_density = economics.defect_density.value_or(process.defect_density);
  process.die_yield = economics.die_yield;
  return process;
}

// Parts are marked up once more when they are sold.
MemoryTechnology assumed(MemoryTechnology memory, const Economics& economics) {
  if (economics.memory_price) {
    memory.cost = *economics.memory_price / economics.parts_markup;
  } else if (economics.memory_markup) {
    memory.cost *= *economics.memory_markup / economics.parts_markup;
  }
  return memory;
}

DeviceCost device_cost(const Device& device, const Process& process, const MemoryTechnology& memory,
                       const Package& package) {
  DeviceCost cost;
  const double dies = device.dies;
  cost.dies_per_wafer = dies_per_wafer(process.wafer_diameter, device.die_area);
  cost.die_yield = die_yield(process, device.die_area);
  if (!process.die_yield) {
    cost.defect_density = process.defect_density;
  }
  cost.clustering = process.clustering;
  const double radius_m = process.wafer_diameter.si() / 2.0;
  const SquareMetres wafer = SquareMetres::si(std::numbers::pi * radius_m * radius_m);
  // A wafer that is one device (wafer scale) is shared by the fields it is cut or stitched into.
  const double good = std::max(cost.dies_per_wafer, 1.0) * cost.die_yield;
  cost.dies = process.wafer_price * (dies / good);
  cost.dies_carbon = process.carbon * wafer * (dies / good);
  cost.memory = memory.cost * device.dram.capacity;
  cost.memory_carbon = memory.carbon * device.dram.capacity;
  // What is lost in assembly takes dies and stacks with it.
  const double placed = dies + (memory.package_area.si() > 0.0 ? device.stacks : 0);
  const double lost = 1.0 / std::pow(package.assembly_yield, placed) - 1.0;
  const SquareMetres carrier =
      device.die_area * dies + memory.package_area * static_cast<double>(device.stacks);
  cost.package = package.cost * carrier + package.assembly * placed;
  cost.lost = lost;
  cost.wafer_price = process.wafer_price;
  cost.package += (cost.dies + cost.memory + cost.package) * lost;
  cost.package_carbon = package.carbon + (cost.dies_carbon + cost.memory_carbon) * lost;
  return cost;
}

double annuity_factor(double interest_per_year, Seconds lifetime) {
  SCALESWEEP_EXPECT(interest_per_year >= 0.0 && lifetime.si() > 0.0);
  const double years = lifetime.si() / year_s;
  return interest_per_year > 0.0
             ? interest_per_year * years / -std::expm1(-years * std::log1p(interest_per_year))
             : 1.0;
}

Usd Ownership::device_price() const {
  return price(Capital::silicon) + price(Capital::memory) + price(Capital::package);
}

Usd Ownership::capital() const {
  return std::accumulate(prices.begin(), prices.end(), Usd{});
}

double Ownership::capital_usd_per_s() const {
  return std::accumulate(rates_usd_per_s.begin(), rates_usd_per_s.end(), 0.0);
}

SiliconPrice silicon_price_of(const DeviceCost& device, Usd price, double parts_markup) {
  const Usd silicon = price - (device.memory + device.package) * parts_markup;
  return {std::max(1.0, silicon / device.dies), std::max(Usd{}, silicon - device.dies)};
}

Watts critical_power(const System& system, const Economics& economics) {
  const auto beside = [](const Network& network) {
    return network.bandwidth * (network.energy - network.device_energy);
  };
  const RestPower rest = rest_power(system);
  return system.device.thermal_design_power + economics.server_power + beside(system.scale_up()) +
         beside(system.scale_out()) + rest.inside + rest.beyond;
}

namespace {

// Dies by what their maker asks, or by what a given price leaves for them.
void price_dies(const Economics& economics, const SiliconPrice& asked, Ownership& own) {
  const Usd dies = own.device.dies;
  const Usd by_part = dies * asked.markup;
  Usd& silicon = own.price(Capital::silicon);
  Usd& otherwise = own.repriced(Repricing::other_margin);
  if (economics.device_price) {
    silicon = otherwise =
        *economics.device_price - own.price(Capital::memory) - own.price(Capital::package);
  } else {
    // Nothing tells the one of the other where there is no product.
    const Usd nothing = Usd::si(std::numeric_limits<double>::quiet_NaN());
    const Usd by_sum = dies + economics.margin.value_or(asked.margin.value_or(nothing));
    silicon = economics.margin ? by_sum : by_part;
    otherwise = !asked.margin ? nothing : economics.margin ? by_part : by_sum;
  }
  const bool is_by_part = !economics.device_price && !economics.margin;
  own.silicon_markup = is_by_part ? asked.markup : silicon / dies;
}

void price_device(const Economics& economics, const SiliconPrice& asked, Ownership& own) {
  const DeviceCost& device = own.device;
  own.price(Capital::memory) = device.memory * economics.parts_markup;
  own.price(Capital::package) =
      economics.package_price.value_or(device.package * economics.parts_markup);
  const Usd parts = own.price(Capital::memory) + own.price(Capital::package);
  if (economics.device_price && *economics.device_price < parts) {
    own.price(Capital::memory) *= *economics.device_price / parts;
    own.price(Capital::package) = *economics.device_price - own.price(Capital::memory);
  }
  price_dies(economics, asked, own);
  // A given price of a device says what all of it is sold for, one of a package what it loses, too.
  if (economics.device_price) {
    return;
  }
  const double lost = economics.package_price ? 0.0 : device.lost * economics.parts_markup;
  own.repriced(Repricing::wafers) =
      (economics.margin ? device.dies : own.price(Capital::silicon)) + device.dies * lost;
  own.repriced(Repricing::lost_memory) = device.memory * lost;
}

}  // namespace

Ownership ownership_of(const DeviceCost& device, const System& system, const Economics& economics,
                       const SiliconPrice& asked) {
  SCALESWEEP_EXPECT(economics.lifetime.si() > 0.0 && economics.utilization > 0.0);
  SCALESWEEP_EXPECT(economics.facility_lifetime.si() > 0.0);
  Ownership own;
  own.device = device;
  own.power = critical_power(system, economics);
  price_device(economics, asked, own);
  Usd links;
  for (const LinkLevel& level : system.levels) {
    links += level.link.cost;
  }
  own.price(Capital::network) = links * economics.network_markup;
  own.price(Capital::server) = economics.server_cost;
  own.server_carbon = economics.server_carbon;
  own.embodied = device.total_carbon() + own.server_carbon;
  const double used_s = economics.lifetime.si() * economics.utilization;
  const double annuity = annuity_factor(economics.interest, economics.lifetime);
  for (std::size_t part = 0; part < capital_count; ++part) {
    own.rates_usd_per_s[part] = own.prices[part].si() / used_s * annuity * economics.rental_markup;
  }
  for (std::size_t what = 0; what < repricing_count; ++what) {
    own.repricing_usd_per_s[what] =
        own.repricing[what].si() / used_s * annuity * economics.rental_markup;
  }
  const Usd site = economics.facility_cost * own.power;
  const Usd delivery = economics.delivery_cost * own.power;
  const double site_used_s = economics.facility_lifetime.si() * economics.utilization;
  own.price(Capital::facility) = site + delivery;
  own.rates_usd_per_s[static_cast<std::size_t>(Capital::facility)] =
      (site.si() / site_used_s * annuity_factor(economics.interest, economics.facility_lifetime) +
       delivery.si() / used_s * annuity) *
      economics.rental_markup;
  own.embodied_kg_per_s = own.embodied.si() / used_s;
  own.energy_usd_per_j = economics.energy_price.si() * economics.power_usage_effectiveness;
  own.energy_kg_per_j = economics.grid_carbon.si() * economics.power_usage_effectiveness;
  own.server_power_w = economics.server_power.si();
  return own;
}

}  // namespace scalesweep::technology
