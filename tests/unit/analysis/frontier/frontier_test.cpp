#include "analysis/frontier/frontier.hpp"
#include "analysis/frontier/groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "analysis/frontier/error_bars.hpp"
#include "analysis/frontier/search.hpp"
#include "analysis/frontier/shown_members.hpp"
#include "core/failure.hpp"
#include "store/merge/finish.hpp"
#include "store/read/study_file.hpp"
#include "store/segments/output.hpp"
#include "support/temporary_folder.hpp"
#include "unit/analysis/synthetic_study.hpp"

namespace scalesweep::analysis {
namespace {

using store::ColumnType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const double nan = std::numeric_limits<double>::quiet_NaN();

struct Point {
  int model = 0;
  bool feasible = true;
  double step_time = 1.0;
  double tokens_per_second = 1.0;
  double memory_total = 1.0;
  double bar = 0.0;
};

store::StudyDescription description_of(std::int64_t points, bool with_bars) {
  store::StudyDescription study;
  study.identity = "frontier";
  study.points = points;
  study.chunk_rows = 64;
  study.axes = {{"model", "", "models", {"a", "b", "c"}, {0.0, 1.0, 2.0}},
                {"devices", "1", "devices", {"8", "16"}, {8.0, 16.0}}};
  study.schema = {
      {"point_id", ColumnType::i64, "1", "id", "id", {}},
      {"model", ColumnType::u8, "", "model", "model", {"a", "b", "c"}},
      {"devices", ColumnType::i32, "1", "devices", "devices", {}},
      {"status", ColumnType::u8, "", "status", "status", {"ok", "does_not_fit"}},
      {"step_time", ColumnType::f64, "s", "step time", "time", {}},
      {"tokens_per_second", ColumnType::f64, "s-1", "rate", "rate", {}},
      {"memory_total", ColumnType::f32, "B", "memory", "memory", {}},
  };
  if (with_bars) {
    study.schema.push_back({"relative_uncertainty", ColumnType::f64, "1", "bar", "bar", {}});
  }
  study.count_names = {"ok", "does_not_fit"};
  return study;
}

void write(const std::filesystem::path& file, const std::vector<Point>& points,
           bool with_bars = true, store::Layout layout = store::Layout::merged) {
  const auto count = static_cast<std::int64_t>(points.size());
  const store::StudyDescription study = description_of(count, with_bars);
  store::Table table(study.schema);
  table.resize(points.size());
  store::Counts counts(2, 0);
  for (std::size_t row = 0; row < points.size(); ++row) {
    const Point& point = points[row];
    table.values<std::int64_t>(0)[row] = static_cast<std::int64_t>(row);
    table.values<std::uint8_t>(1)[row] = static_cast<std::uint8_t>(point.model);
    table.values<std::int32_t>(2)[row] = static_cast<std::int32_t>(row % 2);
    table.values<std::uint8_t>(3)[row] = point.feasible ? 0 : 1;
    table.values<double>(4)[row] = point.step_time;
    table.values<double>(5)[row] = point.tokens_per_second;
    table.values<float>(6)[row] = static_cast<float>(point.memory_total);
    if (with_bars) {
      table.values<double>(7)[row] = point.bar;
    }
    ++counts[point.feasible ? 0 : 1];
  }
  store::prepare_output(file, study);
  store::write_segment(file, study, {0, count}, table, counts);
  store::FinishOptions options;
  options.layout = layout;
  store::finish(file, study, std::nullopt, options);
}

// Few different values, so that points tie, are equal, or tie at the ends of their error bars.
std::vector<Point> random_points(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  const auto below = [&](int limit) {
    return std::uniform_int_distribution<int>(0, limit - 1)(generator);
  };
  std::vector<Point> points(count);
  for (Point& point : points) {
    point.model = below(3);
    point.feasible = below(5) != 0;
    point.step_time = below(40) == 0 ? nan : 16.0 * (1 + below(12));
    point.tokens_per_second = 1.0 + below(20);
    point.memory_total = below(30) == 0 ? std::numeric_limits<double>::infinity() : below(15);
    point.bar = std::vector<double>{0.0, 0.0625, 0.125, 0.25,
                                    nan}[static_cast<std::size_t>(below(seed % 2 == 0 ? 4 : 5))];
  }
  return points;
}

FrontierRequest three_objectives() {
  FrontierRequest request;
  request.objectives = {{"step_time", Direction::minimize},
                        {"tokens_per_second", Direction::maximize},
                        {"memory_total", Direction::minimize}};
  request.per = {"model"};
  return request;
}

// To be minimised.
std::vector<double> values_of(const Point& point) {
  return {point.step_time, -point.tokens_per_second,
          static_cast<double>(static_cast<float>(point.memory_total))};
}

std::vector<double> optimistic(const Point& point) {
  const double u = std::isnan(point.bar) ? 0.0 : point.bar;
  return {point.step_time * (1.0 - u), -(point.tokens_per_second / (1.0 - u)), values_of(point)[2]};
}

std::vector<double> pessimistic(const Point& point) {
  return {point.step_time * (1.0 + point.bar), -(point.tokens_per_second / (1.0 + point.bar)),
          values_of(point)[2]};
}

bool nowhere_worse(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return x <= y; });
}

struct Expected {
  std::vector<std::int64_t> rows;
  std::vector<std::uint8_t> beyond_doubt;
};

bool takes_part(const Point& point, int model) {
  return point.feasible && point.model == model && !std::isnan(point.step_time);
}

bool is_in_doubt(const std::vector<Point>& points, const Point& member) {
  if (std::isnan(member.bar)) {
    return true;
  }
  const auto same_bar = [&](const Point& other) {
    return (std::isnan(other.bar) ? 0.0 : other.bar) == member.bar;
  };
  return std::any_of(points.begin(), points.end(), [&](const Point& other) {
    const std::vector<double> there = optimistic(other);
    const bool is_it = there == optimistic(member) && same_bar(other);
    return takes_part(other, member.model) && !is_it && nowhere_worse(there, pessimistic(member)) &&
           there != pessimistic(member);
  });
}

Expected by_definition(const std::vector<Point>& points, int model) {
  Expected expected;
  for (std::size_t row = 0; row < points.size(); ++row) {
    bool kept = takes_part(points[row], model);
    for (std::size_t other = 0; other < points.size() && kept; ++other) {
      const std::vector<double> here = values_of(points[row]);
      const std::vector<double> there = values_of(points[other]);
      kept = other == row || !takes_part(points[other], model) || !nowhere_worse(there, here) ||
             (here == there && other > row);
    }
    if (kept) {
      expected.rows.push_back(static_cast<std::int64_t>(row));
      expected.beyond_doubt.push_back(is_in_doubt(points, points[row]) ? 0 : 1);
    }
  }
  return expected;
}

TEST(Frontier, OfRandomStudiesIsTheDefinitionForAnyNumberOfThreads) {
  const test::TemporaryFolder folder;
  std::size_t beyond_doubt = 0;
  std::size_t in_doubt = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    const auto file = folder / (std::to_string(seed) + ".h5");
    const std::vector<Point> points = random_points(60 + 13 * seed, seed);
    write(file, points, true, seed % 3 == 0 ? store::Layout::by_segment : store::Layout::merged);
    const store::StudyReader reader(file);
    for (const std::size_t threads : {1, 3}) {
      FrontierRequest request = three_objectives();
      request.reading.threads = threads;
      const FrontierResult result = find_frontier(reader, request);
      ASSERT_EQ(result.groups.size(), 3);
      for (int model = 0; model < 3; ++model) {
        const FrontierGroup& group = result.groups[static_cast<std::size_t>(model)];
        const Expected expected = by_definition(points, model);
        EXPECT_THAT(group.key, ElementsAre(model));
        EXPECT_EQ(group.rows, expected.rows) << seed;
        EXPECT_EQ(group.beyond_doubt, expected.beyond_doubt) << seed;
        for (std::size_t m = 0; m < group.rows.size(); ++m) {
          const Point& point = points[static_cast<std::size_t>(group.rows[m])];
          EXPECT_EQ(group.objectives[0][m], point.step_time);
          EXPECT_EQ(group.objectives[1][m], point.tokens_per_second);
          beyond_doubt += group.beyond_doubt[m];
          in_doubt += 1U - group.beyond_doubt[m];
        }
      }
    }
  }
  // The studies are no test of error bars unless both happen.
  EXPECT_GT(beyond_doubt, 50);
  EXPECT_GT(in_doubt, 50);
}

FrontierResult frontier_of(const std::vector<Point>& points, const FrontierRequest& request,
                           bool with_bars = false) {
  const test::TemporaryFolder folder;
  write(folder / "a.h5", points, with_bars);
  return find_frontier(store::StudyReader(folder / "a.h5"), request);
}

FrontierRequest two_objectives() {
  FrontierRequest request;
  request.objectives = {{"step_time", Direction::minimize},
                        {"tokens_per_second", Direction::maximize}};
  return request;
}

std::string refusal(const std::vector<Point>& points, const FrontierRequest& request) {
  try {
    frontier_of(points, request);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::bad_input);
    return failure.what();
  }
  return "nothing was refused";
}

std::vector<Point> a_few() {
  return {{0, true, 4.0, 10.0}, {0, true, 2.0, 8.0}, {1, true, 1.0, 1.0},
          {1, true, 3.0, 7.0},  {2, true, 4.0, 9.0}, {0, false, 0.5, 99.0}};
}

TEST(Frontier, WithoutGroupsAllPointsCompete) {
  const FrontierResult result = frontier_of(a_few(), two_objectives());
  ASSERT_EQ(result.groups.size(), 1);
  EXPECT_THAT(result.groups[0].rows, ElementsAre(0, 1, 2));
  EXPECT_EQ(result.groups[0].candidates, 5);
  EXPECT_EQ(result.feasible_rows, 5);
  EXPECT_TRUE(result.groups[0].beyond_doubt.empty());
  EXPECT_FALSE(result.has_error_bars);
  EXPECT_TRUE(result.notes.empty());
}

TEST(Frontier, RanksFollowOneAnother) {
  FrontierRequest request = two_objectives();
  request.ranks = 2;
  const FrontierGroup group = frontier_of(a_few(), request).groups[0];
  EXPECT_THAT(group.rows, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(group.ranks, ElementsAre(1, 1, 1, 2, 2));
  EXPECT_TRUE(std::isnan(group.crowding[3]));
}

TEST(Frontier, AConditionDecidesWhoTakesPart) {
  FrontierRequest request = two_objectives();
  request.where = "model != 'a' and devices == 16";
  const FrontierResult result = frontier_of(a_few(), request);
  EXPECT_THAT(result.groups[0].rows, ElementsAre(3));
  EXPECT_THAT(result.notes, ElementsAre("1 of 5 feasible points fulfil \"model != 'a' and devices "
                                        "== 16\""));
}

TEST(Frontier, AnAxisOfNumbersIsAnObjectiveByItsValues) {
  FrontierRequest request;
  request.objectives = {{"devices", Direction::minimize}};
  const FrontierGroup group = frontier_of(a_few(), request).groups[0];
  EXPECT_THAT(group.rows, ElementsAre(0));
  EXPECT_THAT(group.objectives[0], ElementsAre(8.0));
}

TEST(Frontier, IdealReferenceAndVolumeAreThoseOfTheMembers) {
  const FrontierGroup group = frontier_of(a_few(), two_objectives()).groups[0];
  EXPECT_THAT(group.ideal, ElementsAre(1.0, 10.0));
  EXPECT_DOUBLE_EQ(group.reference[0], 4.3);
  EXPECT_DOUBLE_EQ(group.reference[1], 0.1);
  // Boxes of the three members in a box of 3.3 by 9.9.
  const double volume = 0.3 * 9.9 + 2.0 * 7.9 + 1.0 * 0.9;
  EXPECT_NEAR(group.hypervolume, volume / (3.3 * 9.9), 1e-12);
  EXPECT_THAT(group.knee, ElementsAre(0, 1, 0));
}

TEST(Frontier, WhatIsInfiniteIsLeftOutOfTheVolume) {
  std::vector<Point> points = a_few();
  points.push_back({0, true, std::numeric_limits<double>::infinity(), 11.0});
  const FrontierGroup group = frontier_of(points, two_objectives()).groups[0];
  EXPECT_THAT(group.rows, ElementsAre(0, 1, 2, 6));
  EXPECT_THAT(group.ideal, ElementsAre(1.0, 10.0));
}

TEST(Frontier, AConstantObjectiveIsNoted) {
  FrontierRequest request = two_objectives();
  request.objectives.push_back({"memory_total", Direction::minimize});
  EXPECT_THAT(frontier_of(a_few(), request).notes,
              ElementsAre("the objective 'memory_total' is 1 at every point: it decides nothing"));
}

TEST(Frontier, PointsWithoutAnObjectiveAreCountedAndLeftOut) {
  std::vector<Point> points = a_few();
  points[1].step_time = nan;
  const FrontierResult result = frontier_of(points, two_objectives());
  EXPECT_THAT(result.groups[0].rows, ElementsAre(0, 2, 3));
  EXPECT_EQ(result.without_objective, 1);
  EXPECT_THAT(result.notes, ElementsAre(HasSubstr("1 feasible points have no number")));
}

TEST(Frontier, AnObjectiveThatIsNowhereANumberIsRefused) {
  std::vector<Point> points = a_few();
  for (Point& point : points) {
    point.step_time = nan;
  }
  EXPECT_EQ(refusal(points, two_objectives()),
            "the objective 'step_time' has no number at any of the 5 feasible points: leave it "
            "out");
  FrontierRequest lenient = two_objectives();
  lenient.refuse_missing = false;
  const FrontierResult result = frontier_of(points, lenient);
  EXPECT_TRUE(result.groups.empty());
  EXPECT_THAT(result.notes.front(),
              HasSubstr("'step_time' has no number at any of the 5 feasible points: the frontier "
                        "is empty"));
}

TEST(Frontier, AConditionThatLeavesNothingIsRefused) {
  FrontierRequest request = two_objectives();
  request.where = "step_time > '1 h'";
  EXPECT_EQ(refusal(a_few(), request),
            "nothing is left to compare: none of the 5 feasible points fulfils \"step_time > '1 "
            "h'\"; ask for less");
}

TEST(Frontier, NothingFeasibleIsNoted) {
  std::vector<Point> points = a_few();
  for (Point& point : points) {
    point.feasible = false;
  }
  const FrontierResult result = frontier_of(points, two_objectives());
  EXPECT_TRUE(result.groups.empty());
  EXPECT_THAT(result.notes, ElementsAre("no feasible point was found: there is no frontier"));
}

TEST(Frontier, WhatCannotBeAskedIsRefusedInTheUsersTerms) {
  const auto with = [](const std::vector<Objective>& objectives,
                       const std::vector<std::string>& per) {
    FrontierRequest request;
    request.objectives = objectives;
    request.per = per;
    return refusal(a_few(), request);
  };
  EXPECT_EQ(with({{"step_tim"}}, {}),
            "no objective 'step_tim': the study has no such column; did you mean 'step_time'?");
  EXPECT_EQ(with({{"model"}}, {}),
            "'model' cannot be an objective: its values are names, not quantities");
  EXPECT_EQ(with({{"step_time"}, {"step_time"}}, {}), "the objective 'step_time' is named twice");
  EXPECT_EQ(with({}, {}), "a frontier takes 1 to 8 objectives, not 0");
  EXPECT_EQ(with({{"step_time"}}, {"modell"}),
            "no frontier per 'modell': the study has no such column; did you mean 'model'?");
  EXPECT_THAT(with({{"step_time"}}, {"memory_total"}),
              HasSubstr("no frontier per 'memory_total': its values are measured"));
  EXPECT_EQ(with({{"step_time"}}, {"model", "model"}), "a frontier per 'model': it is named twice");
}

// However far it is ahead: how far off such are is known from others alone.
TEST(Frontier, NoMemberOfWhichSomethingWasNotMeasuredIsBeyondDoubt) {
  testing::TestStudy study;
  study.axes = {testing::names("device", {"known", "new"})};
  study.points = {{.axes = {0}, .charges_s = {10.0}, .energy_j = 0.1, .error_bar = 0.1},
                  {.axes = {1}, .charges_s = {1.0}, .error_bar = 0.1}};
  const auto beyond_doubt = [&] {
    const test::TemporaryFolder folder;
    study.write(folder / "a.h5");
    FrontierRequest request;
    request.objectives = {{"step_time", Direction::minimize},
                          {"energy_per_step", Direction::minimize}};
    return find_frontier(store::StudyReader(folder / "a.h5"), request).groups.at(0).beyond_doubt;
  };
  EXPECT_THAT(beyond_doubt(), ElementsAre(1, 1));
  study.points[1].unmeasured = true;
  EXPECT_THAT(beyond_doubt(), ElementsAre(1, 0));
}

TEST(Frontier, ErrorBarsThatNoObjectiveFollowsAreNoted) {
  FrontierRequest request;
  request.objectives = {{"memory_total", Direction::minimize}, {"devices", Direction::minimize}};
  std::vector<Point> points = a_few();
  points[2].memory_total = 0.5;
  points[2].bar = nan;
  const FrontierResult result = frontier_of(points, request, true);
  EXPECT_THAT(result.groups[0].rows, ElementsAre(2));
  EXPECT_THAT(result.groups[0].beyond_doubt, ElementsAre(0));
  EXPECT_THAT(result.notes, ElementsAre(HasSubstr("1 points have no error bar"),
                                        HasSubstr("which no objective follows")));
}

TEST(Frontier, ThinnedMembersStandForAll) {
  std::vector<Point> points;
  for (int i = 1; i <= 500; ++i) {
    points.push_back({0, true, static_cast<double>(i), static_cast<double>(i)});
  }
  const FrontierResult result = frontier_of(points, two_objectives());
  double epsilon = 0.0;
  const std::vector<std::size_t> shown = thinned_members(result, result.groups[0], 20, &epsilon);
  EXPECT_LE(shown.size(), 20);
  EXPECT_GT(shown.size(), 8);
  EXPECT_GT(epsilon, 0.0);
  EXPECT_EQ(shown.front(), 0);
  EXPECT_EQ(shown.back(), 499);
}

// A frontier of each model with so many members, and behind each member another point.
std::vector<Point> two_fronts(const std::vector<int>& members) {
  std::vector<Point> points;
  for (std::size_t model = 0; model < members.size(); ++model) {
    for (int i = 1; i <= members[model]; ++i) {
      const auto x = static_cast<double>(i);
      points.push_back({static_cast<int>(model), true, x, x});
      points.push_back({static_cast<int>(model), true, x + 0.25, x - 0.25});
    }
  }
  return points;
}

TEST(ShownFrontiers, ShareThePlaceThatThereIs) {
  FrontierRequest request = two_objectives();
  request.per = {"model"};
  const FrontierResult result = frontier_of(two_fronts({300, 3, 200}), request);

  const std::vector<ShownFrontier> shown = shown_frontiers(result, 43);

  ASSERT_EQ(shown.size(), 3);
  EXPECT_LE(shown[0].rows.size(), 20);
  EXPECT_GT(shown[0].rows.size(), 10);
  EXPECT_GT(shown[0].epsilon, 0.0);
  EXPECT_THAT(shown[1].rows, ElementsAre(300, 301, 302)) << "behind the 300 of the first";
  EXPECT_EQ(shown[1].epsilon, 0.0);
  EXPECT_LE(shown[2].rows.size(), 20);
  EXPECT_EQ(shown[2].rows.back(), 502);
  EXPECT_EQ(together(shown).members, 503);
  EXPECT_EQ(together(shown).epsilon, std::max(shown[0].epsilon, shown[2].epsilon));
  EXPECT_THAT(shown_words(together(shown)), HasSubstr(" of 503 members stand for all"));
  EXPECT_EQ(shown_words(shown[1]), "") << "nothing is left out";
  EXPECT_EQ(shown_frontiers(result, 1)[0].rows.size(), 4) << "its ends, its knee and one more";
}

TEST(ShownFrontiers, RanksBehindAreThinnedOnTheirOwn) {
  FrontierRequest request = two_objectives();
  request.ranks = 2;
  const FrontierResult result = frontier_of(two_fronts({100}), request);

  const std::vector<ShownFrontier> shown = shown_frontiers(result, 10);

  ASSERT_EQ(shown.size(), 1);
  EXPECT_EQ(shown[0].members, 100) << "of the frontier alone";
  const auto rank_of = [&](std::size_t row) { return result.groups[0].ranks[row]; };
  EXPECT_LE(shown[0].rows.size(), 10);
  EXPECT_TRUE(std::all_of(shown[0].rows.begin(), shown[0].rows.end(),
                          [&](std::size_t row) { return rank_of(row) == 1; }));
  EXPECT_FALSE(shown[0].behind.empty());
  EXPECT_LE(shown[0].behind.size(), 10);
  EXPECT_TRUE(std::all_of(shown[0].behind.begin(), shown[0].behind.end(),
                          [&](std::size_t row) { return rank_of(row) == 2; }));
}

TEST(ErrorBars, FollowTheTimeByWhatAColumnIs) {
  const auto follows = [](const std::string& name, const std::string& units) {
    return follows_time({name, ColumnType::f64, units, "", "", {}});
  };
  EXPECT_EQ(follows("step_time", "s"), FollowsTime::as_time);
  EXPECT_EQ(follows("charge_dram", "s"), FollowsTime::as_time);
  EXPECT_EQ(follows("cost_per_step", "USD"), FollowsTime::as_time);
  EXPECT_EQ(follows("capital_cost", "USD"), FollowsTime::no);
  EXPECT_EQ(follows("tokens_per_second", "s-1"), FollowsTime::as_its_rate);
  EXPECT_EQ(follows("tensor_peak", "s-1"), FollowsTime::no);
  EXPECT_EQ(follows("request_rate", "Hz"), FollowsTime::as_its_rate);
  EXPECT_EQ(follows("clock", "Hz"), FollowsTime::no);
  EXPECT_EQ(follows("model_flop_utilization", "1"), FollowsTime::as_its_rate);
  EXPECT_EQ(follows("energy_per_step", "J"), FollowsTime::no);
}

// Two points, one of which is a fifth better: within the bar of first tokens, beyond that of the
// time.
TEST(Frontier, AnObjectiveWithABarOfItsOwnIsJudgedByIt) {
  const store::Schema schema = {
      {"status", ColumnType::u8, "", "status", "status", {"ok", "does_not_fit"}},
      {"time", ColumnType::f64, "s", "time", "time", {}, "time"},
      {"first", ColumnType::f64, "s", "first", "first", {}, "bar:first_token"},
      {"time_bar", ColumnType::f64, "1", "bar", "bar", {}, "uncertainty"},
      {"first_bar", ColumnType::f64, "1", "bar", "bar", {}, "uncertainty:first_token"}};
  EXPECT_EQ(error_bar_column(schema, schema[1])->name, "time_bar");
  EXPECT_EQ(error_bar_column(schema, schema[2])->name, "first_bar");
  store::Table table(schema);
  table.resize(2);
  const auto fill = [&](std::size_t column, double better, double worse) {
    table.values<double>(column)[0] = better;
    table.values<double>(column)[1] = worse;
  };
  fill(1, 1.0, 1.2);
  fill(2, 1.0, 1.2);
  fill(3, 0.01, 0.01);
  fill(4, 0.5, 0.5);
  const auto doubt = [&](const std::vector<Objective>& objectives) {
    FrontierRequest request;
    request.objectives = objectives;
    const FrontierSearch search(schema, {}, request);
    std::vector<FrontierSearch::Part> parts = {search.part()};
    search.add(parts.front(), table, schema, 0);
    return search.finish(parts).groups.front().beyond_doubt;
  };
  EXPECT_THAT(doubt({{"time"}}), ElementsAre(1));
  EXPECT_THAT(doubt({{"first"}}), ElementsAre(0));
  EXPECT_THAT(doubt({{"time"}, {"first"}}), ElementsAre(1)) << "no other can be as fast";
  fill(4, nan, 0.5);
  EXPECT_THAT(doubt({{"first"}}), ElementsAre(0)) << "nobody knows";
  EXPECT_THAT(doubt({{"time"}}), ElementsAre(1)) << "of no concern to it";
}

TEST(ErrorBars, EndsLieOnBothSides) {
  const auto ends = [](double value, FollowsTime follows, Direction direction, double u) {
    const Ends both = ends_of(value, follows, direction, u);
    return std::vector<double>{both.optimistic, both.pessimistic};
  };
  EXPECT_THAT(ends(8.0, FollowsTime::as_time, Direction::minimize, 0.25), ElementsAre(6.0, 10.0));
  EXPECT_THAT(ends(8.0, FollowsTime::as_time, Direction::maximize, 0.25), ElementsAre(-10.0, -6.0));
  EXPECT_THAT(ends(3.0, FollowsTime::as_its_rate, Direction::maximize, 0.5),
              ElementsAre(-6.0, -2.0));
  EXPECT_THAT(ends(3.0, FollowsTime::no, Direction::minimize, 0.5), ElementsAre(3.0, 3.0));
  EXPECT_THAT(ends(8.0, FollowsTime::as_time, Direction::minimize, 1.5), ElementsAre(0.0, 20.0));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(ends(infinity, FollowsTime::as_time, Direction::minimize, 1.0),
              ElementsAre(infinity, infinity));
}

}  // namespace
}  // namespace scalesweep::analysis
