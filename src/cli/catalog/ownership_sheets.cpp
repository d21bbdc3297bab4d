#include "cli/catalog/ownership_sheets.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "cli/catalog/derivation_sheets.hpp"
#include "study/evaluate/job_figures.hpp"
#include "study/step_price.hpp"

namespace scalesweep::cli {
namespace {

Cell money(double usd) {
  return {fmt::format("{:.4g} USD", usd), usd};
}
Cell carbon(double kg) {
  return {fmt::format("{:.4g} kgCO2e", kg), kg};
}

Cell share_of_cost(double share) {
  return {fmt::format("{:.1f} %", 100.0 * share), share};
}

constexpr std::array<std::string_view, technology::capital_count> part_titles = {
    "dies",
    "memory",
    "package and assembly",
    "networks",
    "share of a server",
    "site, by the power"};

Sheet period_sheet(const study::StepPrice& price, const std::string& period, double work_units,
                   const study::WorkUnit& unit) {
  Sheet sheet{"step_cost",
              period + ", whole system",
              {{"name", "", Align::left},
               {"cost", "cost", Align::right},
               {fmt::format("per_million_{}", unit.many), fmt::format("a million {}", unit.many),
                Align::right},
               {"share", "share", Align::right},
               {"carbon", "carbon", Align::right}},
              {},
              true};
  const double millions = work_units * 1e-6;
  const auto add = [&](std::string_view name, double usd, Cell kilograms) {
    sheet.rows.push_back({std::string(name), money(usd), money(usd / millions),
                          share_of_cost(usd / price.cost_usd()), std::move(kilograms)});
  };
  for (std::size_t part = 0; part < part_titles.size(); ++part) {
    add(part_titles[part], price.parts_usd[part], Cell{"", nullptr});
  }
  add("energy, servers included", price.energy_usd, carbon(price.operational_kg));
  add("all", price.cost_usd(), carbon(price.carbon_kg()));
  return sheet;
}

}  // namespace

Sheet price_sheet(const technology::Ownership& own) {
  Sheet sheet{"price",
              "One device with all that is bought for it",
              {{"name", "", Align::left},
               {"cost", "price", Align::right},
               {"carbon", "carbon", Align::right}},
              {},
              true};
  const auto price = [&own](technology::Capital part) { return money(own.price(part).si()); };
  sheet.rows = {
      {"device", money(own.device_price().si()), carbon(own.device.total_carbon().si())},
      {"networks", price(technology::Capital::network), Cell{"", nullptr}},
      {"share of a server", price(technology::Capital::server), carbon(own.server_carbon.si())},
      {fmt::format("site for {:.4g} W", own.power.si()), price(technology::Capital::facility),
       Cell{"", nullptr}},
      {"all", money(own.capital().si()), carbon(own.embodied.si())}};
  return sheet;
}

void add_ownership_sheets(std::vector<Sheet>& sheets, const study::Study& study,
                          const study::Point& point, const Period& period) {
  const double work_units = period.work_units.value_or(point.job.work_units);
  if (!point.system.ownership || work_units <= 0.0 || std::isnan(period.seconds)) {
    return;
  }
  const technology::Ownership& own = *point.system.ownership;
  sheets.push_back(cost_sheet(own));
  sheets.push_back(price_sheet(own));
  study::JobFigures figures = study::figures_of(point.job, point.system, point.accelerators);
  figures.prefill_devices = period.prefill_devices;
  sheets.push_back(period_sheet(study::price_of(figures, period.seconds, period.energy_j),
                                period.name, work_units, study.kind().unit));
}

}  // namespace scalesweep::cli
