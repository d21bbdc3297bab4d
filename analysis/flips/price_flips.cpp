#include "analysis/flips/price_flips.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace scalesweep::analysis {
namespace {

constexpr double rounding = 1e-6;

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

struct Crossing {
  double u = std::numeric_limits<double>::quiet_NaN();
  const ChoiceKey* choice = nullptr;
  const PricedPoint* point = nullptr;
};

// The nearest place above 1 and below it where another choice gets ahead.
struct Crossings {
  Crossing above;
  Crossing below;

  void add(const Interval& where, const ChoiceKey& choice, const PricedPoint& point) {
    if (!(where.low <= where.high)) {
      return;
    }
    if (where.low > 1.0 && !(above.u <= where.low)) {
      above = {where.low, &choice, &point};
    }
    if (where.high < 1.0 && where.high > 0.0 && !(below.u >= where.high)) {
      below = {where.high, &choice, &point};
    }
  }
};

Crossings crossings_of(const PricedChoices& choices, const ChoiceKey& winner,
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
  return result;
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
      const double factor = which.is_divisor ? 1.0 / crossing.u : crossing.u;
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
    const double low = std::max(0.5 * now, which.least) / now;
    const double high = std::min(2.0 * now, which.most) / now;
    if (!(now > 0.0) || !is_repriced(which.which, assumed)) {
      continue;
    }
    const double value = price_here(row, which.which, assumed);
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
