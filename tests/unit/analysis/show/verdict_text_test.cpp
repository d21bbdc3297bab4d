#include "analysis/show/verdict_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "analysis/show/data_text.hpp"
#include "analysis/show/text_report.hpp"
#include "analysis/verdict/why/savings.hpp"
#include "unit/analysis/analysed_study.hpp"

namespace scalesweep::analysis {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

RunnerUp runner_up(const std::string& device, double gap, Standing standing) {
  RunnerUp other;
  other.point.labels = {device};
  other.gap = gap;
  other.standing = standing;
  return other;
}

Verdicts example() {
  Verdict verdict;
  verdict.question = "llama-3-70b";
  verdict.taken.row = 1;
  verdict.taken.value = 3.162;
  verdict.taken.error_bar = 0.096;
  verdict.taken.labels = {"h200-sxm"};
  verdict.taken.layout = "TP8 PP1 DP128 b4 no-rc Z1 SP";
  verdict.best = verdict.taken;
  verdict.layouts = 1;
  verdict.choices = 7;
  verdict.group = "l2";
  verdict.group_share = 0.42;
  verdict.limits = {{"l2", 0.42, 0.038}, {"tensor_compute", 0.4, 0.036}, {"latency", 0.001, 0.0}};
  verdict.figures = {{FigureKind::time, 3.162, "s", "step time"},
                     {FigureKind::throughput, 998640.4, "s-1", "throughput"},
                     {FigureKind::device_flop_rate, 4.12e14, "s-1", ""},
                     {FigureKind::utilization, 0.417, "1", ""},
                     {FigureKind::cost, 0.3149, "USD", ""}};
  verdict.others = {runner_up("h100-sxm", 0.004, Standing::tie),
                    runner_up("b200-sxm", 0.05, Standing::near_tie),
                    runner_up("a100-sxm", 1.5, Standing::apart)};
  verdict.cautions = {"accelerators 1024 is the largest that was asked: beyond it may be better"};
  Verdicts verdicts;
  verdicts.objective = {"step_time", Direction::minimize};
  verdicts.objective_words = "step time";
  verdicts.objective_units = "s";
  verdicts.time_words = "step time";
  verdicts.given = {"accelerators 1024"};
  verdicts.chosen = verdicts.compared = {"device"};
  verdicts.answers = {verdict};
  return verdicts;
}

TEST(VerdictText, CanBeReadOut) {
  EXPECT_EQ(verdict_text(example()),
            "Verdict: the least step time\n"
            "  llama-3-70b: h200-sxm\n"
            "    best       3.162 s step time +- 9.6 %\n"
            "    that is    998,640 tokens/s, 412 TFLOP/s/device, 42 % of the peak (MFU),\n"
            "                 0.315 USD per million tokens\n"
            "    on         accelerators 1024\n"
            "    layout     TP8 PP1 DP128 b4 no-rc Z1 SP; no other is within 1 %\n"
            "    limit      L2-bound, 42 % of the step time: L2 42 %, tensor compute 40 %\n"
            "    10 % more  of L2 saves 3.8 % of the step time, of tensor compute 3.6 %;\n"
            "                 linear, by the shares\n"
            "    next       h100-sxm: 0.4 % more, a tie\n"
            "               b200-sxm: 5.0 % more, within the error bars\n"
            "               a100-sxm: 2.5 times as much, beyond doubt\n"
            "               and 3 others\n"
            "    but        accelerators 1024 is the largest that was asked: beyond it may\n"
            "                 be better\n"
            "\n");
}

// In the order of what is saved: shares do not say it.
TEST(VerdictText, SaysWhatIsSavedWhereItWasComputed) {
  Verdicts verdicts = example();
  add_savings(
      [](std::int64_t) {
        return std::vector<ResourceSaving>{{"l2", 0.01, 0.02}, {"tensor_compute", 0.035, 0.385}};
      },
      verdicts);

  EXPECT_THAT(
      verdict_text(verdicts),
      HasSubstr("    10 % more  of tensor compute saves 3.5 % of the step time, of L2 1.0 %\n"
                "    no limit   of tensor compute saves 38 % of the step time, of L2 2.0 %\n"));
}

TEST(VerdictText, WithoutAComputationSharesStand) {
  Verdicts verdicts = example();
  add_savings([](std::int64_t) { return std::vector<ResourceSaving>{}; }, verdicts);
  EXPECT_EQ(verdict_text(verdicts), verdict_text(example()));
}

TEST(VerdictText, SaysAnObjectiveAsItSaysFigures) {
  Verdicts verdicts = example();
  verdicts.objective = {"tokens_per_second", Direction::maximize};
  verdicts.objective_words = "throughput";
  verdicts.objective_units = "s-1";
  Verdict& verdict = verdicts.answers.front();
  verdict.taken.value = 998640.4;
  verdict.best = verdict.taken;
  verdict.best.row = 2;
  verdict.best.value = 1.0004e6;
  verdict.best.layout = "TP8 PP2 DP64";
  verdict.layouts = 2;
  const std::string text = verdict_text(verdicts);
  EXPECT_THAT(text, HasSubstr("    best       998,640 tokens/s +- 9.6 %\n"
                              "    that is    3.162 s step time, 412 TFLOP/s/device, 42 % of"));
  EXPECT_THAT(text, HasSubstr("with 1,000,400 tokens/s"));
}

// As the columns of kinds of workload that have no tokens say.
TEST(VerdictText, CountsWhatABatchIsMadeOf) {
  for (const std::string unit : {"samples", "images"}) {
    Verdicts verdicts = example();
    for (Figure& figure : verdicts.answers.front().figures) {
      if (figure.kind == FigureKind::throughput) {
        figure.words = unit + " per second";
      } else if (figure.kind == FigureKind::cost) {
        figure.words = "cost per million " + unit;
      }
    }
    const std::string text =  // a line may end between any two words
        std::regex_replace(verdict_text(verdicts, 160), std::regex("\\s+"), " ");
    EXPECT_THAT(text, HasSubstr("998,640 " + unit + "/s"));
    EXPECT_THAT(text, HasSubstr("USD per million " + unit));
  }
}

TEST(VerdictText, SaysThatASimplerLayoutIsTaken) {
  Verdicts verdicts = example();
  Verdict& verdict = verdicts.answers[0];
  verdict.layouts = 5;
  verdict.best.row = 2;
  verdict.best.value = 3.14;
  verdict.best.layout = "TP4 PP2 v48";
  EXPECT_THAT(verdict_text(verdicts, 160),
              HasSubstr("TP8 PP1 DP128 b4 no-rc Z1 SP; the simplest of 5 within 1 % of the"));
  EXPECT_THAT(verdict_text(verdicts, 160), HasSubstr("with 3.14 s"));
}

TEST(VerdictText, KeepsWithinTheWidthAndBreaksNoWord) {
  for (const std::size_t width : {60U, 79U, 159U}) {
    std::istringstream lines(verdict_text(example(), width));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(display_width(line), width) << line;
    }
    EXPECT_THAT(verdict_text(example(), width), HasSubstr("TFLOP/s/device"));
  }
}

TEST(VerdictText, OfManyQuestionsSomeAreALineEach) {
  Verdicts verdicts = example();
  verdicts.answers.assign(40, verdicts.answers[0]);
  for (std::size_t i = 0; i < verdicts.answers.size(); ++i) {
    verdicts.answers[i].question = "model-" + std::to_string(i);
  }
  const std::string text = verdict_text(verdicts);
  EXPECT_THAT(text, StartsWith("Verdict: the least step time, 40 questions\n"));
  EXPECT_THAT(text, HasSubstr("  model-7: h200-sxm\n"));
  EXPECT_THAT(text, Not(HasSubstr("  model-8: ")));
  EXPECT_THAT(text, HasSubstr("The other questions; --where shows one in full\n"));
  EXPECT_THAT(text, HasSubstr("  model-31  h200-sxm  "));
  EXPECT_THAT(text, HasSubstr("... 8 more in the verdicts table\n"));
}

TEST(VerdictText, SaysWhyThereIsNoAnswer) {
  Verdicts verdicts = example();
  verdicts.answers[0] = {};
  verdicts.answers[0].question = "large";
  verdicts.answers[0].obstacle = {"misses_limits", 1200, 1500, "miss", 0.25};
  EXPECT_EQ(verdict_text(verdicts),
            "Verdict: the least step time\n"
            "  large: nothing feasible\n"
            "    why        1,200 of 1,500 points: misses limits; the nearest is 25 % beyond\n"
            "                 them\n"
            "\n");
  verdicts.answers[0].obstacle.is_unknown = true;
  EXPECT_THAT(verdict_text(verdicts),
              AllOf(HasSubstr("  large: not found\n"), HasSubstr("nothing is known of those that"),
                    Not(HasSubstr("nothing feasible"))));
  verdicts.answers[0].obstacle = {};
  EXPECT_THAT(verdict_text(verdicts), HasSubstr("why        the file has no point of it"));
  verdicts.answers[0].obstacle = {"ok", 1200, 1500, "", nothing_known};
  verdicts.answers[0].obstacle.is_dropped = true;
  EXPECT_THAT(verdict_text(verdicts),
              AllOf(HasSubstr("  large: none of its points is in the file\n"),
                    HasSubstr("why        the file has no value of any of its 1,200 feasible")));
}

TEST(VerdictText, IsTheFirstThingOfAnAnalysis) {
  const AnalysisResult result = testing::analysed(testing::scaling_study(2, 2, 1));
  const std::string text = format_analysis(result, Format::text);
  const std::size_t verdict = text.find("Verdict: the least step time\n");
  ASSERT_NE(verdict, std::string::npos);
  EXPECT_LT(verdict, text.find("What limits the best strategy"));
  EXPECT_THAT(text, HasSubstr("gpt3-175b: N1, HBM2E, NDRx8"));
}

TEST(VerdictText, TablesHoldWhatItSays) {
  const AnalysisResult result = testing::analysed(testing::scaling_study(2, 2, 1));
  ASSERT_EQ(result["verdicts"].table.rows(), 1U);
  EXPECT_EQ(testing::texts_of(result, result["verdicts"], "logic")[0], "N1");
  EXPECT_EQ(testing::numbers_of(result["verdicts"], "best_point_id")[0],
            static_cast<double>(result.verdicts.answers[0].best.id));
  EXPECT_EQ(result["runners_up"].table.rows(), most_others);
  EXPECT_THAT(json_text(result), HasSubstr("\"verdicts\": ["));
  EXPECT_THAT(json_text(result), HasSubstr("\"runners_up\": ["));
}

}  // namespace
}  // namespace scalesweep::analysis
