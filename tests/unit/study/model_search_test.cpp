// The model of what was looked at, and the search that follows it, on functions whose best place is
// known.
#include "study/search/model_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "study/search/gaussian_process.hpp"

namespace scalesweep::study {
namespace {

Expected at(const GaussianProcess& model, const Coordinates& place) {
  return model.at(std::array{place}).front();
}

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(GaussianProcess, KnowsTheValuesWhereItLookedAndLessFurtherAway) {
  const std::vector<double> values = {1.0, 3.0, 2.0};
  const GaussianProcess model({{0.0}, {0.5}, {1.0}}, values, {{0.3}, 1e-9});
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Expected here = at(model, {0.5 * static_cast<double>(i)});
    EXPECT_NEAR(here.mean, values[i], 1e-6);
    EXPECT_NEAR(here.deviation, 0.0, 1e-3);
  }
  const double near = at(model, {0.55}).deviation;
  const double between = at(model, {0.75}).deviation;
  EXPECT_GT(near, 0.01);
  EXPECT_GT(between, near);
  // Far from all, the mean of what it knows, and no less than how those vary.
  const Expected far = at(model, {50.0});
  EXPECT_NEAR(far.mean, 2.0, 0.1);
  EXPECT_GT(far.deviation, between);
}

// Two correlated places, by hand: R = [1 c; c 1], mean (a + b) / 2, variance (a - b)^2 / (4 (1 -
// c)).
TEST(GaussianProcess, IsWhatTheEquationsSayOfTwoPlaces) {
  const double scaled = std::sqrt(5.0) * 0.5;  // half a length apart
  const double c = (1.0 + scaled + scaled * scaled / 3.0) * std::exp(-scaled);
  const GaussianProcess model({{0.0}, {0.5}}, std::vector{4.0, 6.0}, {{1.0}, 0.0});
  const double variance = 4.0 / (4.0 * (1.0 - c));
  EXPECT_NEAR(model.log_likelihood(), -std::log(variance) - 0.5 * std::log(1.0 - c * c), 1e-12);
  const Expected far = at(model, {1e6});
  EXPECT_NEAR(far.mean, 5.0, 1e-12);
  EXPECT_NEAR(far.deviation, std::sqrt(variance * (1.0 + (1.0 + c) / 2.0)), 1e-12);
}

TEST(GaussianProcess, FindsAlongWhichCoordinateValuesChange) {
  std::vector<Coordinates> places;
  std::vector<double> values;
  for (int i = 0; i < 36; ++i) {
    places.push_back({(i % 6) / 5.0, (i / 6) / 5.0});
    values.push_back(std::sin(5.0 * places.back()[0]) + 0.1 * places.back()[1]);
  }
  const Smoothness found = likeliest_smoothness(places, values, {{0.5, 0.5}, 1e-6});
  EXPECT_GT(found.lengths[1], 2.0 * found.lengths[0]);
  const GaussianProcess model(places, values, found);
  EXPECT_NEAR(at(model, {0.5, 0.5}).mean, std::sin(2.5) + 0.05, 0.05);
}

TEST(ExpectedImprovement, IsThatOfANormalDistribution) {
  EXPECT_DOUBLE_EQ(expected_improvement({2.0, 0.0}, 3.0), 1.0);
  EXPECT_DOUBLE_EQ(expected_improvement({4.0, 0.0}, 3.0), 0.0);
  EXPECT_DOUBLE_EQ(expected_improvement({3.0, 0.5}, 3.0), 0.5 / std::sqrt(2.0 * std::numbers::pi));
  EXPECT_LT(expected_improvement({4.0, 0.5}, 3.0), 0.01);
  EXPECT_GT(expected_improvement({4.0, 5.0}, 3.0), 1.0);
}

// A bowl with teeth, whose best place is near (40, 22, 27).
double rugged(const GridPlace& place) {
  double sum = 10.0;
  for (std::size_t i = 0; i < place.size(); ++i) {
    const double away = place[i] - (40.0 - 6.5 * static_cast<double>(i));
    sum += 0.01 * away * away + ((place[i] * 7 + static_cast<int>(i)) % 5) * 0.02;
  }
  return sum;
}

struct Looks {
  std::set<GridPlace> seen;
  std::vector<GridPlace> order;
  double best = infinity;

  LookAt of(const std::function<std::vector<std::vector<double>>(const GridPlace&)>& values) {
    return [this, values](const GridPlace& place) {
      EXPECT_TRUE(seen.insert(place).second);
      order.push_back(place);
      std::vector<std::vector<double>> points = values(place);
      for (const std::vector<double>& point : points) {
        best = std::min(best, point.front());
      }
      return points;
    };
  }
};

const std::vector<std::int32_t> sizes = {64, 50, 33};

double best_of_all() {
  double best = infinity;
  for (std::int32_t i = 0; i < sizes[0] * sizes[1] * sizes[2]; ++i) {
    best = std::min(best, rugged({i % 64, i / 64 % 50, i / 3200}));
  }
  return best;
}

std::vector<std::vector<double>> rugged_points(const GridPlace& place) {
  return {{rugged(place)}};
}

TEST(ModelSearch, FindsTheBestAmongFewAndSaysWhatItExpects) {
  Looks looks;
  const PlacesSearched found = search_by_model(sizes, 1, looks.of(rugged_points), 0.001, 400);
  EXPECT_LE(looks.best, 1.003 * best_of_all());
  EXPECT_LT(found.places, 250);  // of 105,600
  EXPECT_EQ(found.places, static_cast<std::int64_t>(looks.seen.size()));
  EXPECT_NEAR(found.least_left, looks.best, 0.05 * looks.best);
}

// What is maximised has values below 0, and some have both signs: the same places are looked at, or
// as good ones are found.
TEST(ModelSearch, DoesNotMindTheSignOfValues) {
  Looks looks;
  const PlacesSearched found = search_by_model(sizes, 1, looks.of([](const GridPlace& place) {
    return std::vector<std::vector<double>>{{-1.0 / rugged(place)}};
  }),
                                               0.001, 400);
  EXPECT_LE(-1.0 / looks.best, 1.003 * best_of_all());
  EXPECT_LT(found.least_left, 0.0);
  Looks both;
  search_by_model(sizes, 1, both.of([](const GridPlace& place) {
    return std::vector<std::vector<double>>{{rugged(place) - 12.0}};
  }),
                  0.001, 400);
  EXPECT_LE(both.best, best_of_all() - 12.0 + 0.05);
}

TEST(ModelSearch, LooksAtSoManyOrAtAll) {
  Looks few;
  EXPECT_EQ(search_by_model(sizes, 1, few.of(rugged_points), 1e-9, 20).places, 20);
  Looks all;
  const std::vector<std::int32_t> small = {4, 3, 1};
  const PlacesSearched found = search_by_model(small, 1, all.of(rugged_points), 1e-9, 400);
  EXPECT_EQ(found.places, 12);
  EXPECT_EQ(found.least_left, infinity);
}

TEST(ModelSearch, GoesTheSameWayEveryTime) {
  Looks first, second;
  search_by_model(sizes, 1, first.of(rugged_points), 0.001, 60);
  search_by_model(sizes, 1, second.of(rugged_points), 0.001, 60);
  EXPECT_EQ(first.order, second.order);
}

TEST(ModelSearch, GoesAroundWhereNothingIs) {
  Looks looks;
  search_by_model(sizes, 1, looks.of([](const GridPlace& place) {
    return place[0] < 30 ? std::vector<std::vector<double>>{} : rugged_points(place);
  }),
                  0.001, 400);
  EXPECT_LE(looks.best, 1.003 * best_of_all());
  Looks nothing;
  const PlacesSearched found = search_by_model(
      sizes, 1, nothing.of([](const GridPlace&) { return std::vector<std::vector<double>>{}; }),
      0.001, 100'000);
  EXPECT_LT(found.places, 2100);
  EXPECT_EQ(found.least_left, -infinity);
}

// The only place of a small grid where something is, wherever it is.
TEST(ModelSearch, FindsTheOnlyPlaceOfASmallGridAsAClimbDoes) {
  const std::vector<std::int32_t> small = {5, 4, 3};
  for (std::int32_t i = 0; i < 60; ++i) {
    const GridPlace only = {i % 5, i / 5 % 4, i / 20};
    const auto points = [&](const GridPlace& place) {
      return place == only ? rugged_points(place) : std::vector<std::vector<double>>{};
    };
    Looks model, climb;
    search_by_model(small, 1, model.of(points), 0.001, 400);
    search_by_climbing(small, climb.of(points), 400);
    EXPECT_EQ(model.best, rugged(only)) << i;
    EXPECT_EQ(climb.best, rugged(only)) << i;
  }
}

// Of two values that trade against each other, both ends of the frontier and what is between.
TEST(ModelSearch, OfSeveralValuesLooksAlongTheFrontier) {
  Looks looks;
  const PlacesSearched found =
      search_by_model(std::vector{101, 41}, 2, looks.of([](const GridPlace& place) {
        const double x = place[0] / 100.0;
        const double off = 1.0 + 4.0 * std::pow(place[1] / 40.0 - 0.6, 2.0);
        return std::vector<std::vector<double>>{
            {(1.0 + x * x) * off, (1.0 + (1 - x) * (1 - x)) * off}};
      }),
                      0.005, 150);
  EXPECT_EQ(found.least_left, -infinity);
  const auto looked_near = [&](int low, int high) {
    return std::any_of(looks.order.begin(), looks.order.end(), [&](const GridPlace& place) {
      return low <= place[0] && place[0] <= high && 22 <= place[1] && place[1] <= 26;
    });
  };
  EXPECT_TRUE(looked_near(0, 5));
  EXPECT_TRUE(looked_near(95, 100));
  EXPECT_TRUE(looked_near(40, 60));
}

TEST(Climb, EndsWhereNothingBesideIsBetter) {
  Looks looks;
  const PlacesSearched found = search_by_climbing(sizes, looks.of(rugged_points), 100'000);
  EXPECT_LE(looks.best, 1.01 * best_of_all());
  EXPECT_EQ(found.least_left, -infinity);
  Looks all;
  EXPECT_EQ(search_by_climbing(std::vector{3}, all.of(rugged_points), 100).least_left, infinity);
  Looks few;
  EXPECT_EQ(search_by_climbing(sizes, few.of(rugged_points), 5).places, 5);
}

TEST(Climb, BeginsElsewhereWhereNothingIsInTheMiddle) {
  const auto in_a_corner = [](const GridPlace& place) {
    return place[0] > 55 && place[1] > 40 ? rugged_points(place)
                                          : std::vector<std::vector<double>>{};
  };
  Looks looks;
  const PlacesSearched found = search_by_climbing(sizes, looks.of(in_a_corner), 100'000);
  double best = infinity;
  for (std::int32_t i = 0; i < sizes[0] * sizes[1] * sizes[2]; ++i) {
    const GridPlace place = {i % 64, i / 64 % 50, i / 3200};
    best = in_a_corner(place).empty() ? best : std::min(best, rugged(place));
  }
  EXPECT_LE(looks.best, 1.01 * best);
  EXPECT_LT(found.places, 600);  // of 105,600
  Looks nowhere;
  const PlacesSearched nothing = search_by_climbing(
      sizes, nowhere.of([](const GridPlace&) { return std::vector<std::vector<double>>{}; }),
      100'000);
  EXPECT_LT(nothing.places, 2100);
  EXPECT_EQ(nothing.least_left, -infinity);
  Looks few;
  EXPECT_EQ(search_by_climbing(sizes, few.of(in_a_corner), 2).places, 2);
}

}  // namespace
}  // namespace scalesweep::study
