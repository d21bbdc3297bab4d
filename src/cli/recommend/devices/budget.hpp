// How many devices a budget of power or money allows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "cli/recommend/question.hpp"

namespace scalesweep::cli {

enum class BudgetOf { power, money };

struct Budget {
  BudgetOf of = BudgetOf::power;
  double amount = 0.0;  // W or USD
};

// "500 kW", "2 MUSD". Throws Failure(usage).
Budget parse_budget(const std::string& text);

struct Affordable {
  std::int64_t most = 0;  // devices that the budget allows
  double each = 0.0;    // W or USD of one, with its share of servers, networks and, of money, site
  DeviceCounts counts;  // that are tried: the largest smooth_number and round_number
  std::string words;    // all this in a sentence
};

// Of a device of the catalog with its usual links, or another network where one is named: power is
// what the site must deliver (technology::critical_power), money is capital at the catalog's
// default assumptions. Throws Failure(usage) where not one fits or its price is not known.
Affordable affordable(const Budget& budget, const std::string& device, const std::string& network,
                      const catalog::Catalog& catalog);

}  // namespace scalesweep::cli
