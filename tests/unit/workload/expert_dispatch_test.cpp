// Places that a token goes to, against draws of tokens one by one.
#include "workload/feed_forward/expert_dispatch.hpp"
#include "workload/model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace scalesweep::workload {
namespace {

struct Spread {
  int count, top_k, groups, limit, parts;
};

Experts experts_of(const Spread& spread) {
  Experts experts;
  experts.count = spread.count;
  experts.top_k = spread.top_k;
  experts.groups = spread.groups;
  experts.node_limit = spread.limit;
  return experts;
}

std::vector<int> numbers_to(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Experts of one token, of the best scores; with a limit in the groups of the best sums of two
// scores (DeepSeek-V3, arXiv:2412.19437, section 2.1.2).
std::vector<int> chosen(const Spread& spread, std::mt19937_64& random) {
  std::vector<double> scores;
  for (int i = 0; i < spread.count; ++i) {
    scores.push_back(std::normal_distribution<>()(random));
  }
  const int groups = std::max(1, spread.groups);
  const int each = spread.count / groups;
  const auto group_score = [&](int group) {
    std::vector<double> own(scores.begin() + group * each, scores.begin() + (group + 1) * each);
    std::sort(own.rbegin(), own.rend());
    return own[0] + own[1];
  };
  std::vector<int> best = numbers_to(groups);
  std::sort(best.begin(), best.end(),
            [&](int a, int b) { return group_score(a) > group_score(b); });
  best.resize(static_cast<std::size_t>(spread.limit > 0 ? spread.limit : groups));
  std::vector<int> pool;
  for (const int expert : numbers_to(spread.count)) {
    if (std::find(best.begin(), best.end(), expert / each) != best.end()) {
      pool.push_back(expert);
    }
  }
  std::sort(pool.begin(), pool.end(), [&](int a, int b) {
    return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
  });
  pool.resize(static_cast<std::size_t>(spread.top_k));
  return pool;
}

double mean_parts(const Spread& spread) {
  std::mt19937_64 random(7);
  constexpr int tokens = 1000;
  double sum = 0.0;
  for (int token = 0; token < tokens; ++token) {
    std::set<int> parts;
    for (const int expert : chosen(spread, random)) {
      parts.insert(expert * spread.parts / spread.count);
    }
    sum += static_cast<double>(parts.size()) / tokens;
  }
  return sum;
}

constexpr Spread spreads[] = {
    {64, 8, 0, 0, 4},   {64, 8, 0, 0, 64},  {8, 2, 0, 0, 2},   {128, 8, 0, 0, 16},
    {256, 8, 8, 4, 1},  {256, 8, 8, 4, 2},  {256, 8, 8, 4, 4}, {256, 8, 8, 4, 8},
    {256, 8, 8, 4, 16}, {256, 8, 8, 4, 64}, {160, 6, 8, 3, 2}, {160, 6, 8, 3, 8},
    {160, 6, 8, 3, 40}, {64, 8, 4, 2, 4},
};

TEST(PartsReached, AreThoseOfTokensThatChooseByScore) {
  for (const Spread& spread : spreads) {
    const double off = parts_reached(experts_of(spread), spread.parts) / mean_parts(spread) - 1.0;
    const bool inside_groups = spread.limit > 0 && spread.parts > spread.groups;
    EXPECT_NEAR(off, 0.0, inside_groups ? 0.085 : 0.025)
        << spread.count << " experts, " << spread.groups << " groups, " << spread.parts;
  }
}

TEST(PartsReached, GrowWithPartsAndEndAtTheExperts) {
  for (const Spread& spread : spreads) {
    const Experts experts = experts_of(spread);
    double before = 0.0;
    for (double parts = 1.0; parts <= spread.count; parts += 0.5) {
      const double reached = parts_reached(experts, parts);
      EXPECT_GE(reached, before - 1e-9) << parts;
      before = reached;
    }
    EXPECT_NEAR(parts_reached(experts, 1.0), 1.0, 1e-12);
    EXPECT_NEAR(before, spread.top_k, 1e-9);
  }
}

TEST(ExpertDispatch, ByRoutingIsHierarchicalWhereALimitMeetsSeveralDomains) {
  Experts experts = experts_of({256, 8, 8, 4, 8});
  const auto of = [&](bool crosses) {
    return resolved(ExpertDispatch::by_routing, experts, crosses);
  };
  EXPECT_EQ(of(true), ExpertDispatch::hierarchical);
  EXPECT_EQ(of(false), ExpertDispatch::all_to_all);
  experts.node_limit = 0;
  EXPECT_EQ(of(true), ExpertDispatch::all_to_all);
  EXPECT_EQ(resolved(ExpertDispatch::all_gather, experts, true), ExpertDispatch::all_gather);
}

}  // namespace
}  // namespace scalesweep::workload
