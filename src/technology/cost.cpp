#include "technology/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/contracts.hpp"

namespace scalesweep::technology {

double dies_per_wafer(Metres wafer_diameter, SquareMetres die_area) {
  SCALESWEEP_EXPECT(die_area.si() > 0.0);
  const double d = wafer_diameter.si();
  const double area = die_area.si();
  return std::max(
      0.0, std::numbers::pi * d * d / (4.0 * area) - std::numbers::pi * d / std::sqrt(2.0 * area));
}

double die_yield(const Process& process, SquareMetres die_area) {
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

DeviceCost device_cost(const Device& device, const Process& process, const MemoryTechnology& memory,
                       const Package& package) {
  DeviceCost cost;
  const double dies = device.dies;
  cost.dies_per_wafer = dies_per_wafer(process.wafer_diameter, device.die_area);
  cost.die_yield = die_yield(process, device.die_area);
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
  cost.package += (cost.dies + cost.memory + cost.package) * lost;
  cost.package_carbon = package.carbon + (cost.dies_carbon + cost.memory_carbon) * lost;
  return cost;
}

Ownership ownership_of(const DeviceCost& device, const System& system, const Economics& economics) {
  SCALESWEEP_EXPECT(economics.lifetime.si() > 0.0 && economics.utilization > 0.0);
  Ownership own;
  own.device = device;
  own.device_price = device.total() * economics.device_markup;
  own.network_price = (system.scale_up.cost + system.scale_out.cost) * economics.network_markup;
  own.server_price = economics.server_cost;
  own.server_carbon = economics.server_carbon;
  own.capital = own.device_price + own.network_price + own.server_price;
  own.embodied = device.total_carbon() + own.server_carbon;
  const double used_s = economics.lifetime.si() * economics.utilization;
  own.capital_usd_per_s = own.capital.si() / used_s;
  own.embodied_kg_per_s = own.embodied.si() / used_s;
  own.energy_usd_per_j = economics.energy_price.si() * economics.power_usage_effectiveness;
  own.energy_kg_per_j = economics.grid_carbon.si() * economics.power_usage_effectiveness;
  own.server_power_w = economics.server_power.si();
  return own;
}

}  // namespace scalesweep::technology
