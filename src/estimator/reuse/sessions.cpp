#include "estimator/reuse/sessions.hpp"

#include <algorithm>
#include <cmath>

#include "estimator/reuse/hit_curve.hpp"

namespace scalesweep::estimator {
namespace {

constexpr int later_groups = 7;      // of turns, behind the first turn
constexpr int think_quantiles = 64;  // of the time to think

// Shares of all requests: turns from the i-th on, the first being 1, and the sum of their numbers.
struct Turns {
  TurnsLaw law;
  double mean;

  double goes_on() const { return 1.0 - 1.0 / mean; }  // geometric
  double from(double i) const {
    return law == TurnsLaw::fixed ? std::max(0.0, mean + 1.0 - i) / mean
                                  : std::pow(goes_on(), i - 1.0);
  }
  double numbers_from(double i) const {
    return law == TurnsLaw::fixed
               ? std::max(0.0, mean * (mean + 1.0) - i * (i - 1.0)) / (2.0 * mean)
               : from(i) * (i + mean - 1.0);
  }
  // The first turn from which on there are at most so many.
  double first_beyond(double share) const {
    constexpr double rounding = 1e-9;
    return std::ceil((law == TurnsLaw::fixed ? mean + 1.0 - share * mean
                                             : 1.0 + std::log(share) / std::log(goes_on())) -
                     rounding);
  }
};

double prompt_of(const SessionLaw& sessions, double turn) {
  return sessions.prompt + (turn - 1.0) * (sessions.turn_tokens + sessions.output);
}

}  // namespace

std::vector<TurnGroup> turn_groups(const SessionLaw& sessions) {
  const Turns turns = {sessions.law, sessions.turns};
  std::vector<double> begins = {1.0};
  const double later = turns.from(2.0);
  for (int i = 0; i < later_groups && later > 0.0; ++i) {
    const double begin = turns.first_beyond(later * (1.0 - static_cast<double>(i) / later_groups));
    if (begin > begins.back() && turns.from(begin) > 0.0) {
      begins.push_back(begin);
    }
  }
  std::vector<TurnGroup> groups;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const bool last = i + 1 == begins.size();
    const double begin = begins[i];
    const double end = last ? 0.0 : begins[i + 1];
    const double share = turns.from(begin) - (last ? 0.0 : turns.from(end));
    const double numbers = turns.numbers_from(begin) - (last ? 0.0 : turns.numbers_from(end));
    const double followed = turns.from(begin + 1.0) - (last ? 0.0 : turns.from(end + 1.0));
    groups.push_back({share, prompt_of(sessions, numbers / share), followed / share});
  }
  return groups;
}

HitCurve session_hits(const SessionLaw& sessions, double meanwhile) {
  const std::vector<TurnGroup> groups = turn_groups(sessions);
  // What a request leaves of its session, and what of that another turn takes up again.
  double prompts = 0.0, left = 0.0, taken_up = 0.0;
  for (const TurnGroup& group : groups) {
    const double own = group.prompt + sessions.output - sessions.shared;
    prompts += group.share * group.prompt;
    left += group.share * own;
    taken_up += group.share * group.follows * own;
  }
  std::vector<Reuse> reuses = {{0.0, sessions.shared, 1.0}};
  for (int i = 0; i < think_quantiles; ++i) {
    const double fraction = (i + 0.5) / think_quantiles;
    const double thought = -std::log(1.0 - fraction);  // over its mean
    // Distinct tokens that others have left since: of those that have not come back, the integral
    // of 1 - follows x (1 - exp(-age)) over their age.
    const double others = meanwhile * (left * thought - taken_up * (thought - fraction));
    for (const TurnGroup& group : groups) {
      const double own = group.prompt + sessions.output - sessions.shared;
      reuses.push_back(
          {sessions.shared + others, own, group.share * group.follows / think_quantiles});
    }
  }
  return hit_curve_of(reuses, prompts);
}

}  // namespace scalesweep::estimator
