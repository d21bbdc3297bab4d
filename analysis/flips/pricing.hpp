// What a million tokens of a row of a study cost under other assumptions, from the parts of its
// cost alone.
//
// Of what is bought, the part that a token uses up is price / (lifetime * utilization), times what
// renting adds, for the seconds of devices that the token takes; of the site
//
//   power * (facility_cost / facility_lifetime + delivery_cost / lifetime) / utilization
//
// for the power that must be there, that of servers in it. Energy costs its price at the wall, that
// of servers as long as devices are busy. So each part scales with each assumption, or with its
// inverse, and what a row costs under others follows without an estimate. The power of a server
// adds the same to all, and so does a margin that is a sum. Two are curves: dies cost what their
// yield makes of the density of defects, and capital what interest makes of its lifetime. Formulas
// of src/technology/cost.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "analysis/file/study_layout.hpp"
#include "analysis/flips/assumptions.hpp"

namespace scalesweep::analysis {

enum class CostPart { silicon, memory, package, network, server, facility, energy };
inline constexpr std::size_t cost_part_count = 7;

// USD and seconds of one device, of a million tokens.
struct PricedRow {
  std::array<double, cost_part_count> parts = {};
  double device_s = 0.0;
  double memory_bytes = 0.0;     // of a device
  double wafer_price_usd = 0.0;  // of its dies
  // What of the parts grows with the price of wafers, and what of the package with that of memory.
  double wafers = 0.0;
  double lost_memory = 0.0;
  // Of the defects that decide the yield of its dies; NaN: of several kinds of dies.
  double defect_density_per_m2 = std::numeric_limits<double>::quiet_NaN();
  double clustering = std::numeric_limits<double>::quiet_NaN();
  double defects = 0.0;         // that kill a die, over their clustering
  double perfect_wafers = 0.0;  // `wafers` if all dies were good
  // All of it with the maker's margin taken the other way; NaN: nothing tells.
  double by_other_margin = std::numeric_limits<double>::quiet_NaN();

  double cost() const { return std::accumulate(parts.begin(), parts.end(), 0.0); }
  double part(CostPart which) const { return parts[static_cast<std::size_t>(which)]; }
};

// Columns of the parts in their order, then those that tell the other members of a row; nothing for
// a study without them.
std::optional<std::vector<std::string>> pricing_columns(const StudyLayout& layout);
// From the values of these columns.
PricedRow priced_row(const std::vector<double>& values);

// USD per million tokens. What costs nothing under `from` costs nothing under others, but for the
// power of servers.
double cost_under(const PricedRow& row, const Assumptions& from, const Assumptions& to);

// With the part that grows with wafers and what decides it.
PricedRow with_defects(PricedRow row, double die_yield, double density_per_m2, double clustering);

// What is paid for a part of a device, or for a byte of memory, where the row is.
double price_here(const PricedRow& row, Assumption which, const Assumptions& assumed);

}  // namespace scalesweep::analysis
