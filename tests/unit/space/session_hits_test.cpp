// What caches of all sizes find of sessions: the law against a trace that is drawn of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "estimator/reuse/sessions.hpp"
#include "space/requests/prefix_reuse.hpp"

namespace scalesweep::space {
namespace {

using estimator::HitCurve;
using estimator::SessionLaw;
using estimator::TurnsLaw;

struct Turn {
  double time_s = 0.0;
  std::size_t session = 0;
  int number = 0;  // from 0
};

int drawn_turns(const SessionLaw& law, std::mt19937_64& random) {
  const auto mean = static_cast<int>(law.turns);
  return law.law == TurnsLaw::fixed ? mean
                                    : 1 + std::geometric_distribution<int>(1.0 / law.turns)(random);
}

// Sessions that begin at random, and whose answers take no time.
std::vector<SharingRequest> drawn(const SessionLaw& law, double request_rate, std::size_t sessions,
                                  std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> between(request_rate / law.turns);
  std::exponential_distribution<double> thinks(1.0 / law.think_s);
  std::vector<Turn> turns;
  double start_s = 0.0;
  for (std::size_t session = 0; session < sessions; ++session) {
    start_s += between(random);
    double time_s = start_s;
    const int count = drawn_turns(law, random);
    for (int number = 0; number < count; ++number) {
      turns.push_back({time_s, session, number});
      time_s += thinks(random);
    }
  }
  std::sort(turns.begin(), turns.end(),
            [](const Turn& a, const Turn& b) { return a.time_s < b.time_s; });
  std::vector<SharingRequest> requests;
  for (const Turn& turn : turns) {
    if (turn.time_s > start_s) {
      break;  // those that are left think among fewer
    }
    const double prompt = law.prompt + turn.number * (law.turn_tokens + law.output);
    const double said = turn.number == 0 ? law.shared : prompt - law.turn_tokens;
    requests.push_back({prompt, law.output, {{0, law.shared}, {turn.session + 1, said}}});
  }
  return requests;
}

HitCurve traced(const SessionLaw& law, double request_rate, std::size_t sessions) {
  HitCurve curve;
  for (const ReusePoint& point : reuse_curve(drawn(law, request_rate, sessions, 5))) {
    curve.points.push_back({point.tokens, point.share});
  }
  return curve;
}

constexpr double think_s = 20.0;

SessionLaw chats(double turns, TurnsLaw law) {
  return {.turns = turns,
          .law = law,
          .prompt = 1200.0,
          .output = 300.0,
          .turn_tokens = 100.0,
          .shared = 800.0,
          .think_s = think_s};
}

double largest_difference(const SessionLaw& law, double meanwhile) {
  const auto sessions = static_cast<std::size_t>(std::max(3000.0, 60.0 * meanwhile));
  const HitCurve exact = traced(law, meanwhile / think_s, sessions);
  const HitCurve curve = estimator::session_hits(law, meanwhile);
  double most = 0.0;
  for (double tokens = 500.0; tokens < 3e7; tokens *= 1.3) {
    most = std::max(most, std::fabs(curve.at(tokens) - exact.at(tokens)));
  }
  return most;
}

TEST(SessionHits, AreThoseOfATraceOfTheLaw) {
  for (const TurnsLaw law : {TurnsLaw::fixed, TurnsLaw::geometric}) {
    for (const double turns : {2.0, 6.0, 20.0}) {
      for (const double meanwhile : {10.0, 100.0, 400.0}) {
        const double most = largest_difference(chats(turns, law), meanwhile);
        fmt::print("{} {} turns, {} meanwhile: {:.3f}\n", estimator::turns_law_names[law], turns,
                   meanwhile, most);
        EXPECT_LT(most, meanwhile < 50.0 ? 0.12 : 0.03);
      }
    }
  }
}

// A cache of any size finds no more where more of others comes in between, and a larger one no
// less.
TEST(SessionHits, FallWithTheTimeToThinkAndRiseWithTheCache) {
  for (const TurnsLaw law : {TurnsLaw::fixed, TurnsLaw::geometric}) {
    for (double tokens = 500.0; tokens < 3e7; tokens *= 3.0) {
      double before = 1.0;
      for (const double meanwhile : {0.0, 1.0, 10.0, 100.0, 1000.0}) {
        const HitCurve curve = estimator::session_hits(chats(9.0, law), meanwhile);
        EXPECT_LE(curve.at(tokens), before + 1e-12);
        EXPECT_LE(curve.at(tokens), curve.at(2.0 * tokens));
        before = curve.at(tokens);
      }
    }
  }
}

// All that was said before, and of first turns what all begin with.
TEST(SessionHits, OfAnEndlessCacheAreAllThatWasSaid) {
  const HitCurve curve = estimator::session_hits(chats(4.0, TurnsLaw::fixed), 50.0);
  const double prompts = 1200.0 + 1600.0 + 2000.0 + 2400.0;
  EXPECT_NEAR(curve.at(1e12), (800.0 + 1500.0 + 1900.0 + 2300.0) / prompts, 1e-9);
  EXPECT_NEAR(curve.at(800.0), 4.0 * 800.0 / prompts, 1e-9);
}

}  // namespace
}  // namespace scalesweep::space
