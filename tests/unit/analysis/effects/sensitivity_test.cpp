// What is told of the best points beside where their bottleneck moves: strategies kept and held,
// paths of several axes, phases, sensitivity, effects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/findings/along.hpp"
#include "analysis/findings/analyze.hpp"
#include "analysis/selection/slice.hpp"
#include "analysis/show/text_report.hpp"
#include "analysis/verdict/attribution.hpp"
#include "core/failure.hpp"
#include "unit/analysis/analysed_study.hpp"

namespace scalesweep::analysis {
namespace {

using testing::analysed;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNan;
using testing::names;
using ::testing::Not;
using testing::numbers_of;
using testing::point;
using testing::TemporaryFolder;
using testing::TestPoint;
using testing::TestStudy;
using testing::texts_of;
using testing::values;

std::string refusal(const TestStudy& study, const AnalyzeOptions& options) {
  try {
    analysed(study, options);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::bad_input);
    return failure.what();
  }
  return "nothing failed";
}

// Three nodes and two strategies: TP8 wins at first, TP16 at the last node.
TestStudy two_strategies() {
  TestStudy study;
  study.axes = {names("logic", {"N7", "N5", "N3"})};
  study.points = {point({0}, 8.0, 2.0, 0.0, 8), point({0}, 9.0, 2.0, 0.0, 16),
                  point({1}, 6.0, 2.0, 0.0, 8), point({1}, 7.0, 2.0, 0.0, 16),
                  point({2}, 5.0, 3.0, 0.0, 8), point({2}, 2.0, 3.0, 1.0, 16)};
  return study;
}

TEST(StrategyChanges, SayWhatKeepingTheOldOneWouldCost) {
  const AnalysisResult result = analysed(two_strategies());

  const ResultTable& t = result[tables::strategy_changes];
  EXPECT_THAT(texts_of(result, t, "from_tensor_parallel"), ElementsAre("8"));
  EXPECT_THAT(texts_of(result, t, "kept_status"), ElementsAre("ok"));
  EXPECT_THAT(numbers_of(t, "kept_point_id"), ElementsAre(4.0));
  EXPECT_THAT(numbers_of(t, "kept_time"), ElementsAre(8.0));
  EXPECT_THAT(numbers_of(t, "saving"), ElementsAre(0.25));
  EXPECT_THAT(texts_of(result, t, "firm"), ElementsAre("unknown"));
  EXPECT_THAT(result.findings, Contains("The best strategy changes once: tensor parallel in 1; "
                                        "the change saves 25 % at most (N5 -> N3)"));
}

TEST(StrategyChanges, SayWhereTheOldOneIsNotFeasibleOrNotInTheFile) {
  TestStudy unfit = two_strategies();
  unfit.points[4].status = 1;
  TestStudy missing = two_strategies();
  missing.points.erase(missing.points.begin() + 4);

  const AnalysisResult first = analysed(unfit);
  const AnalysisResult second = analysed(missing);

  EXPECT_THAT(texts_of(first, first[tables::strategy_changes], "kept_status"),
              ElementsAre("does_not_fit"));
  EXPECT_THAT(texts_of(first, first[tables::strategy_changes], "firm"), ElementsAre("yes"));
  EXPECT_TRUE(std::isnan(numbers_of(first[tables::strategy_changes], "saving")[0]));
  EXPECT_THAT(texts_of(second, second[tables::strategy_changes], "kept_status"),
              ElementsAre("not_in_file"));
  EXPECT_THAT(numbers_of(second[tables::strategy_changes], "kept_point_id"), ElementsAre(-1.0));
}

TEST(Hold, KeepsTheStrategyOfTheFirstValueAllAlong) {
  AnalyzeOptions hold;
  hold.hold = true;

  const AnalysisResult result = analysed(two_strategies(), hold);

  EXPECT_TRUE(result.held);
  EXPECT_THAT(numbers_of(result[tables::best], "step_time"), ElementsAre(10.0, 8.0, 8.0));
  EXPECT_THAT(numbers_of(result[tables::best], "tensor_parallel"), ElementsAre(8.0, 8.0, 8.0));
  EXPECT_EQ(result[tables::strategy_changes].table.rows(), 0u);
}

TEST(Hold, SaysWhereTheStrategyStopsBeingFeasible) {
  TestStudy study = two_strategies();
  study.points[4].status = 1;
  AnalyzeOptions hold;
  hold.hold = true;

  const AnalysisResult result = analysed(study, hold);

  EXPECT_THAT(result.best_rows, ElementsAre(0, 1, -1));
  EXPECT_THAT(result.notes, Contains("the strategy that is held is not feasible in 1 of 3 "
                                     "combinations (does not fit 1)"));
  EXPECT_THAT(result.findings, Contains(HasSubstr("not feasible with the strategy held at N3")));
}

TestStudy roadmap() {
  TestStudy study;
  study.axes = {names("logic", {"N7", "N5", "N3"}), names("memory", {"HBM2", "HBM3"}),
                names("scale_out", {"HDR", "NDR"})};
  for (std::int32_t logic = 0; logic < 3; ++logic) {
    for (std::int32_t memory = 0; memory < 2; ++memory) {
      for (std::int32_t network = 0; network < 2; ++network) {
        study.points.push_back(point({logic, memory, network}, 8.0 / (1 << logic),
                                     3.0 / (1 << memory), 1.0 / (1 << network)));
      }
    }
  }
  return study;
}

TEST(Path, SeveralAxesAdvanceTogether) {
  AnalyzeOptions options;
  options.along = "logic,memory";

  const AnalysisResult result = analysed(roadmap(), options);

  EXPECT_EQ(result.along, "path");
  EXPECT_THAT(result.along_axes, ElementsAre("logic", "memory"));
  EXPECT_THAT(result.panels, ElementsAre("scale_out"));
  EXPECT_THAT(texts_of(result, result[tables::best], "path"),
              ElementsAre("N7+HBM2", "N5+HBM3", "N3+HBM3", "N7+HBM2", "N5+HBM3", "N3+HBM3"));
  EXPECT_THAT(numbers_of(result[tables::best], "step_time"),
              ElementsAre(12.0, 6.5, 4.5, 11.5, 6.0, 4.0));
  EXPECT_EQ(result[tables::coverage].table.rows(), 6u);
  EXPECT_EQ(result["phases"].table.rows(), 12u);  // over all combinations all the same
}

TEST(Path, EveryAxisGoesFromItsFirstToItsLastValue) {
  StudyLayout layout;
  for (const std::size_t size : {7u, 4u, 1u}) {
    layout.axes.push_back({"a", "", "", std::vector<std::string>(size, "x"), {}});
    layout.along_axes.push_back(layout.axes.size() - 1);
  }

  const Along along = make_along(layout);

  ASSERT_EQ(along.steps.size(), 7u);
  std::vector<std::int32_t> second;
  for (const std::vector<std::int32_t>& step : along.steps) {
    second.push_back(step[1]);
    EXPECT_EQ(step[2], 0);
  }
  EXPECT_THAT(second, ElementsAre(0, 1, 1, 2, 2, 3, 3));
}

TEST(Path, AnAxisTwiceIsRefused) {
  AnalyzeOptions options;
  options.along = "logic,logic";
  EXPECT_THAT(refusal(roadmap(), options), HasSubstr("the axis 'logic' is named twice"));
  options.along = "logic,memry";
  EXPECT_THAT(refusal(roadmap(), options), HasSubstr("no axis 'memry'; did you mean 'memory'?"));
}

TEST(Where, OnlyRowsThatFulfilItTakePart) {
  AnalyzeOptions options;
  options.where = "tensor_parallel <= 8 and logic != 'N5'";

  const AnalysisResult result = analysed(two_strategies(), options);

  EXPECT_THAT(numbers_of(result[tables::best], "step_time"), ElementsAre(10.0, 8.0));
  EXPECT_THAT(result.best_rows, ElementsAre(0, 1));
  EXPECT_THAT(numbers_of(result[tables::coverage], "rows_ok"), ElementsAre(1.0, 1.0));
  EXPECT_EQ(result[tables::strategy_changes].table.rows(), 0u);
}

TEST(Phases, ShowWhatDominatesEveryCellAndWhereTheBoundaryIs) {
  TestStudy study = roadmap();
  study.points.resize(11);  // nothing at N3, HBM3, NDR
  const AnalysisResult result = analysed(study);

  const ResultTable& t = result["phases"];
  EXPECT_THAT(t.description, HasSubstr("over logic node and memory"));
  EXPECT_THAT(result.phase_axes, ElementsAre("logic", "memory"));
  ASSERT_EQ(t.table.rows(), 12u);
  std::map<std::string, std::string> groups;
  std::map<std::string, double> crossings;
  for (std::size_t row = 0; row < t.table.rows(); ++row) {
    const std::string cell = cell_text(result.axes, t, column_of(t, "logic"), row) + " " +
                             cell_text(result.axes, t, column_of(t, "memory"), row) + " " +
                             cell_text(result.axes, t, column_of(t, "scale_out"), row);
    groups[cell] = cell_text(result.axes, t, column_of(t, "dominant_group"), row);
    crossings[cell] = t.table.number(column_of(t, "crossing_logic"), row);
  }
  EXPECT_EQ(groups["N5 HBM2 HDR"], "compute");
  EXPECT_EQ(groups["N3 HBM2 HDR"], "memory");
  EXPECT_EQ(groups["N3 HBM3 HDR"], "compute");
  EXPECT_EQ(groups["N3 HBM3 NDR"], "none");
  EXPECT_TRUE(std::isnan(crossings["N7 HBM2 HDR"]));
  // 4 s against 3 s of memory, then 2 s: where it is 3 s.
  EXPECT_NEAR(crossings["N5 HBM2 HDR"], 1.0 + std::log2(4.0 / 3.0), 1e-9);
}

TEST(Phases, AxesThatCannotBeAreRefused) {
  AnalyzeOptions options;
  options.phase = {"logic", "memry"};
  EXPECT_THAT(refusal(roadmap(), options),
              HasSubstr("a phase diagram over 'memry': the study has no such axis; did you mean "
                        "'memory'?"));
  options.phase = {"logic", "logic"};
  EXPECT_THAT(refusal(roadmap(), options), HasSubstr("over two different axes"));
  TestStudy one = two_strategies();
  one.axes.insert(one.axes.begin(), names("model", {"m"}));
  for (TestPoint& p : one.points) {
    p.axes.insert(p.axes.begin(), 0);
  }
  options.phase = {"logic", "model"};
  EXPECT_THAT(refusal(one, options), HasSubstr("the axis has one value"));
  EXPECT_EQ(analysed(one)["phases"].schema.size(), 0u);
}

// Logic and memory advance together, over two networks.
TestStudy generations() {
  TestStudy study;
  study.axes = {names("logic", {"N7", "N5"}), names("memory", {"HBM2", "HBM3"}),
                names("scale_out", {"HDR", "NDR"})};
  for (const std::int32_t generation : {0, 1}) {
    for (const std::int32_t network : {0, 1}) {
      study.points.push_back(
          point({generation, generation, network}, 8.0 - 2.0 * generation - network, 2.0, 1.0));
    }
  }
  study.root_attributes = {{"together", R"([["logic","memory"]])"}};
  return study;
}

TEST(Phases, AxesThatAdvanceTogetherAreNoPlane) {
  const AnalysisResult result = analysed(generations());
  EXPECT_THAT(result.phase_axes, ElementsAre("logic", "scale_out"));
  AnalyzeOptions options;
  options.phase = {"logic", "memory"};
  EXPECT_THAT(refusal(generations(), options),
              HasSubstr("a phase diagram over 'logic' and 'memory': the two advance together; "
                        "those that vary are logic, memory, scale_out"));
  options.phase = {"memory", "scale_out"};
  EXPECT_THAT(analysed(generations(), options).phase_axes, ElementsAre("memory", "scale_out"));
}

TEST(Sensitivity, GivesElasticityGainAndRankOfEveryResource) {
  TestStudy study;
  study.axes = {names("logic", {"N7", "N5"})};
  study.points = {point({0}, 6.0, 3.0, 1.0), point({1}, 2.0, 7.0, 1.0)};

  const AnalysisResult result = analysed(study);

  const ResultTable& t = result["sensitivity"];
  ASSERT_EQ(t.table.rows(), 16u);
  EXPECT_THAT(texts_of(result, t, "resource")[2], "dram");
  EXPECT_DOUBLE_EQ(numbers_of(t, "elasticity")[2], 0.3);
  // 3 s of 10 at 1.1 times the rate.
  EXPECT_NEAR(numbers_of(t, "gain_10")[2], (3.0 - 3.0 / 1.1) / 10.0, 1e-12);
  EXPECT_EQ(numbers_of(t, "rank")[2], 2.0);
  EXPECT_EQ(numbers_of(t, "rank")[8 + 2], 1.0);
  const ResultTable& improvements = result[tables::improvements];
  EXPECT_THAT(texts_of(result, improvements, "resource")[2], "dram");
  EXPECT_NEAR(numbers_of(improvements, "mean_gain")[2], gain_of_ten_percent(0.5), 1e-12);
  EXPECT_EQ(numbers_of(improvements, "next_at")[2], 1.0);
  EXPECT_EQ(numbers_of(improvements, "points")[2], 2.0);
  EXPECT_NEAR(numbers_of(improvements, "mean_gain_next")[2], gain_of_ten_percent(0.7), 1e-12)
      << "where it is next";
  EXPECT_TRUE(std::isnan(numbers_of(improvements, "mean_gain_next")[6])) << "it is nowhere";
  EXPECT_EQ(result["panel_improvements"].schema.size(), 0u);
}

TEST(Effects, TellWhichAxesMatter) {
  TestStudy study;
  study.axes = {names("logic", {"N7", "N5"}), names("memory", {"HBM2", "HBM3"}),
                names("scale_out", {"HDR", "NDR"})};
  // Times are products, so that their logarithms are sums: no interactions.
  for (std::int32_t i = 0; i < 8; ++i) {
    const std::int32_t logic = i / 4;
    const std::int32_t memory = i / 2 % 2;
    const double time_s = 10.0 * (logic == 1 ? 0.25 : 1.0) * (memory == 1 ? 0.5 : 1.0);
    study.points.push_back(point({logic, memory, i % 2}, time_s, 0.0, 0.0));
  }

  const AnalysisResult result = analysed(study);

  // The grid has the axis of the study last: memory, scale_out, logic.
  EXPECT_THAT(texts_of(result, result[tables::effects], "factor"),
              ElementsAre("memory", "scale_out", "logic"));
  EXPECT_NEAR(numbers_of(result[tables::effects], "first_order")[0], 0.2, 1e-9);
  EXPECT_NEAR(numbers_of(result[tables::effects], "first_order")[1], 0.0, 1e-9);
  EXPECT_NEAR(numbers_of(result[tables::effects], "first_order")[2], 0.8, 1e-9);
  EXPECT_NEAR(numbers_of(result[tables::effects], "total")[2], 0.8, 1e-9);
  for (const double pair : numbers_of(result["interactions"], "second_order")) {
    EXPECT_NEAR(pair, 0.0, 1e-9);
  }
  EXPECT_THAT(result.findings, Contains(HasSubstr("varies with the logic node 80 %, memory 20 %")));
}

TEST(Effects, OfAFieldAreThoseOfTheBestWithThatFieldHeld) {
  TestStudy study;
  study.axes = {names("logic", {"N7", "N5"})};
  study.points = {point({0}, 4.0, 0.0, 0.0, 8), point({0}, 1.0, 0.0, 0.0, 16),
                  point({0}, 9.0, 0.0, 0.0, 8), point({1}, 4.0, 0.0, 0.0, 8),
                  point({1}, 1.0, 0.0, 0.0, 16)};

  const AnalysisResult result = analysed(study);

  EXPECT_THAT(texts_of(result, result[tables::effects], "factor"),
              ElementsAre("logic", "tensor_parallel"));
  EXPECT_THAT(texts_of(result, result[tables::effects], "kind"), ElementsAre("axis", "strategy"));
  EXPECT_TRUE(std::isnan(numbers_of(result[tables::effects], "total")[0]))
      << "no other axis varies";
  EXPECT_NEAR(numbers_of(result[tables::effects], "total")[1], 1.0, 1e-9);
}

TEST(Effects, CombinationsThatAreMissingAreSaid) {
  TestStudy study = roadmap();
  for (std::size_t i = 0; i < 4; ++i) {
    study.points[i].status = 1;  // all of N7
  }

  const AnalysisResult result = analysed(study);

  EXPECT_THAT(result.notes,
              Contains("effects: over 8 of 8 feasible combinations, without N7 of "
                       "the logic node, where others are missing or no feasible point is known"));
  EXPECT_THAT(numbers_of(result[tables::effects], "left_out"), ElementsAre(0.0, 0.0, 1.0));
}

TEST(Effects, WhereOneFactorAloneVariesNothingIsTold) {
  TestStudy study;
  study.axes = {names("logic", {"N7", "N5"}), names("memory", {"HBM2", "HBM3"})};
  study.points = {point({0, 0}, 4.0, 0.0, 0.0, 8), point({0, 1}, 1.0, 0.0, 0.0, 8),
                  point({1, 0}, 9.0, 0.0, 0.0, 8), point({1, 1}, 3.0, 0.0, 0.0, 8)};
  study.points[3].status = 1;

  const AnalysisResult result = analysed(study);

  for (const char* name : {"first_order", "total"}) {
    EXPECT_THAT(numbers_of(result[tables::effects], name), Each(IsNan()));
  }
  EXPECT_THAT(result.notes,
              Contains("effects: too few combinations are feasible to tell which axes matter: "
                       "memory alone varies where no combination is missing (without N5 of the "
                       "logic node)"));
  EXPECT_THAT(result.findings, Not(Contains(HasSubstr("varies with"))));
  EXPECT_THAT(format_analysis(result, Format::text), Not(HasSubstr("What the variance")));
}

}  // namespace
}  // namespace scalesweep::analysis
