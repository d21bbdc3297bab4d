// Sums over phases, against plain loops over the points.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "analysis/selection/read_layout.hpp"
#include "analysis/show/verdict_text.hpp"
#include "analysis/verdict/find_verdicts.hpp"
#include "analysis/verdict/recipe/find_recipes.hpp"
#include "unit/analysis/analysed_study.hpp"
#include "unit/analysis/synthetic_study.hpp"

namespace scalesweep::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::names;
using testing::point;
using testing::TestPoint;
using testing::TestStudy;

// The time of a step and its energy stand for what adds up.
TestStudy study_of(std::vector<store::AxisValues> axes, std::vector<TestPoint> points) {
  TestStudy study;
  study.axes = std::move(axes);
  study.points = std::move(points);
  study.adds_up = {"step_time", "energy_per_step"};
  return study;
}

AnalysisResult result_of(const TestStudy& study, const std::string& where = "",
                         const std::vector<Objective>& objectives = {}) {
  AnalyzeOptions options;
  options.where = where;
  options.objectives = objectives;
  return testing::analysed(study, options);
}

TestPoint with_energy(TestPoint one, double energy_j) {
  one.energy_j = energy_j;
  return one;
}

// Two phases of two models on two devices; the large model has no long phase on A.
TestStudy small_recipe() {
  TestStudy study = study_of(
      {names("model", {"small", "large"}), names("phase", {"base", "long"}),
       names("device", {"A", "B"})},
      {with_energy(point({0, 0, 0}, 6.0, 3.0, 1.0, 4), 7.0),
       with_energy(point({0, 0, 0}, 6.0, 3.0, 1.5, 2), 1.0), point({0, 0, 1}, 4.0, 2.0, 1.0),
       with_energy(point({0, 1, 0}, 1.0, 1.0, 1.0, 8), 5.0), point({0, 1, 1}, 5.0, 2.0, 3.0),
       point({1, 0, 0}, 6.0, 3.0, 1.0), point({1, 0, 1}, 4.0, 2.0, 1.0),
       point({1, 1, 0}, 1.0, 1.0, 1.0), point({1, 1, 1}, 5.0, 2.0, 3.0)});
  study.points[7].status = 1;
  return study;
}

TEST(Recipe, IsTheSumOfTheBestPointOfEachPhase) {
  const Recipes recipes = result_of(small_recipe()).verdicts.recipes;
  EXPECT_THAT(recipes.phases, ElementsAre("base", "long"));
  EXPECT_THAT(recipes.per, ElementsAre("model"));
  EXPECT_THAT(recipes.chosen, ElementsAre("device"));
  ASSERT_EQ(recipes.answers.size(), 2U);
  const RecipeAnswer& small = recipes.answers[0];
  EXPECT_EQ(small.question, "small");
  ASSERT_EQ(small.runs.size(), 2U);
  EXPECT_THAT(small.runs[0].labels, ElementsAre("A"));
  EXPECT_THAT(small.runs[0].sums, ElementsAre(13.0, 12.0));
  EXPECT_EQ(small.runs[0].phases[0].id, 0);
  EXPECT_EQ(small.runs[0].phases[0].layout, "TP4 PP1 no-rc");
  EXPECT_EQ(small.runs[0].phases[1].layout, "TP8 PP1 no-rc");
  EXPECT_THAT(small.runs[1].sums, ElementsAre(17.0, 2.0));
}

TEST(Recipe, CountsNoCombinationInWhichAPhaseLacks) {
  const Recipes recipes = result_of(small_recipe()).verdicts.recipes;
  const RecipeAnswer& large = recipes.answers[1];
  ASSERT_EQ(large.runs.size(), 1U);
  EXPECT_THAT(large.runs[0].labels, ElementsAre("B"));
  EXPECT_EQ(large.combinations, 2);
  EXPECT_THAT(large.missing, IsEmpty());
}

TEST(Recipe, SaysWhichPhaseIsFeasibleNowhere) {
  TestStudy study = small_recipe();
  study.points[8].status = 1;
  const AnalysisResult result = result_of(study);
  const RecipeAnswer& large = result.verdicts.recipes.answers[1];
  EXPECT_THAT(large.runs, IsEmpty());
  EXPECT_THAT(large.missing, ElementsAre("long"));
  const VerdictSheet sheet = recipe_sheet(result.verdicts, large);
  EXPECT_EQ(sheet.choice, "nothing feasible");
  EXPECT_THAT(sheet.lines.front().texts, ElementsAre("nothing is feasible of long"));
}

// Of the best by time: another point has less energy.
TEST(Recipe, FollowsTheObjectiveWhereItAddsUp) {
  const Recipes by_energy = result_of(small_recipe(), "", {{"energy_per_step"}}).verdicts.recipes;
  EXPECT_EQ(by_energy.objective.column, "energy_per_step");
  EXPECT_THAT(by_energy.answers[0].runs[0].labels, ElementsAre("B"));
  EXPECT_THAT(by_energy.answers[0].runs[0].sums, ElementsAre(17.0, 2.0));
  EXPECT_THAT(by_energy.answers[0].runs[1].sums, ElementsAre(13.5, 6.0));
  const Recipes by_dram = result_of(small_recipe(), "", {{"charge_dram"}}).verdicts.recipes;
  EXPECT_EQ(by_dram.objective.column, "step_time");
}

TEST(Recipe, IsSaidFirst) {
  const std::string text = verdict_text(result_of(small_recipe()).verdicts);
  EXPECT_TRUE(text.starts_with("Verdict of both phases: the least step time\n")) << text;
  EXPECT_THAT(text, HasSubstr("both phases, small: A\n"));
  EXPECT_THAT(text, HasSubstr("together   13 s step time, 12 J energy_per_step"));
  EXPECT_THAT(text, HasSubstr("base: 10 s, 77 %, in TP4 PP1 no-rc"));
  EXPECT_THAT(text, HasSubstr("B: 17 s, 31 % more"));
  EXPECT_THAT(text, HasSubstr("1 of 2 combinations is not counted: a phase has nothing feasible"));
  EXPECT_THAT(verdict_text(result_of(small_recipe(), "phase == 'base'").verdicts),
              ::testing::StartsWith("Verdict: "));
}

// A file of the best of each phase has nothing on what is the best of another.
TEST(Recipe, SaysWhatTheFileDoesNotKeep) {
  TestStudy study = small_recipe();
  study.points = {study.points[2], study.points[3], study.points[6], study.points[8]};
  Verdicts verdicts = result_of(study).verdicts;
  verdicts.recipes.dropped = {"device"};
  const VerdictSheet sheet = recipe_sheet(verdicts, verdicts.recipes.answers.front());
  EXPECT_EQ(sheet.choice, "no whole run");
  EXPECT_THAT(sheet.lines.front().texts,
              ElementsAre("2 of 2 combinations are not counted: the file keeps the best device of "
                          "each phase alone; name it in per of [keep]"));
}

TEST(Recipe, IsATableAndOneOfItsPhases) {
  const AnalysisResult result = result_of(small_recipe());
  EXPECT_THAT(testing::texts_of(result, result["recipes"], "model"),
              ElementsAre("small", "small", "large"));
  EXPECT_THAT(testing::texts_of(result, result["recipes"], "device"), ElementsAre("A", "B", "B"));
  EXPECT_THAT(testing::numbers_of(result["recipes"], "rank"), ElementsAre(1.0, 2.0, 1.0));
  EXPECT_THAT(testing::numbers_of(result["recipes"], "step_time"), ElementsAre(13.0, 17.0, 17.0));
  const ResultTable& phases = result["recipe_phases"];
  EXPECT_THAT(testing::texts_of(result, phases, "phase"),
              ElementsAre("base", "long", "base", "long", "base", "long"));
  EXPECT_THAT(testing::numbers_of(phases, "point_id"), ElementsAre(0.0, 3.0, 2.0, 4.0, 6.0, 8.0));
  EXPECT_THAT(testing::numbers_of(phases, "tensor_parallel"),
              ElementsAre(4.0, 8.0, 1.0, 1.0, 1.0, 1.0));
  EXPECT_THAT(testing::numbers_of(phases, "step_time"),
              ElementsAre(10.0, 3.0, 7.0, 10.0, 7.0, 10.0));
}

// Nobody chooses what follows from the phase.
TEST(Recipe, SumsOverAxesThatVaryWithThePhase) {
  TestStudy study = study_of({names("phase", {"base", "long"}), names("precision", {"fp8", "bf16"}),
                              names("device", {"A", "B"})},
                             {point({0, 0, 0}, 1.0, 1.0, 1.0), point({0, 0, 1}, 2.0, 1.0, 1.0),
                              point({1, 1, 0}, 4.0, 1.0, 1.0), point({1, 1, 1}, 4.0, 2.0, 1.0)});
  study.root_attributes["together"] = R"([["phase","precision"]])";
  const Recipes recipes = result_of(study).verdicts.recipes;
  EXPECT_THAT(recipes.chosen, ElementsAre("device"));
  EXPECT_THAT(recipes.with, ElementsAre("precision"));
  ASSERT_EQ(recipes.answers.size(), 1U);
  EXPECT_THAT(recipes.answers[0].runs[0].sums, ElementsAre(9.0, 2.0));
  EXPECT_THAT(recipes.answers[0].runs[0].phases[1].labels, ElementsAre("bf16"));
}

TEST(Recipe, IsNothingWithoutPhasesOrWhatAddsUp) {
  TestStudy study = small_recipe();
  study.adds_up.clear();
  EXPECT_THAT(result_of(study).verdicts.recipes.answers, IsEmpty());
  EXPECT_TRUE(result_of(study)["recipes"].schema.empty());
  study = small_recipe();
  study.axes[1].name = "batch";
  EXPECT_THAT(result_of(study).verdicts.recipes.answers, IsEmpty());
}

// Any study: the best point of each combination and phase, added up in plain loops.
TEST(Recipe, IsWhatLoopsOverAllPointsFind) {
  std::mt19937 random(7);
  const auto below = [&](int end) {
    return std::uniform_int_distribution<int>(0, end - 1)(random);
  };
  for (int round = 0; round < 30; ++round) {
    const std::vector<int> sizes = {2, 2 + below(3), 3, 2};
    std::vector<store::AxisValues> axes;
    for (const auto& [name, size] :
         {std::pair("model", sizes[0]), std::pair("phase", sizes[1]), std::pair("device", sizes[2]),
          std::pair("memory", sizes[3])}) {
      std::vector<std::string> labels;
      for (int i = 0; i < size; ++i) {
        labels.push_back(fmt::format("{}{}", name, i));
      }
      axes.push_back(names(name, labels));
    }
    std::vector<TestPoint> points;
    for (int i = 0; i < 300; ++i) {
      points.push_back(point({below(sizes[0]), below(sizes[1]), below(sizes[2]), below(sizes[3])},
                             1.0 + below(1000), 1.0, 1.0, 1 + below(8)));
      points.back().status = below(3) == 0 ? 0 : 1;
    }
    // By model, device and memory, the least time of each phase.
    std::map<std::vector<int>, std::map<int, double>> best;
    for (const TestPoint& one : points) {
      if (one.status == 0) {
        auto& phases = best[{one.axes[0], one.axes[2], one.axes[3]}];
        const double time = one.charges_s[0] + 2.0;
        const auto [there, is_new] = phases.try_emplace(one.axes[1], time);
        there->second = std::min(there->second, time);
      }
    }
    std::map<int, double> least;
    std::map<int, std::size_t> whole;
    for (const auto& [key, phases] : best) {
      if (phases.size() == static_cast<std::size_t>(sizes[1])) {
        double sum = 0.0;
        for (const auto& [phase, time] : phases) {
          sum += time;
        }
        const auto [there, is_new] = least.try_emplace(key[0], sum);
        there->second = std::min(there->second, sum);
        ++whole[key[0]];
      }
    }
    const Recipes recipes = result_of(study_of(axes, points)).verdicts.recipes;
    ASSERT_EQ(recipes.answers.size(), 2U);
    for (const RecipeAnswer& answer : recipes.answers) {
      const int model = static_cast<int>(answer.key[0]);
      ASSERT_EQ(answer.runs.size(), whole[model]) << round;
      EXPECT_EQ(answer.combinations, 6);
      if (!answer.runs.empty()) {
        EXPECT_DOUBLE_EQ(answer.runs.front().sums[0], least.at(model)) << round;
      }
    }
  }
}

}  // namespace
}  // namespace scalesweep::analysis
