// Capital cost and embodied carbon of a device and a system, and their rates over its life.
//
// Dies per wafer and negative binomial yield: Cunningham, "The use and evaluation of yield models
// in integrated circuit manufacturing", IEEE Trans. Semiconductor Manufacturing 3(2), 1990; Feng
// and Ma, "Chiplet Actuary" (DAC 2022) for packages. Carbon: Gupta et al., "ACT: Designing
// Sustainable Computer Systems with an Architectural Carbon Modeling Tool" (ISCA 2022). Facilities
// by the watt: Barroso, Hölzle and Ranganathan, "The Datacenter as a Computer" (3rd edition, 2018),
// chapter 6.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/enum_names.hpp"
#include "technology/economics.hpp"

namespace scalesweep::technology {

// Whole dies on a round wafer: pi d^2 / 4 A - pi d / sqrt(2 A). May be below 1: then none fits.
double dies_per_wafer(Metres wafer_diameter, SquareMetres die_area);

// (1 + A D0 / alpha)^-alpha over the area where a defect kills the die, but for a given yield.
double die_yield(const Process& process, SquareMetres die_area);

// `steps` steps beyond `last`, by what price, defects and carbon changed from `previous` to `last`.
Process extrapolate(const Process& last, const Process& previous, int steps);

// The same where a study assumes another price of a wafer, other defects or a yield, or another
// price of memory.
Process assumed(Process process, const Economics& economics);
MemoryTechnology assumed(MemoryTechnology memory, const Economics& economics);

// What making one device takes, before any markup.
struct DeviceCost {
  double die_yield = 1.0;
  std::optional<PerSquareMetre> defect_density = std::nullopt;  // that it follows from
  double clustering = 3.0;
  double dies_per_wafer = 0.0;
  Usd dies;           // all good dies of the device
  Usd memory;         // all stacks
  Usd package;        // carrier, assembly and what assembly loses
  double lost = 0.0;  // of dies, stacks and carrier, over what is kept
  Usd wafer_price;
  KilogramsCo2 dies_carbon;
  KilogramsCo2 memory_carbon;
  KilogramsCo2 package_carbon;

  Usd total() const { return dies + memory + package; }
  KilogramsCo2 total_carbon() const { return dies_carbon + memory_carbon + package_carbon; }
};
DeviceCost device_cost(const Device& device, const Process& process, const MemoryTechnology& memory,
                       const Package& package);

// What capital takes that is paid back in equal yearly sums over its life of n years, with an
// interest of r a year on what is not yet paid back, over what it takes without: n times the
// capital recovery factor r (1 + r)^n / ((1 + r)^n - 1)
// (en.wikipedia.org/wiki/Capital_recovery_factor, read on 30 November 2026: 0.163 a year at 10 %
// over 10 years). 1 at no interest.
double annuity_factor(double interest_per_year, Seconds lifetime);

// What is bought for an accelerator: its dies, memory and package, its share of networks and of a
// server, and of the site that all of them stand in, by the power that they take at most.
enum class Capital : std::uint8_t { silicon, memory, package, network, server, facility };
inline constexpr auto capital_names =
    enum_names<Capital>("silicon", "memory", "package", "network", "server", "facility");
inline constexpr std::size_t capital_count = capital_names.size();
constexpr std::string_view name_of(Capital part) {
  return capital_names[part];
}

// What the maker of a device asks for its dies, as a product that is sold says: by how much more
// than making them takes. Both are the same for that product, and differ for one with other dies.
struct SiliconPrice {
  double markup = 1.0;                       // over making them
  std::optional<Usd> margin = std::nullopt;  // beside it, of a device; nothing: no product says
};

// Of the cost of a device, what tells it under other assumptions: with the maker's margin taken the
// other way (a sum in place of a part, or a part in place of a sum), what grows with the price of
// wafers, and what is lost of memory in assembly, which the price of the package holds.
enum class Repricing : std::uint8_t { other_margin, wafers, lost_memory };
inline constexpr auto repricing_names =
    enum_names<Repricing>("other_margin", "wafers", "lost_memory");
inline constexpr std::size_t repricing_count = repricing_names.size();

// Of one accelerator of a system with everything that is bought for it, and what a step then costs:
// cost = capital_per_second * time * devices + energy * energy_price * PUE, carbon likewise.
struct Ownership {
  DeviceCost device;
  double silicon_markup = 1.0;                          // price of the dies over making them
  Watts power;                                          // that the site must be able to deliver
  std::array<Usd, capital_count> prices{};              // per accelerator
  std::array<double, capital_count> rates_usd_per_s{};  // of use, per accelerator
  // The same of Repricing, no further parts of the price; the first is the price of the dies then,
  // NaN where nothing tells.
  std::array<Usd, repricing_count> repricing{};
  std::array<double, repricing_count> repricing_usd_per_s{};
  KilogramsCo2 server_carbon;  // embodied, share of one accelerator
  KilogramsCo2 embodied;       // per accelerator
  double embodied_kg_per_s = 0.0;
  double energy_usd_per_j = 0.0;  // at the wall, PUE included
  double energy_kg_per_j = 0.0;
  double server_power_w = 0.0;  // beside the device, per accelerator

  Usd& price(Capital part) { return prices[static_cast<std::size_t>(part)]; }
  Usd price(Capital part) const { return prices[static_cast<std::size_t>(part)]; }
  Usd& repriced(Repricing what) { return repricing[static_cast<std::size_t>(what)]; }
  Usd repriced(Repricing what) const { return repricing[static_cast<std::size_t>(what)]; }
  Usd device_price() const;
  Usd capital() const;               // all of `prices`
  double capital_usd_per_s() const;  // all of `rates_usd_per_s`
};

// What the price of a device says of its dies: `price` less what its memory and package are sold
// at, over making the dies and less it; 1 and 0 at least.
SiliconPrice silicon_price_of(const DeviceCost& device, Usd price, double parts_markup);

// Power that is there for one accelerator whether it is drawn or not: the design power of the
// device, its share of a server, and what the networks take beside the device at their full rate.
Watts critical_power(const System& system, const Economics& economics);

Ownership ownership_of(const DeviceCost& device, const System& system, const Economics& economics,
                       const SiliconPrice& asked);

}  // namespace scalesweep::technology
