#include "cli/recommend/devices/budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/recommend/devices/numbers.hpp"
#include "config/quantity_text.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"
#include "technology/cost.hpp"

namespace scalesweep::cli {
namespace {

constexpr std::int64_t most_devices = std::int64_t{1} << 20U;

// Of one of so many: networks of more devices have more hops.
double share_of_one(const Budget& budget, const std::string& device, const std::string& network,
                    const catalog::Catalog& catalog, std::int64_t devices) {
  catalog::CataloguedSystem choice = catalog.usual_system(device);
  if (!network.empty()) {
    choice.scale_out = network;
  }
  choice.endpoints = static_cast<double>(devices);
  const technology::System system = catalog.catalogued_system(choice);
  if (budget.of == BudgetOf::power) {
    return technology::critical_power(system, catalog.economics()).si();
  }
  const auto ownership = catalog.ownership(system, catalog.economics());
  if (!ownership) {
    throw Failure(ExitCode::usage,
                  fmt::format("--budget: the catalog does not know what a {} costs; give --devices "
                              "N, or a budget of power such as \"500 kW\"",
                              device));
  }
  return ownership->capital().si();
}

std::string amount_text(BudgetOf of, double amount) {
  return of == BudgetOf::power ? config::quantity_text(amount, config::Dimension::watts)
                               : with_thousands(static_cast<std::int64_t>(amount)) + " USD";
}

}  // namespace

Budget parse_budget(const std::string& text) {
  if (const auto watts = config::parse_quantity(text, config::Dimension::watts);
      watts.si && *watts.si > 0.0) {
    return {BudgetOf::power, *watts.si};
  }
  if (const auto usd = config::parse_quantity(text, config::Dimension::usd);
      usd.si && *usd.si > 0.0) {
    return {BudgetOf::money, *usd.si};
  }
  throw Failure(ExitCode::usage,
                fmt::format("--budget {}: no power and no price; write one as \"500 kW\" or "
                            "\"2 MUSD\"",
                            text));
}

Affordable affordable(const Budget& budget, const std::string& device, const std::string& network,
                      const catalog::Catalog& catalog) {
  const auto fits = [&](std::int64_t devices) {
    return static_cast<double>(devices) * share_of_one(budget, device, network, catalog, devices) <=
           budget.amount;
  };
  std::int64_t most = 0;
  for (std::int64_t step = most_devices; step > 0; step /= 2) {
    most += most + step <= most_devices && fits(most + step) ? step : 0;
  }
  if (most == 0) {
    throw Failure(
        ExitCode::usage,
        fmt::format("--budget: one {} takes {} with its share of servers and networks, and the "
                    "budget is {}",
                    device,
                    amount_text(budget.of, share_of_one(budget, device, network, catalog, 1)),
                    amount_text(budget.of, budget.amount)));
  }
  Affordable result;
  result.most = most;
  result.each = share_of_one(budget, device, network, catalog, most);
  const std::set<std::int64_t> counts = {round_number(most),
                                         smooth_number(most, server_size(device, catalog))};
  result.counts = {device, {counts.begin(), counts.end()}};
  std::vector<std::string> tried;
  for (const std::int64_t count : counts) {
    tried.push_back(with_thousands(count));
  }
  result.words = fmt::format("{} allow {} {} of {} each with servers{} and networks; tried {}",
                             amount_text(budget.of, budget.amount), with_thousands(most), device,
                             amount_text(budget.of, result.each),
                             budget.of == BudgetOf::money ? ", site" : "", join(tried, " and "));
  return result;
}

}  // namespace scalesweep::cli
