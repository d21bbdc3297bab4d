// What draws say together, against what anybody can count.
#include "analysis/verdict/drawn/fold_draws.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "analysis/show/verdict_text.hpp"

namespace scalesweep::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

StudyLayout layout_of_draws() {
  StudyLayout layout;
  const auto add = [&](const std::string& name, const std::vector<std::string>& labels) {
    store::AxisValues& axis = layout.axes.emplace_back();
    axis.name = name;
    axis.labels = labels;
  };
  add("model", {"small", "large"});
  add("draw", {"1", "2", "3", "4"});
  add("energy_price", {"a", "b", "c", "d"});
  add("logic", {"N5", "N3"});
  layout.together = {{"draw", "energy_price"}};
  return layout;
}

// A draw of a model in which both nodes have a value.
Verdict draw_of(std::int64_t model, std::int64_t draw, double n5, double n3) {
  Verdict verdict;
  verdict.key = {model, draw};
  verdict.taken.row = 0;
  verdict.best.choice = {n5 <= n3 ? 0 : 1};
  verdict.best.value = std::min(n5, n3);
  verdict.choice_bests = {{{0}, n5, 1}, {{1}, n3, 2}};
  return verdict;
}

Verdict nothing_of(std::int64_t model, std::int64_t draw) {
  Verdict verdict;
  verdict.key = {model, draw};
  verdict.obstacle.status = "does_not_fit";
  verdict.obstacle.points = verdict.obstacle.all = 8;
  return verdict;
}

Verdicts folded(std::vector<Verdict> answers) {
  Verdicts verdicts;
  verdicts.per = {"model", "draw"};
  verdicts.chosen = verdicts.compared = {"logic"};
  verdicts.objective = {"cost", Direction::minimize};
  verdicts.objective_words = "cost";
  verdicts.objective_units = "USD";
  verdicts.answers = std::move(answers);
  fold_draws(
      layout_of_draws(), [](const QuestionKey& key) { return key[0] == 0 ? "small" : "large"; },
      verdicts);
  return verdicts;
}

TEST(Drawn, CountsHowOftenEachChoiceIsBest) {
  const Verdicts verdicts = folded({draw_of(0, 0, 1.0, 2.0), draw_of(0, 1, 3.0, 2.5),
                                    draw_of(0, 2, 4.0, 3.0), draw_of(0, 3, 5.0, 3.5)});
  ASSERT_EQ(verdicts.drawn.size(), 1U);
  EXPECT_THAT(verdicts.drawn_per, ElementsAre("model"));
  const DrawnAnswer& answer = verdicts.drawn.front();
  EXPECT_EQ(answer.question, "small");
  EXPECT_THAT(answer.key, ElementsAre(0));
  EXPECT_EQ(answer.draws, 4);
  ASSERT_EQ(answer.choices.size(), 2U);
  EXPECT_THAT(answer.choices[0].labels, ElementsAre("N3"));
  EXPECT_EQ(answer.choices[0].best, 3);
  EXPECT_EQ(answer.choices[0].good, 2.0);
  EXPECT_EQ(answer.choices[0].median, 2.5);
  EXPECT_EQ(answer.choices[0].bad, 3.5);
  EXPECT_EQ(answer.choices[1].best, 1);
  EXPECT_EQ(answer.choices[1].median, 3.0);
}

TEST(Drawn, KeepsQuestionsApartAndSaysWhyDrawsHaveNoAnswer) {
  const Verdicts verdicts = folded({draw_of(0, 0, 1.0, 2.0), nothing_of(0, 1), nothing_of(1, 0)});
  ASSERT_EQ(verdicts.drawn.size(), 2U);
  EXPECT_EQ(verdicts.drawn[0].draws, 1);
  EXPECT_EQ(verdicts.drawn[0].all, 2);
  EXPECT_TRUE(verdicts.drawn[1].choices.empty());
  const VerdictSheet some = drawn_sheet(verdicts, verdicts.drawn[0]);
  EXPECT_EQ(some.choice, "N5");
  EXPECT_THAT(some.lines.back().texts.front(), HasSubstr("1 of 2 draws have no answer"));
  EXPECT_EQ(drawn_sheet(verdicts, verdicts.drawn[1]).choice, "nothing feasible");
}

TEST(Drawn, OfAFileOfTheBestAloneKnowsTheirValuesOnly) {
  std::vector<Verdict> answers = {draw_of(0, 0, 1.0, 2.0), draw_of(0, 1, 3.0, 2.5)};
  Verdicts verdicts;
  verdicts.per = {"model", "draw"};
  verdicts.chosen = {"logic"};
  verdicts.objective = {"cost", Direction::minimize};
  verdicts.answers = answers;
  fold_draws(
      layout_of_draws(), [](const QuestionKey&) { return ""; }, verdicts);
  ASSERT_EQ(verdicts.drawn.front().choices.size(), 2U);
  EXPECT_EQ(verdicts.drawn.front().choices[0].draws, 1);
}

TEST(Drawn, TellsOfEachChoiceInWords) {
  const Verdicts verdicts = folded({draw_of(0, 0, 1.0, 2.0), draw_of(0, 1, 2.0, 2.5)});
  const std::string text = verdict_text(verdicts);
  EXPECT_THAT(text, HasSubstr("Verdict: the least cost, over 2 draws of what nobody knows"));
  EXPECT_THAT(text, HasSubstr("small: N5"));
  EXPECT_THAT(text, HasSubstr("best in 100 % of the draws; 1 USD in the median, 1 USD to 2 USD"));
  EXPECT_THAT(text, HasSubstr("N3: best in no draw; 2 USD in the median"));
}

TEST(Drawn, IsNothingWithoutDraws) {
  StudyLayout layout = layout_of_draws();
  EXPECT_THAT(drawn_with(layout), ElementsAre("draw", "energy_price"));
  layout.axes.erase(layout.axes.begin() + 1);
  EXPECT_TRUE(drawn_with(layout).empty());
  Verdicts verdicts;
  verdicts.per = {"model"};
  verdicts.answers = {draw_of(0, 0, 1.0, 2.0)};
  fold_draws(
      layout, [](const QuestionKey&) { return ""; }, verdicts);
  EXPECT_TRUE(verdicts.drawn.empty());
}

}  // namespace
}  // namespace scalesweep::analysis
