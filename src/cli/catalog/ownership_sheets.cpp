#include "cli/catalog/ownership_sheets.hpp"

#include <fmt/format.h>

#include "cli/catalog/derivation_sheets.hpp"
#include "study/step_price.hpp"

namespace scalesweep::cli {
namespace {

Cell money(double usd) {
  return {fmt::format("{:.4g} USD", usd), usd};
}
Cell carbon(double kg) {
  return {fmt::format("{:.4g} kgCO2e", kg), kg};
}

Sheet empty_sheet(std::string name, std::string title) {
  return {std::move(name),
          std::move(title),
          {{"name", "", Align::left},
           {"cost", "cost", Align::right},
           {"carbon", "carbon", Align::right}},
          {},
          true};
}

Sheet price_sheet(const technology::Ownership& own) {
  Sheet sheet = empty_sheet("price", "One device with all that is bought for it");
  sheet.rows = {{"device", money(own.device_price.si()), carbon(own.device.total_carbon().si())},
                {"networks", money(own.network_price.si()), Cell{"", nullptr}},
                {"share of a server", money(own.server_price.si()), carbon(own.server_carbon.si())},
                {"all", money(own.capital.si()), carbon(own.embodied.si())}};
  return sheet;
}

Sheet step_sheet(const study::StepPrice& price, double tokens) {
  Sheet sheet = empty_sheet("step_cost", "One step, whole system");
  const double millions = tokens * 1e-6;
  sheet.rows = {{"written off", money(price.written_off_usd), carbon(price.embodied_kg)},
                {"energy, servers included", money(price.energy_usd), carbon(price.operational_kg)},
                {"all", money(price.cost_usd()), carbon(price.carbon_kg())},
                {"for a million tokens", money(price.cost_usd() / millions),
                 carbon(price.carbon_kg() / millions)}};
  return sheet;
}

}  // namespace

void add_ownership_sheets(std::vector<Sheet>& sheets, const study::Point& point,
                          const estimator::TrainingEstimate& estimate) {
  if (!point.system.ownership) {
    return;
  }
  const technology::Ownership& own = *point.system.ownership;
  const double tokens = point.job.tokens;
  sheets.push_back(cost_sheet(own.device));
  sheets.back().title = "What making one device takes";
  sheets.push_back(price_sheet(own));
  sheets.push_back(step_sheet(
      study::step_price(own, estimate.step_time_s(), point.accelerators, estimate.energy.total_j()),
      tokens));
}

}  // namespace scalesweep::cli
