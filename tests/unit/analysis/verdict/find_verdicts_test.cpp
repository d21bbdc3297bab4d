// Verdicts of small studies: what is best, what comes next, and why there is none.
#include "analysis/verdict/find_verdicts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/selection/read_layout.hpp"
#include "analysis/show/verdict_text.hpp"
#include "analysis/verdict/proposal/proposal.hpp"
#include "analysis/verdict/why/obstacle.hpp"
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
using testing::values;

Verdicts verdicts_of(const TestStudy& study, const std::string& where = "",
                     const std::vector<Objective>& objectives = {}) {
  const testing::TemporaryFolder folder;
  study.write(folder.path() / "study.h5");
  const store::StudyReader reader(folder.path() / "study.h5");
  const StudyLayout layout =
      read_layout(reader, {.along = "", .objectives = objectives, .where = where, .reading = {}});
  return find_verdicts(reader, layout, questions_of(layout), where);
}

// A point with an error bar and a layout.
TestPoint layout_point(std::vector<std::int32_t> axes, double time_s, std::int32_t tensor,
                       std::int32_t pipeline, std::int32_t chunks = 1) {
  TestPoint result = point(std::move(axes), 0.6 * time_s, 0.3 * time_s, 0.1 * time_s, tensor);
  result.pipeline_parallel = pipeline;
  result.chunks = chunks;
  result.error_bar = 0.1;
  return result;
}

// Two models on three devices; the second model fits on none but the last.
TestStudy devices_study() {
  TestStudy study;
  study.axes = {names("model", {"small", "large"}), names("device", {"A", "B", "C"})};
  study.points = {layout_point({0, 0}, 10.0, 4, 1),  layout_point({0, 0}, 10.05, 2, 1),
                  layout_point({0, 0}, 10.08, 2, 2), layout_point({0, 1}, 10.09, 2, 1),
                  layout_point({0, 2}, 11.5, 2, 1),  layout_point({0, 2}, 13.0, 2, 1),
                  layout_point({1, 0}, 40.0, 2, 1),  layout_point({1, 1}, 40.0, 2, 1),
                  layout_point({1, 2}, 30.0, 2, 1)};
  study.points[6].status = 1;
  study.points[7].status = 1;
  return study;
}

TEST(FindVerdicts, EachModelIsAQuestionAndTheDeviceItsAnswer) {
  const Verdicts verdicts = verdicts_of(devices_study());
  EXPECT_THAT(verdicts.per, ElementsAre("model"));
  EXPECT_THAT(verdicts.chosen, ElementsAre("device"));
  EXPECT_EQ(verdicts.objective_words, "step time");
  ASSERT_EQ(verdicts.answers.size(), 2U);
  EXPECT_EQ(verdicts.answers[0].question, "small");
  EXPECT_THAT(verdicts.answers[0].best.labels, ElementsAre("A"));
  EXPECT_EQ(verdicts.answers[1].question, "large");
  EXPECT_THAT(verdicts.answers[1].best.labels, ElementsAre("C"));
  EXPECT_THAT(verdicts.answers[1].others, IsEmpty());
}

TEST(FindVerdicts, TakesTheSimplestLayoutWithinOnePercent) {
  const Verdict verdict = verdicts_of(devices_study()).answers[0];
  EXPECT_EQ(verdict.best.id, 0);
  EXPECT_EQ(verdict.best.layout, "TP4 PP1 no-rc");
  EXPECT_EQ(verdict.taken.id, 1);
  EXPECT_EQ(verdict.taken.layout, "TP2 PP1 no-rc");
  EXPECT_EQ(verdict.layouts, 3);
}

TEST(FindVerdicts, TellsHowFarBehindOthersAre) {
  const Verdict verdict = verdicts_of(devices_study()).answers[0];
  ASSERT_EQ(verdict.others.size(), 2U);
  EXPECT_THAT(verdict.others[0].point.labels, ElementsAre("B"));
  EXPECT_NEAR(verdict.others[0].gap, 0.009, 1e-12);
  EXPECT_EQ(verdict.others[0].standing, Standing::tie);
  EXPECT_THAT(verdict.others[1].point.labels, ElementsAre("C"));
  EXPECT_NEAR(verdict.others[1].gap, 0.15, 1e-12);
  EXPECT_EQ(verdict.others[1].standing, Standing::near_tie);
  EXPECT_EQ(verdict.choices, 3);
}

TEST(FindVerdicts, SaysWhatLimitsAndWhatTenPercentMoreSaves) {
  const Verdict verdict = verdicts_of(devices_study()).answers[0];
  EXPECT_EQ(verdict.group, "compute");
  EXPECT_NEAR(verdict.group_share, 0.6, 1e-12);
  ASSERT_GE(verdict.limits.size(), 3U);
  EXPECT_EQ(verdict.limits[0].resource, "tensor_compute");
  EXPECT_EQ(verdict.limits[1].resource, "dram");
  EXPECT_NEAR(verdict.limits[1].gain_10, 0.3 * (1.0 - 1.0 / 1.1), 1e-12);
}

// Of the objective that comes first, in its direction.
// Of two layouts that tie one is limited by compute and one by the network.
TEST(FindVerdicts, SharesAreRangesOverLayoutsThatTie) {
  TestStudy study;
  study.axes = {names("device", {"A", "B"})};
  study.points = {point({0}, 6.0, 1.0, 3.0, 2), point({0}, 3.0, 1.0, 6.05, 8),
                  point({0}, 1.0, 9.0, 1.0, 4), point({1}, 1.0, 9.0, 9.0, 2)};

  const Verdicts verdicts = verdicts_of(study);

  const Verdict& verdict = verdicts.answers[0];
  EXPECT_EQ(verdict.tied, 2);
  EXPECT_THAT(verdict.groups, ElementsAre("compute", "network"));
  ASSERT_EQ(verdict.limits[1].resource, "scale_out");
  EXPECT_NEAR(verdict.limits[1].least, 0.3, 1e-12);
  EXPECT_NEAR(verdict.limits[1].most, 6.05 / 10.05, 1e-12);
  EXPECT_THAT(
      verdict_text(verdicts),
      HasSubstr("compute- or network-bound, by the layout: tensor compute 30 to\n"
                "                 60 %, scale-out network 30 to 60 %, DRAM 10 % of the step time\n"
                "                 over 2 layouts that tie"));
}

TEST(FindVerdicts, FollowsTheObjective) {
  const Verdicts verdicts =
      verdicts_of(devices_study(), "model == 'small'", {{"step_time", Direction::maximize}});
  ASSERT_EQ(verdicts.answers.size(), 1U);
  EXPECT_THAT(verdicts.answers[0].best.labels, ElementsAre("C"));
  EXPECT_EQ(verdicts.answers[0].best.id, 5);
  EXPECT_NEAR(verdicts.answers[0].others[0].gap, 1.0 - 10.09 / 13.0, 1e-12);
}

TEST(FindVerdicts, AConditionLeavesRowsOut) {
  const Verdicts verdicts = verdicts_of(devices_study(), "device != 'A'");
  EXPECT_THAT(verdicts.answers[0].best.labels, ElementsAre("B"));
}

TEST(FindVerdicts, SaysWhyAQuestionHasNoAnswer) {
  TestStudy study = devices_study();
  study.points[8].status = 1;
  const Verdicts verdicts = verdicts_of(study);
  const Verdict& none = verdicts.answers[1];
  EXPECT_FALSE(none.is_answered());
  EXPECT_EQ(none.obstacle.status, "does_not_fit");
  EXPECT_EQ(none.obstacle.points, 3);
  EXPECT_EQ(none.obstacle.all, 3);
}

TEST(FindVerdicts, WhatAFilterLeftOutIsNoReasonBesideOthers) {
  TestStudy study = devices_study();
  study.points[6].status = study.points[7].status = 2;
  study.points[8].status = 1;
  const Verdicts verdicts = verdicts_of(study);
  EXPECT_EQ(verdicts.answers[1].obstacle.status, "does_not_fit");
  EXPECT_EQ(verdicts.not_asked, 0);
}

TEST(FindVerdicts, WhatAFilterLeavesOutAltogetherIsNotAsked) {
  TestStudy study = devices_study();
  study.points[6].status = study.points[7].status = study.points[8].status = 2;
  const Verdicts verdicts = verdicts_of(study);
  ASSERT_EQ(verdicts.answers.size(), 1U);
  EXPECT_EQ(verdicts.answers[0].question, "small");
  EXPECT_EQ(verdicts.not_asked, 1);
  EXPECT_THAT(verdict_notes(verdicts),
              ElementsAre("1 combination of model is not asked: filters of the spec leave it out"));
}

TEST(FindVerdicts, SaysHowManyTimesTheMemoryIsNeeded) {
  Obstacle obstacle = {"does_not_fit", 3, 3, "memory_reserved", 23.7};
  obstacle.is_of_capacity = true;
  EXPECT_EQ(obstacle_words(obstacle),
            "3 of 3 points: does not fit; at best needs 23.7 times the memory of a device");
  obstacle.all = 5;
  obstacle.missed = {{"misses_in_budget", 2}};
  EXPECT_EQ(obstacle_words(obstacle),
            "3 of 5 points: does not fit; at best needs 23.7 times the memory of a device; 2: "
            "misses in budget");
}

TEST(FindVerdicts, QuestionsWithoutAnAnswerComeLast) {
  TestStudy study = devices_study();
  study.points[0].status = study.points[1].status = study.points[2].status = 1;
  study.points[3].status = study.points[4].status = study.points[5].status = 1;
  const Verdicts verdicts = verdicts_of(study);
  ASSERT_EQ(verdicts.answers.size(), 2U);
  EXPECT_EQ(verdicts.answers[0].question, "large");
  EXPECT_EQ(verdicts.answers[1].question, "small");
  EXPECT_FALSE(verdicts.answers[1].is_answered());
}

// A file that keeps feasible points alone has no row of what a filter left out; its spec says it.
TEST(FindVerdicts, AFilterOnQuestionsIsReadFromTheSpec) {
  TestStudy study;
  study.axes = {names("model", {"small"}), values("sequence", {1024, 2048}, "1"),
                values("global_batch", {16, 32}, "1"), names("device", {"A", "B"})};
  study.axes[1].labels = {"1024", "2048"};
  study.axes[2].labels = {"16", "32"};
  study.points = {layout_point({0, 0, 1, 0}, 10.0, 2, 1)};
  study.root_attributes = {{"keep", R"({"policy":"feasible"})"}};
  study.not_kept = 7;
  study.spec = R"(
schema = 1
title = "four combinations"
[workload]
kind = "training"
model = "llama-2-7b"
sequence = [1024, 2048]
global_batch = [16, 32]
[system]
accelerators = 8
device = ["h100-sxm", "h200-sxm"]
[strategy]
tensor_parallel = [1, 2]
[[filter]]
where = "sequence * global_batch == 32768"
[[filter]]
where = "tensor_parallel <= 4"
)";
  const Verdicts verdicts = verdicts_of(study);
  EXPECT_EQ(verdicts.not_asked, 2);
  ASSERT_EQ(verdicts.answers.size(), 2U);
  EXPECT_TRUE(verdicts.answers[0].is_answered());
  EXPECT_EQ(verdicts.answers[1].question, "small, sequence length 2048, global batch 16");
  EXPECT_FALSE(verdicts.answers[1].is_answered());
}

// The second model fits nowhere, and the file keeps feasible points alone.
TestStudy without_rows_of_large() {
  TestStudy study = devices_study();
  study.points[8].status = 1;
  study.root_attributes = {{"keep", R"({"policy":"feasible"})"}};
  study.only_feasible = true;
  return study;
}

TEST(FindVerdicts, WhatWasCountedSaysWhyTheFileHasNoRow) {
  TestStudy study = without_rows_of_large();
  study.outcome_tables = {{"questions", {"model"}}};
  const Verdicts verdicts = verdicts_of(study);
  ASSERT_EQ(verdicts.answers.size(), 2U);
  EXPECT_EQ(verdicts.answers[1].question, "large");
  EXPECT_EQ(obstacle_words(verdicts.answers[1].obstacle), "3 of 3 points: does not fit");
}

TEST(FindVerdicts, WhereNothingWasCountedItSaysSo) {
  const Verdicts verdicts = verdicts_of(without_rows_of_large());
  ASSERT_EQ(verdicts.answers.size(), 2U);
  EXPECT_EQ(obstacle_words(verdicts.answers[1].obstacle), "the file has no point of it");
}

// A condition on axes holds for what was counted, as far as a table tells them apart.
TEST(FindVerdicts, AConditionOnAxesHoldsForWhatWasCounted) {
  TestStudy study = devices_study();
  study.axes.insert(study.axes.begin() + 1, values("sequence", {1024, 2048}, ""));
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    study.points[i].axes.insert(study.points[i].axes.begin() + 1, i == 8 ? 1 : 0);
  }
  study.root_attributes = {{"keep", R"({"policy":"feasible"})"}};
  study.only_feasible = true;
  study.points[7].status = 2;
  study.outcome_tables = {{"questions", {"model", "sequence"}},
                          {"combinations", {"model", "sequence", "device"}}};
  const auto why = [&](const std::string& where) {
    const Verdicts verdicts = verdicts_of(study, where);
    for (const Verdict& verdict : verdicts.answers) {
      if (!verdict.is_answered() && verdict.question == "large, sequence length 1024") {
        return obstacle_words(verdict.obstacle);
      }
    }
    return std::string("not asked");
  };
  EXPECT_EQ(why(""), "1 of 2 points: does not fit");
  EXPECT_EQ(why("device != 'B'"), "1 of 1 points: does not fit");
  EXPECT_EQ(why("device != 'A'"), "not asked");  // a filter left out all there is
  study.outcome_tables.pop_back();
  EXPECT_EQ(why("device != 'B'"), "the file has no point of it");
}

TEST(FindVerdicts, WhatAFilterLeftOutAltogetherIsCountedAsNotAsked) {
  TestStudy study = without_rows_of_large();
  study.outcome_tables = {{"questions", {"model"}}};
  study.points[6].status = study.points[7].status = study.points[8].status = 2;
  const Verdicts verdicts = verdicts_of(study);
  EXPECT_EQ(verdicts.answers.size(), 1U);
  EXPECT_EQ(verdicts.not_asked, 1);
}

TEST(FindVerdicts, FeasiblePointsThatTheFileDroppedAreNoReason) {
  TestStudy study = without_rows_of_large();
  study.points[8].status = 0;
  study.outcome_tables = {{"questions", {"model"}}};
  study.points[8].charges_s = {};
  study.points[8].charges_s[0] = std::nan("");
  const Verdicts verdicts = verdicts_of(study);
  EXPECT_EQ(obstacle_words(verdicts.answers[1].obstacle),
            "the file has no value of any of its 1 feasible points, of 3");
}

TEST(FindVerdicts, SaysWhichDevicesDecode) {
  TestStudy study;
  study.axes = {names("device", {"A", "B"}), names("prefill_device", {"A", "B"})};
  study.points = {layout_point({0, 1}, 10.0, 2, 1), layout_point({1, 1}, 12.0, 2, 1)};
  EXPECT_EQ(verdict_sheet(verdicts_of(study), verdicts_of(study).answers[0]).choice,
            "decode on A, prompts on B");
}

TEST(FindVerdicts, WarnsWhereTheBestLiesAtTheEndOfAnAxis) {
  TestStudy study;
  study.axes = {values("power", {300, 500, 700}, "W")};
  study.points = {layout_point({0}, 12.0, 2, 1), layout_point({1}, 11.0, 2, 1),
                  layout_point({2}, 10.0, 2, 1)};
  const Verdict at_the_end = verdicts_of(study).answers[0];
  EXPECT_THAT(at_the_end.cautions,
              ElementsAre("power per accelerator 700 W is the largest that was asked: beyond it "
                          "may be better"));
  study.points[1] = layout_point({1}, 10.05, 2, 1);  // it no longer matters
  EXPECT_THAT(verdicts_of(study).answers[0].cautions, IsEmpty());
  study.points[1] = layout_point({1}, 9.0, 2, 1);
  EXPECT_THAT(verdicts_of(study).answers[0].cautions, IsEmpty());
}

TEST(FindVerdicts, WithoutErrorBarsNothingIsSaidOfThem) {
  TestStudy study = devices_study();
  for (TestPoint& one : study.points) {
    one.error_bar = 0.0;
  }
  EXPECT_EQ(verdicts_of(study).answers[0].others[1].standing, Standing::unknown);
}

TEST(FindVerdicts, OfEqualPointsTheSmallestIdIsTheBest) {
  TestStudy study;
  study.axes = {names("device", {"A", "B"})};
  study.points = {layout_point({1}, 10.0, 2, 1), layout_point({0}, 10.0, 2, 1)};
  const Verdict verdict = verdicts_of(study).answers[0];
  EXPECT_EQ(verdict.best.id, 0);
  EXPECT_THAT(verdict.best.labels, ElementsAre("B"));
}

TestPoint doubtful(std::vector<std::int32_t> axes, double time_s, double error_bar,
                   std::int32_t tensor = 2) {
  TestPoint result = layout_point(std::move(axes), time_s, tensor, 1);
  result.error_bar = error_bar;
  return result;
}

TEST(FindVerdicts, WhatCannotBeToldApartGivesWayToWhatIsBetterKnown) {
  TestStudy study;
  study.axes = {names("device", {"A", "B"})};
  study.points = {doubtful({0}, 10.0, 0.42), doubtful({0}, 10.05, 0.42, 1),
                  doubtful({0}, 10.3, 0.07), doubtful({0}, 10.2, 0.08, 4),
                  doubtful({1}, 16.0, 0.07)};
  const Verdicts verdicts = verdicts_of(study);
  const Verdict& verdict = verdicts.answers[0];
  EXPECT_TRUE(verdict.better_known);
  EXPECT_EQ(verdict.taken.id, 3);
  EXPECT_EQ(verdict.best.id, 0);
  ASSERT_EQ(verdict.others.size(), 1U);
  EXPECT_NEAR(verdict.others[0].gap, 16.0 / 10.2 - 1.0, 1e-12);
  const VerdictSheet sheet = verdict_sheet(verdicts, verdict);
  EXPECT_EQ(sheet.lines[1].texts[0],
            "TP4 PP1 no-rc; better known than the best by estimate, which cannot be told apart "
            "from it");
  EXPECT_EQ(sheet.lines[2].label, "or");
  EXPECT_EQ(sheet.lines[2].texts[0],
            "TP2 PP1 no-rc, with 10 s +- 42 % if it is as good as estimated, 2.0 % less");
}

// Of devices as well. What is as little known as the best is faster than the proposal.
TEST(FindVerdicts, ABetterKnownDeviceIsProposed) {
  TestStudy study;
  study.axes = {names("device", {"A", "B", "C"})};
  study.points = {doubtful({0}, 10.0, 0.42), doubtful({1}, 12.0, 0.07), doubtful({2}, 11.0, 0.4)};
  const Verdicts verdicts = verdicts_of(study);
  const Verdict& verdict = verdicts.answers[0];
  EXPECT_THAT(verdict.taken.labels, ElementsAre("B"));
  EXPECT_THAT(verdict.best.labels, ElementsAre("A"));
  ASSERT_EQ(verdict.others.size(), 1U);
  EXPECT_THAT(verdict.others[0].point.labels, ElementsAre("C"));
  EXPECT_EQ(verdict.others[0].standing, Standing::near_tie);
  const std::string text = verdict_text(verdicts, 200);
  EXPECT_THAT(text, HasSubstr("A, TP2 PP1 no-rc, with 10 s +- 42 % if it is as good as estimated"));
  EXPECT_THAT(text, HasSubstr("C: 8.3 % less, within the error bars"));
  study.points[1] = doubtful({1}, 15.0, 0.07);  // beyond the error bar
  EXPECT_THAT(verdicts_of(study).answers[0].taken.labels, ElementsAre("A"));
}

TEST(FindVerdicts, ASimplerLayoutThatIsLessWellKnownIsNotTaken) {
  TestStudy study;
  study.axes = {names("device", {"A", "B"})};
  study.points = {doubtful({0}, 10.0, 0.07, 4), doubtful({0}, 10.05, 0.42, 2),
                  doubtful({0}, 10.06, 0.08, 2), doubtful({1}, 20.0, 0.07)};
  const Verdict verdict = verdicts_of(study).answers[0];
  EXPECT_EQ(verdict.taken.id, 2);
  EXPECT_EQ(verdict.layouts, 2);
  EXPECT_FALSE(verdict.better_known);
}

// The figure that says how much is made of it is not what the error bar is of.
TEST(FindVerdicts, WhatIsTakenAsCertainGivesNoWay) {
  TestStudy study;
  study.axes = {names("device", {"A", "B"})};
  study.points = {doubtful({0}, 10.0, 0.42), doubtful({1}, 10.0, 0.07)};
  study.points[1].energy_j = 1.1;
  const Verdict verdict =
      verdicts_of(study, "", {{"energy_per_step", Direction::minimize}}).answers[0];
  EXPECT_THAT(verdict.taken.labels, ElementsAre("A"));
}

TEST(FindVerdicts, CountsWhatCannotBeToldApart) {
  TestStudy study;
  study.axes = {names("model", {"small", "large"}), names("device", {"A", "B"})};
  study.points = {doubtful({0, 0}, 10.0, 0.42), doubtful({0, 0}, 10.2, 0.07),
                  doubtful({0, 1}, 10.7, 0.07), doubtful({0, 1}, 11.0, 0.07),
                  doubtful({0, 1}, 14.0, 0.42), doubtful({0, 1}, 15.0, 0.42),
                  doubtful({1, 0}, 10.2, 0.07)};
  const testing::TemporaryFolder folder;
  study.write(folder.path() / "study.h5");
  const store::StudyReader reader(folder.path() / "study.h5");
  const StudyLayout layout = read_layout(reader, {});
  Verdicts verdicts = find_verdicts(reader, layout, questions_of(layout), "");
  count_alike(reader, layout, "", verdicts);
  EXPECT_EQ(verdicts.answers[0].taken.id, 1);
  EXPECT_EQ(verdicts.answers[0].alike, 4);  // but 11.0 and 15.0
  EXPECT_EQ(verdicts.answers[1].alike, 1);
}

}  // namespace
}  // namespace scalesweep::analysis
