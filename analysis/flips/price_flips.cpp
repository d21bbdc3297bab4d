#include "analysis/flips/price_flips.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace scalesweep::analysis {
namespace {

constexpr double rounding = 1e-6;
constexpr double equal = 1e-12;  // costs that are so near are no flip

// Cost as a + b u, where u is how many times what it is the assumption is, or the inverse of that.
struct Line {
  double a = 0.0;
  double b = 0.0;
};

Line line_of(const PricedRow& row, const Assumptions& assumed, const AssumptionRow& which) {
  const double once = cost_under(row, assumed, assumed);
  const double twice =
      cost_under(row, assumed, assumed.with(which.which, which.is_divisor ? 0.5 : 2.0));
  return {2.0 * once - twice, twice - once};
}

struct Interval {
  double low = 0.0;
  double high = std::numeric_limits<double>::infinity();
};

// Where the one costs no more than any of the others; low above high: nowhere.
Interval cheaper(const Line& one, const std::vector<Line>& others) {
  Interval where;
  for (const Line& other : others) {
    const double a = one.a - other.a;
    const double b = one.b - other.b;
    if (b > 0.0) {
      where.high = std::min(where.high, -a / b);
    } else if (b < 0.0) {
      where.low = std::max(where.low, -a / b);
    } else if (a > 0.0) {
      return {1.0, 0.0};
    }
  }
  return where;
}

// Where the assumption is `factor` times what it is.
struct Crossing {
  double factor = std::numeric_limits<double>::quiet_NaN();
  const ChoiceKey* choice = nullptr;
  const PricedPoint* point = nullptr;
};

// The nearest place above 1 and below it where another choice gets ahead.
struct Crossings {
  Crossing above;  // of `u`, until it is a factor
  Crossing below;

  void add(const Interval& where, const ChoiceKey& choice, const PricedPoint& point) {
    if (!(where.low <= where.high)) {
      return;
    }
    if (where.low > 1.0 && !(above.factor <= where.low)) {
      above = {where.low, &choice, &point};
    }
    if (where.high < 1.0 && where.high > 0.0 && !(below.factor >= where.high)) {
      below = {where.high, &choice, &point};
    }
  }
};

Crossings straight_crossings(const PricedChoices& choices, const ChoiceKey& winner,
                             const Assumptions& assumed, const AssumptionRow& which) {
  std::vector<Line> own;
  for (const PricedPoint& point : choices.at(winner)) {
    own.push_back(line_of(point.row, assumed, which));
  }
  Crossings result;
  for (const auto& [choice, points] : choices) {
    for (const PricedPoint& point : points) {
      if (choice != winner) {
        result.add(cheaper(line_of(point.row, assumed, which), own), choice, point);
      }
    }
  }
  if (which.is_divisor) {
    result.above.factor = 1.0 / result.above.factor;
    result.below.factor = 1.0 / result.below.factor;
  }
  return result;
}

// The cheapest of the others, and how much more than the winner it costs, where the assumption is
// `factor` times what it is.
struct Lead {
  Crossing other;
  double usd = 0.0;
};

Lead lead_at(double factor, const PricedChoices& choices, const ChoiceKey& winner,
             const Assumptions& assumed, Assumption which) {
  constexpr double none = std::numeric_limits<double>::infinity();
  const Assumptions changed = assumed.with(which, factor);
  double own = none;
  double others = none;
  Lead lead;
  for (const auto& [choice, points] : choices) {
    for (const PricedPoint& point : points) {
      const double cost = cost_under(point.row, assumed, changed);
      if (choice == winner) {
        own = std::min(own, cost);
      } else if (cost < others) {
        others = cost;
        lead.other = {factor, &choice, &point};
      }
    }
  }
  lead.usd = others - own * (1.0 - equal);
  return lead;
}

// The nearest place on one side: steps of the logarithm, of which the first with another winner is
// halved.
Crossing searched_crossing(double end, const PricedChoices& choices, const ChoiceKey& winner,
                           const Assumptions& assumed, Assumption which) {
  constexpr int steps = 32;
  constexpr int halvings = 48;
  const auto lead = [&](double place) {
    return lead_at(std::pow(end, place), choices, winner, assumed, which);
  };
  if (lead(0.0).usd < 0.0) {
    return {};  // by rounding alone
  }
  for (int step = 1; step <= steps; ++step) {
    double far = static_cast<double>(step) / steps;
    Lead found = lead(far);
    if (found.usd >= 0.0) {
      continue;
    }
    double near = static_cast<double>(step - 1) / steps;
    for (int halving = 0; halving < halvings; ++halving) {
      const double middle = 0.5 * (near + far);
      const Lead half = lead(middle);
      if (half.usd < 0.0) {
        far = middle;
        found = half;
      } else {
        near = middle;
      }
    }
    return found.other;
  }
  return {};
}

bool is_known(const PricedChoices& choices, const Assumptions& assumed, Assumption which) {
  return std::all_of(choices.begin(), choices.end(), [&](const auto& choice) {
    return std::all_of(choice.second.begin(), choice.second.end(), [&](const PricedPoint& point) {
      return std::isfinite(price_here(point.row, which, assumed));
    });
  });
}

Crossings crossings_of(const PricedChoices& choices, const ChoiceKey& winner,
                       const Assumptions& assumed, const AssumptionRow& which) {
  if (!is_curved(which.which, assumed)) {
    return straight_crossings(choices, winner, assumed, which);
  }
  if (!(assumed[which.which] > 0.0) || !is_known(choices, assumed, which.which)) {
    return {};
  }
  // Not beyond what it may be.
  const double most = std::min(widest_factor, which.most / assumed[which.which]);
  const auto to = [&](double end) {
    return searched_crossing(end, choices, winner, assumed, which.which);
  };
  return {most > 1.0 ? to(most) : Crossing{}, to(1.0 / widest_factor)};
}

bool is_allowed(const AssumptionRow& which, double value) {
  return value >= which.least && value <= which.most;
}

double distance(const BreakEven& one) {
  return std::fabs(std::log(one.at / one.value));
}

}  // namespace

void add_priced(std::vector<PricedPoint>& points, const PricedPoint& point) {
  const auto is_more = [](double a, double b) { return a > b + rounding * std::fabs(b); };
  const auto covers = [&](const PricedRow& a, const PricedRow& b) {
    for (std::size_t part = 0; part < cost_part_count; ++part) {
      if (is_more(a.parts[part], b.parts[part])) {
        return false;
      }
    }
    // With fewer defects of a die and less of perfect wafers, dies cost less at any density.
    const bool is_known = std::isfinite(a.clustering + b.clustering);
    if (is_known && (a.clustering != b.clustering || is_more(a.defects, b.defects) ||
                     is_more(a.perfect_wafers, b.perfect_wafers))) {
      return false;
    }
    return !is_more(a.device_s, b.device_s) && !is_more(a.wafers, b.wafers) &&
           !is_more(a.cost() - a.wafers, b.cost() - b.wafers) &&
           !is_more(a.lost_memory, b.lost_memory) && !is_more(a.by_other_margin, b.by_other_margin);
  };
  if (std::any_of(points.begin(), points.end(),
                  [&](const PricedPoint& one) { return covers(one.row, point.row); })) {
    return;
  }
  std::erase_if(points, [&](const PricedPoint& one) { return covers(point.row, one.row); });
  points.push_back(point);
}

std::vector<BreakEven> break_evens(const PricedChoices& choices, const ChoiceKey& winner,
                                   const Assumptions& assumed) {
  std::vector<BreakEven> result;
  const auto cheapest = [&](const PricedPoint& a, const PricedPoint& b) {
    return cost_under(a.row, assumed, assumed) < cost_under(b.row, assumed, assumed);
  };
  const std::vector<PricedPoint>& own = choices.at(winner);
  const PricedPoint& best = *std::min_element(own.begin(), own.end(), cheapest);
  for (const AssumptionRow& which : assumption_rows()) {
    if (!is_repriced(which.which, assumed)) {
      continue;
    }
    const Crossings found = crossings_of(choices, winner, assumed, which);
    for (const Crossing& crossing : {found.below, found.above}) {
      const double factor = crossing.factor;
      const double now = assumed[which.which];
      if (crossing.choice == nullptr || factor > widest_factor || factor < 1.0 / widest_factor ||
          !is_allowed(which, now * factor)) {
        continue;
      }
      const double value = price_here(best.row, which.which, assumed);
      result.push_back(
          {static_cast<std::int32_t>(which.which),
           value,
           value * factor,
           {*crossing.choice,
            cost_under(crossing.point->row, assumed, assumed.with(which.which, factor)),
            crossing.point->id}});
    }
  }
  std::stable_sort(result.begin(), result.end(), [](const BreakEven& a, const BreakEven& b) {
    return distance(a) < distance(b);
  });
  return result;
}

std::optional<OtherReading> by_other_margin(const PricedChoices& choices, const ChoiceKey& winner) {
  constexpr double none = std::numeric_limits<double>::infinity();
  OtherReading found = {{{}, none, -1}, none};
  for (const auto& [choice, points] : choices) {
    for (const PricedPoint& point : points) {
      const double cost = point.row.by_other_margin;  // none is less than what is not known
      if (cost < found.best.value) {
        found.best = {choice, cost, point.id};
      }
      if (choice == winner && cost < found.winner_cost) {
        found.winner_cost = cost;
      }
    }
  }
  return std::isfinite(found.winner_cost) ? std::optional(found) : std::nullopt;
}

std::vector<CostSwing> tornado(const PricedRow& row, const Assumptions& assumed) {
  std::vector<CostSwing> result;
  const double cost = cost_under(row, assumed, assumed);
  for (const AssumptionRow& which : assumption_rows()) {
    const double now = assumed[which.which];
    const double low = std::max(now / swing_factor, which.least) / now;
    const double high = std::min(swing_factor * now, which.most) / now;
    if (!(now > 0.0) || !is_repriced(which.which, assumed)) {
      continue;
    }
    const double value = price_here(row, which.which, assumed);
    if (!std::isfinite(value)) {
      continue;
    }
    result.push_back({static_cast<std::int32_t>(which.which), value, value * low, value * high,
                      cost, cost_under(row, assumed, assumed.with(which.which, low)),
                      cost_under(row, assumed, assumed.with(which.which, high))});
  }
  const auto swing = [](const CostSwing& one) { return std::fabs(one.cost_high - one.cost_low); };
  std::stable_sort(result.begin(), result.end(),
                   [&](const CostSwing& a, const CostSwing& b) { return swing(a) > swing(b); });
  return result;
}

}  // namespace scalesweep::analysis
