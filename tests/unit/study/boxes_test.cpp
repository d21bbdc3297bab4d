// The search through a grid, on functions whose best place is known.
#include "study/search/boxes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace scalesweep::study {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double tolerance = 0.01;

// A bowl with teeth: many places are better than all beside them.
double rugged(const GridPlace& place) {
  double sum = 10.0;
  for (std::size_t i = 0; i < place.size(); ++i) {
    const double away = place[i] - (17.0 + 5.0 * static_cast<double>(i));
    sum += 0.01 * away * away + ((place[i] * 7 + static_cast<int>(i)) % 5) * 0.3;
  }
  return sum;
}

struct Searched {
  BoxesSearched found;
  double best = infinity;
  std::set<GridPlace> seen;
  std::vector<GridPlace> order;
};

// `slack`: how much less than the least a bound says; negative: nobody knows any.
Searched search(const std::vector<std::int32_t>& sizes, double slack, std::int64_t most = 1 << 30) {
  Searched searched;
  const auto for_all_of = [](const GridBox& box, const auto& use) {
    GridPlace place = box.low;
    for (std::size_t i = 0; i < place.size();) {
      use(place);
      for (i = 0; i < place.size() && ++place[i] > box.high[i]; ++i) {
        place[i] = box.low[i];
      }
    }
  };
  const BoxWork work = {
      [&](const GridBox& box) -> std::optional<std::vector<double>> {
        if (slack < 0.0) {
          return std::nullopt;
        }
        double least = infinity;
        for_all_of(box, [&](const GridPlace& place) { least = std::min(least, rugged(place)); });
        return std::vector{least * (1.0 - slack)};
      },
      [&](const GridPlace& place) {
        EXPECT_TRUE(searched.seen.insert(place).second);
        searched.order.push_back(place);
        const bool is_best = rugged(place) < searched.best;
        searched.best = std::min(searched.best, rugged(place));
        return is_best;
      },
      [&](std::span<const double> least) {
        return least.front() * (1.0 + tolerance) <= searched.best;
      }};
  searched.found = search_boxes(sizes, 1, work, most);
  return searched;
}

double best_of_all(const std::vector<std::int32_t>& sizes) {
  return search(sizes, -1.0).best;  // which looks at all
}

TEST(Boxes, FindTheBestAndProveIt) {
  const std::vector<std::int32_t> sizes = {40, 50, 33};
  const Searched searched = search(sizes, 0.02);
  const double best = best_of_all(sizes);
  EXPECT_LE(searched.best, best * (1.0 + tolerance));
  EXPECT_GE(searched.found.least_left * (1.0 + tolerance), searched.best);
  EXPECT_LT(searched.found.places, 40 * 50 * 33 / 20);
  EXPECT_EQ(searched.found.places, static_cast<std::int64_t>(searched.seen.size()));
}

TEST(Boxes, LookAtAllWhereNobodyKnowsABound) {
  const Searched searched = search({7, 5}, -1.0);
  EXPECT_EQ(searched.seen.size(), 35u);
  EXPECT_EQ(searched.found.least_left, infinity);
}

TEST(Boxes, LookAtSoManyAndSayWhatMayBeLeft) {
  const std::vector<std::int32_t> sizes = {40, 50, 33};
  const Searched searched = search(sizes, 0.02, 200);
  EXPECT_LE(searched.found.places + searched.found.boxes, 201);
  EXPECT_LT(searched.best, 1.1 * best_of_all(sizes));
  EXPECT_LE(searched.found.least_left, best_of_all(sizes));
  EXPECT_EQ(search(sizes, -1.0, 200).found.least_left, -infinity);
}

TEST(Boxes, GoTheSameWayEveryTime) {
  EXPECT_EQ(search({40, 50, 33}, 0.05).order, search({40, 50, 33}, 0.05).order);
}

TEST(Boxes, OfOnePlaceAreThatPlace) {
  const Searched searched = search({1, 1}, 0.0);
  EXPECT_EQ(searched.seen.size(), 1u);
  EXPECT_EQ(searched.found.least_left, infinity);
}

TEST(Boxes, WhereNothingCanBeAreLeftOut) {
  int looked = 0;
  const BoxWork work = {[](const GridBox& box) -> std::optional<std::vector<double>> {
                          return std::vector{box.low[0] > 3 ? infinity : 1.0};
                        },
                        [&](const GridPlace& place) {
                          looked += place[0] > 3 ? 1 : 0;
                          return false;
                        },
                        [](std::span<const double> least) { return least.front() < infinity; }};
  EXPECT_EQ(search_boxes(std::vector{64}, 1, work, 1 << 20).least_left, infinity);
  EXPECT_LE(looked, 2);
}

TEST(Boxes, AreHalvedAcrossTheLongestSide) {
  const GridBox box = {{0, 3}, {4, 12}};
  const auto [first, second] = box.halves();
  EXPECT_EQ(first.low, (GridPlace{0, 3}));
  EXPECT_EQ(first.high, (GridPlace{4, 7}));
  EXPECT_EQ(second.low, (GridPlace{0, 8}));
  EXPECT_EQ(second.high, (GridPlace{4, 12}));
  EXPECT_EQ(box.middle(), (GridPlace{2, 7}));
}

}  // namespace
}  // namespace scalesweep::study
