#include "analysis/flips/pricing.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/file/columns.hpp"
#include "technology/cost.hpp"

namespace scalesweep::analysis {
namespace {

using enum Assumption;

constexpr std::array<const char*, cost_part_count> part_names = {
    "silicon", "memory", "package", "network", "server", "facility", "energy"};

// USD per second of what is written off over its life, by USD that it costs at once.
double written_off(const Assumptions& a, Assumption life) {
  return technology::annuity_factor(a[interest], Seconds::si(a[life])) / a[life];
}

// Of what is bought for a device, by which a second of it costs.
double rate_of(const Assumptions& a) {
  return written_off(a, lifetime) * a[rental_markup] / a[utilization];
}

// USD per second and watt that the site must be able to deliver.
double site_rate(const Assumptions& a) {
  return (a[facility_cost] * written_off(a, facility_lifetime) +
          a[delivery_cost] * written_off(a, lifetime)) *
         a[rental_markup] / a[utilization];
}

// USD per joule of devices and servers.
double energy_rate(const Assumptions& a) {
  return a[energy_price] * a[power_usage_effectiveness];
}

double ratio(double to, double from) {
  return from > 0.0 ? to / from : 0.0;
}

// What the part that grows with wafers becomes.
double wafers_under(const PricedRow& row, const Assumptions& from, const Assumptions& to) {
  const double price = ratio(to[wafer_price], from[wafer_price]);
  if (to.is_yield_given) {
    return row.wafers * price * from[die_yield] / to[die_yield];
  }
  const double defects = ratio(to[defect_density], from[defect_density]);
  return defects == 1.0
             ? row.wafers * price
             : row.perfect_wafers * price * std::pow(1.0 + defects * row.defects, row.clustering);
}

}  // namespace

std::optional<std::vector<std::string>> pricing_columns(const StudyLayout& layout) {
  std::vector<std::string> columns;
  const auto add = [&](std::string_view role, std::string_view of) {
    const store::Column* const column = column_with(layout.schema, role, of);
    columns.push_back(column == nullptr ? "" : column->name);
    return column != nullptr;
  };
  bool is_known = true;
  for (const char* const part : part_names) {
    is_known = add(role::cost_of, part) && is_known;
  }
  // Of services with pools the tokens of a device of all of them.
  const bool is_of_one = column_with(layout.schema, role::device_throughput) != nullptr;
  is_known = add(is_of_one ? role::device_throughput : role::throughput, "") && is_known;
  for (const std::string_view role :
       {role::capacity, role::wafer_price, role::of_wafers, role::of_lost_memory,
        role::by_other_margin, role::die_yield, role::defect_density, role::defect_clustering}) {
    is_known = add(role, "") && is_known;
  }
  if (!is_of_one) {
    is_known = add(role::devices, "") && is_known;
  }
  return is_known ? std::optional(columns) : std::nullopt;
}

PricedRow priced_row(const std::vector<double>& values) {
  constexpr double million = 1e6;
  constexpr std::size_t others = 9;
  PricedRow row;
  std::copy_n(values.begin(), cost_part_count, row.parts.begin());
  const double* other = values.data() + cost_part_count;
  const bool is_of_one = values.size() == cost_part_count + others;
  row.device_s = million * (is_of_one ? 1.0 : values.back()) / other[0];
  row.memory_bytes = other[1];
  row.wafer_price_usd = other[2];
  row.wafers = other[3];
  row.lost_memory = other[4];
  row.by_other_margin = other[5];
  return with_defects(row, other[6], other[7], other[8]);
}

PricedRow with_defects(PricedRow row, double die_yield, double density_per_m2, double clustering) {
  row.defect_density_per_m2 = density_per_m2;
  if (std::isfinite(density_per_m2)) {
    row.clustering = clustering;
    row.defects = std::pow(die_yield, -1.0 / clustering) - 1.0;
    row.perfect_wafers = row.wafers * die_yield;
  }
  return row;
}

double cost_under(const PricedRow& row, const Assumptions& from, const Assumptions& to) {
  const double bought = rate_of(to) / rate_of(from);
  const double server_w = (to[server_power] - from[server_power]) * row.device_s;
  double cost = 0.0;
  cost += row.part(CostPart::silicon) * ratio(to[silicon_price], from[silicon_price]) * bought;
  cost += row.part(CostPart::memory) * ratio(to[memory_price], from[memory_price]) * bought;
  cost += row.part(CostPart::package) * ratio(to[package_price], from[package_price]) * bought;
  cost += row.lost_memory * (ratio(to[memory_price], from[memory_price]) - 1.0) * bought;
  cost += (wafers_under(row, from, to) - row.wafers) * bought;
  cost += (to[margin] - from[margin]) * rate_of(to) * row.device_s;
  cost += row.part(CostPart::network) * ratio(to[network_markup], from[network_markup]) * bought;
  cost += row.part(CostPart::server) * ratio(to[server_cost], from[server_cost]) * bought;
  cost += row.part(CostPart::facility) * ratio(site_rate(to), site_rate(from)) +
          server_w * site_rate(to);
  cost += row.part(CostPart::energy) * ratio(energy_rate(to), energy_rate(from)) +
          server_w * energy_rate(to);
  return cost;
}

double price_here(const PricedRow& row, Assumption which, const Assumptions& assumed) {
  const double devices = rate_of(assumed) * row.device_s;
  switch (which) {
    case silicon_price:
      return row.part(CostPart::silicon) / devices;
    case memory_price:
      return row.part(CostPart::memory) / (devices * row.memory_bytes);
    case wafer_price:
      return row.wafer_price_usd;
    case defect_density:
      return row.defect_density_per_m2;
    case package_price:
      return row.part(CostPart::package) / devices;
    default:
      return assumed[which];
  }
}

}  // namespace scalesweep::analysis
