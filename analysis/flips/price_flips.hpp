// Where another choice costs less: the break-even of each assumption, from the rows of the file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/flips/assumptions.hpp"
#include "analysis/flips/pricing.hpp"
#include "analysis/verdict/search.hpp"

namespace scalesweep::analysis {

struct PricedPoint {
  std::int64_t id = -1;
  PricedRow row;
};

// Of each choice of a question the points of which none costs more in every part and takes more
// time: whatever is assumed, the cheapest is among them.
using PricedChoices = std::map<ChoiceKey, std::vector<PricedPoint>>;

// Adds a point to those of its choice. Differences of rounding, 1e-6 of a part, are none.
void add_priced(std::vector<PricedPoint>& points, const PricedPoint& point);

// The values of each assumption, below and above what it is and within a factor of `widest_factor`
// of it, beyond which the cheapest point of another choice costs less than all of `winner`.
// Nearest first, by the factor.
inline constexpr double widest_factor = 10.0;
std::vector<BreakEven> break_evens(const PricedChoices& choices, const ChoiceKey& winner,
                                   const Assumptions& assumed);

// The cheapest choice with the maker's margin taken the other way, and what the winner costs so;
// nothing where nothing tells.
struct OtherReading {
  ChosenBest best;
  double winner_cost = 0.0;
};
std::optional<OtherReading> by_other_margin(const PricedChoices& choices, const ChoiceKey& winner);

// Of one point: each assumption halved and doubled (swing_factor), as far as it may be. The largest
// difference first.
inline constexpr double swing_factor = 2.0;
std::vector<CostSwing> tornado(const PricedRow& row, const Assumptions& assumed);

}  // namespace scalesweep::analysis
