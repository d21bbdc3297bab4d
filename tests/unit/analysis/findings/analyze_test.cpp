#include "analysis/findings/analyze.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <random>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/file/study_layout.hpp"
#include "analysis/selection/slice.hpp"
#include "analysis/show/text_report.hpp"
#include "core/failure.hpp"
#include "store/segments/output.hpp"
#include "unit/analysis/analysed_study.hpp"

namespace scalesweep::analysis {
namespace {

using testing::analysed;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::names;
using testing::numbers_of;
using testing::point;
using testing::TemporaryFolder;
using testing::TestPoint;
using testing::TestStudy;
using testing::texts_of;
using testing::values;

AnalyzeOptions minimizing(const std::vector<std::string>& columns) {
  AnalyzeOptions options;
  for (const std::string& column : columns) {
    options.objectives.push_back({column, Direction::minimize});
  }
  return options;
}

std::vector<std::int64_t> ids_of(const ResultTable& table, const std::string& name = "point_id") {
  return integers(table.table, table.schema, name);
}

std::string failure_of(const std::function<void()>& action, ExitCode expected) {
  try {
    action();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), expected);
    return failure.what();
  }
  return "nothing failed";
}

TestStudy three_nodes() {
  TestStudy study;
  study.axes = {names("logic", {"N7", "N5", "N3"})};
  return study;
}

TEST(Analyze, BestIsTheLeastStepTimeWithTiesToTheSmallestId) {
  TestStudy study = three_nodes();
  study.points = {point({0}, 9.0, 1.0, 0.0), point({0}, 5.0, 1.0, 0.0), point({0}, 1.0, 5.0, 0.0),
                  point({1}, 4.0, 0.0, 0.0), point({2}, 3.0, 0.0, 0.0), point({2}, 1.0, 0.0, 0.0)};
  study.points[5].status = 1;  // faster, but does not fit

  const AnalysisResult result = analysed(study);

  EXPECT_EQ(result.along, "logic");
  EXPECT_THAT(result.panels, IsEmpty());
  EXPECT_THAT(ids_of(result[tables::best]), ElementsAre(1, 3, 4));
  EXPECT_THAT(numbers_of(result[tables::best], "step_time"), ElementsAre(6.0, 4.0, 3.0));
  EXPECT_THAT(texts_of(result, result[tables::best], "logic"), ElementsAre("N7", "N5", "N3"));
}

TEST(Analyze, TransitionsNameBothSidesTheirSharesAndThePlace) {
  TestStudy study = three_nodes();
  study.points = {point({0}, 6.0, 3.0, 1.0), point({1}, 2.0, 5.0, 3.0), point({2}, 1.0, 3.0, 6.0)};

  const AnalysisResult result = analysed(study);

  // Groups and resources change alike here: both levels, at both steps.
  const ResultTable& t = result[tables::transitions];
  EXPECT_THAT(texts_of(result, t, "level"), ElementsAre("group", "resource", "group", "resource"));
  EXPECT_THAT(texts_of(result, t, "from_limit"),
              ElementsAre("compute", "tensor_compute", "memory", "dram"));
  EXPECT_THAT(texts_of(result, t, "to_limit"),
              ElementsAre("memory", "dram", "network", "scale_out"));
  EXPECT_THAT(texts_of(result, t, "from_logic"), ElementsAre("N7", "N7", "N5", "N5"));
  EXPECT_THAT(texts_of(result, t, "to_logic"), ElementsAre("N5", "N5", "N3", "N3"));
  EXPECT_DOUBLE_EQ(numbers_of(t, "from_limit_share_before")[0], 0.6);
  EXPECT_DOUBLE_EQ(numbers_of(t, "from_limit_share_after")[0], 0.2);
  EXPECT_DOUBLE_EQ(numbers_of(t, "to_limit_share_before")[0], 0.3);
  EXPECT_DOUBLE_EQ(numbers_of(t, "to_limit_share_after")[0], 0.5);
  // Ratios of 2 and 2.5; then of 5/3 and 2.
  const double first = std::log(2.0) / (std::log(2.0) + std::log(2.5));
  const double second = std::log(5.0 / 3.0) / (std::log(5.0 / 3.0) + std::log(2.0));
  EXPECT_NEAR(numbers_of(t, "crossing_index")[0], first, 1e-12);
  EXPECT_NEAR(numbers_of(t, "crossing_index")[2], 1.0 + second, 1e-12);
  EXPECT_TRUE(std::isnan(numbers_of(t, "crossing_value")[0]));
  EXPECT_EQ(result.findings[0], "Best step time: 10 s at N7, 10 s at N3 (1x)");
  EXPECT_EQ(result.findings[1], "Compute-bound at N7, memory-bound at N5, network-bound at N3");
}

TEST(Analyze, AConditionLeavesTheValuesForWhichItHolds) {
  TestStudy study;
  study.axes = {names("logic", {"N7", "N5", "N3"}), names("memory", {"HBM2", "HBM3", "HBM4"}),
                names("model", {"small", "large"})};
  for (std::int32_t logic = 0; logic < 3; ++logic) {
    for (std::int32_t memory = 0; memory < 3; ++memory) {
      for (std::int32_t model = 0; model < 2; ++model) {
        study.points.push_back(point({logic, memory, model}, 9.0 - logic, 4.0 - memory, 1.0));
      }
    }
  }
  AnalyzeOptions options;
  options.where = "model == 'large' and memory != 'HBM2' and logic != 'N5'";

  const AnalysisResult result = analysed(study, options);

  EXPECT_THAT(result.panels, ElementsAre("memory"));
  EXPECT_EQ(result.best_rows.size(), 4U);
  EXPECT_EQ(result[tables::coverage].table.rows(), 4U);
  EXPECT_THAT(texts_of(result, result[tables::best], "logic"), ElementsAre("N7", "N3", "N7", "N3"));
  EXPECT_THAT(texts_of(result, result[tables::best], "memory"),
              ElementsAre("HBM3", "HBM3", "HBM4", "HBM4"));
  EXPECT_THAT(ids_of(result[tables::best]), ElementsAre(3, 15, 5, 17));
  EXPECT_THAT(texts_of(result, result[tables::frontier], "memory"), ElementsAre("HBM4"));
  EXPECT_THAT(ids_of(result[tables::frontier]), ElementsAre(17));
}

TEST(Analyze, GroupsOfAConditionHaveTheirNames) {
  TestStudy study;
  study.axes = {names("logic", {"N7", "N5"}), names("model", {"small", "middle", "large"})};
  for (std::int32_t logic = 0; logic < 2; ++logic) {
    for (std::int32_t model = 0; model < 3; ++model) {
      study.points.push_back(point({logic, model}, 9.0 - logic, 4.0, 1.0));
    }
  }
  AnalyzeOptions options;
  options.where = "model != 'small'";

  const AnalysisResult result = analysed(study, options);

  EXPECT_THAT(texts_of(result, result[tables::frontier_groups], "model"),
              ElementsAre("middle", "large"));
  EXPECT_THAT(texts_of(result, result[tables::frontier], "model"), ElementsAre("middle", "large"));
}

TEST(Analyze, OnAQuantityTheCrossingIsAValue) {
  TestStudy study;
  study.axes = {values("power", {300.0, 500.0}, "W")};
  study.points = {point({0}, 6.0, 4.0, 0.0), point({1}, 2.0, 8.0, 0.0)};

  const AnalysisResult result = analysed(study);

  // Ratios of 1.5 and 4, on a logarithmic scale.
  const double place = std::log(1.5) / (std::log(1.5) + std::log(4.0));
  EXPECT_EQ(result.along, "power");
  EXPECT_NEAR(numbers_of(result[tables::transitions], "crossing_value")[0],
              300.0 * std::pow(5.0 / 3.0, place), 1e-9);
  EXPECT_EQ(texts_of(result, result[tables::transitions], "quantity")[0], "power");
  EXPECT_THAT(result.findings, ::testing::Contains(HasSubstr("takes over from compute at a power "
                                                             "per accelerator "
                                                             "of ")));
}

TEST(Analyze, OtherVaryingAxesMakePanels) {
  TestStudy study;
  study.axes = {names("model", {"m"}), names("logic", {"N7", "N5"}),
                names("memory", {"HBM2", "HBM3"})};
  study.points = {point({0, 0, 0}, 6.0, 1.0, 0.0), point({0, 0, 1}, 6.0, 0.5, 0.0),
                  point({0, 1, 0}, 2.0, 3.0, 0.0), point({0, 1, 1}, 2.0, 0.5, 0.0)};

  const AnalysisResult result = analysed(study);

  EXPECT_THAT(result.panels, ElementsAre("memory"));
  EXPECT_THAT(ids_of(result[tables::best]), ElementsAre(0, 2, 1, 3));  // logic fastest
  EXPECT_THAT(texts_of(result, result[tables::transitions], "memory"), ElementsAre("HBM2", "HBM2"));
  EXPECT_THAT(result.findings[1], HasSubstr("Compute-bound at N7, memory-bound at N5: HBM2"));
  EXPECT_THAT(result.findings[2], HasSubstr("Compute-bound throughout (N7 to N5): HBM3"));
}

// The candidates of a search compete, as strategies do; they are no conditions to compare.
TEST(Analyze, OfASearchTheBestCandidateIsTaken) {
  TestStudy study;
  study.axes = {names("logic", {"N7", "N5"}), values("allocation", {0, 1, 2}, "1")};
  study.points = {point({0, 0}, 6.0, 1.0, 0.0), point({0, 1}, 5.0, 1.0, 0.0),
                  point({0, 2}, 7.0, 1.0, 0.0), point({1, 0}, 2.0, 1.0, 0.0),
                  point({1, 1}, 3.0, 1.0, 0.0), point({1, 2}, 1.0, 1.0, 0.0)};

  const AnalysisResult result = analysed(study);

  EXPECT_THAT(result.panels, IsEmpty());
  EXPECT_THAT(ids_of(result[tables::best]), ElementsAre(1, 5));
  AnalyzeOptions along;
  along.along = "allocation";
  EXPECT_THAT(analysed(study, along).panels, ElementsAre("logic"));
}

TEST(Analyze, AlongAnotherAxis) {
  TestStudy study = testing::scaling_study(2, 2, 1);

  const AnalysisResult result = analysed(study, {.along = "memory"});

  EXPECT_EQ(result.along, "memory");
  EXPECT_THAT(result.panels, ElementsAre("logic", "scale_out"));
  EXPECT_EQ(result[tables::best].table.rows(), 28u);
}

TEST(Analyze, StrategyChangesShowBothStrategies) {
  TestStudy study = three_nodes();
  study.points = {point({0}, 1.0, 0.0, 0.0), point({1}, 1.0, 0.0, 0.0), point({2}, 1.0, 0.0, 0.0)};
  study.points[0].tensor_parallel = 8;
  study.points[1].tensor_parallel = 8;
  study.points[2].tensor_parallel = 16;
  study.points[2].recompute = 2;

  const AnalysisResult result = analysed(study);

  ASSERT_EQ(result[tables::strategy_changes].table.rows(), 1u);
  EXPECT_EQ(
      strategy_text(result.axes, result.strategy, result[tables::strategy_changes], 0, "from_"),
      "TP8 PP1 no-rc");
  EXPECT_EQ(strategy_text(result.axes, result.strategy, result[tables::strategy_changes], 0, "to_"),
            "TP16 PP1 full-rc");
  EXPECT_THAT(ids_of(result[tables::strategy_changes], "from_point_id"), ElementsAre(1));
  EXPECT_THAT(ids_of(result[tables::strategy_changes], "to_point_id"), ElementsAre(2));
  EXPECT_EQ(result[tables::transitions].table.rows(), 0u);
}

TEST(Analyze, ValuesWhereNothingFitsAreSaidAndSkipped) {
  TestStudy study = three_nodes();
  study.points = {point({0}, 6.0, 3.0, 0.0), point({1}, 1.0, 1.0, 0.0), point({1}, 1.0, 1.0, 0.0),
                  point({2}, 2.0, 5.0, 0.0)};
  study.points[1].status = 1;
  study.points[2].status = 2;

  const AnalysisResult result = analysed(study);

  EXPECT_THAT(result.best_rows, ElementsAre(0, -1, 1));
  EXPECT_THAT(ids_of(result[tables::coverage], "rows_ok"), ElementsAre(1, 0, 1));
  EXPECT_THAT(ids_of(result[tables::coverage], "rows_does_not_fit"), ElementsAre(0, 1, 0));
  EXPECT_THAT(ids_of(result[tables::coverage], "rows_filtered"), ElementsAre(0, 1, 0));
  EXPECT_THAT(ids_of(result[tables::transitions], "skipped_values"), ElementsAre(1, 1));
  EXPECT_EQ(result.findings[1], "Compute-bound at N7, no strategy fits at N5, memory-bound at N3");
}

TEST(Analyze, WhatTheSpecLeftOutIsNotCalledInfeasible) {
  TestStudy study = three_nodes();
  study.points = {point({0}, 6.0, 3.0, 0.0), point({1}, 1.0, 1.0, 0.0), point({2}, 2.0, 5.0, 0.0)};
  study.points[1].status = 2;

  EXPECT_EQ(analysed(study).findings[1],
            "Compute-bound at N7, left out by a filter at N5, memory-bound at N3");
}

TEST(Analyze, TimesThatAreNotKnownAreNotCalledInfeasible) {
  TestStudy study = three_nodes();
  study.points = {point({0}, 6.0, 3.0, 0.0), point({1}, std::nan(""), 1.0, 0.0),
                  point({2}, 0.0, 0.0, 0.0)};

  const AnalysisResult result = analysed(study);

  EXPECT_EQ(result.findings[0], "Compute-bound at N7, no time known at N5, compute-bound at N3")
      << "and no ratio to a time of zero";
}

TEST(Analyze, NothingFeasibleIsAResult) {
  TestStudy study = three_nodes();
  study.points = {point({0}, 6.0, 3.0, 0.0), point({1}, 6.0, 3.0, 0.0)};
  study.points[0].status = 1;
  study.points[1].status = 1;

  const AnalysisResult result = analysed(study);

  EXPECT_EQ(result[tables::frontier].table.rows(), 0u);
  EXPECT_EQ(result[tables::best].table.rows(), 0u);
  EXPECT_THAT(result.findings,
              ElementsAre("No strategy fits from N7 to N5, nothing in the file at N3"));
  EXPECT_THAT(result.notes, ::testing::Contains(HasSubstr("no feasible point was found")));
}

TEST(Analyze, AnAxisOfOneValueHasNoTransitions) {
  TestStudy study;
  study.axes = {names("logic", {"N7"})};
  study.points = {point({0}, 6.0, 3.0, 0.0)};

  const AnalysisResult result = analysed(study);

  EXPECT_EQ(result.along, "logic");
  EXPECT_EQ(result[tables::best].table.rows(), 1u);
  EXPECT_EQ(result[tables::transitions].table.rows(), 0u);
  EXPECT_THAT(result.notes, ::testing::Contains(HasSubstr("the logic node has one value")));
  EXPECT_EQ(result.findings[0], "Compute-bound at N7");
}

TEST(Analyze, FrontierIsExactOverSeveralSlicesAndWorkloads) {
  TestStudy study;
  study.axes = {names("model", {"small", "large"}), values("accelerators", {8.0, 64.0, 512.0}, "")};
  std::mt19937_64 random(3);
  std::uniform_int_distribution<int> small(1, 40);
  constexpr std::size_t count = 60'000;  // many chunks
  for (std::size_t id = 0; id < count; ++id) {
    const auto i = static_cast<std::int32_t>(id);
    // Few values, so that there are many ties; never all small at once.
    const int time = small(random);
    TestPoint p = point({i % 2, i / 2 % 3}, 100.0 + time, 0.0, 0.0);
    p.energy_j = 200.0 - time + small(random);
    p.status = small(random) == 1 ? 1 : 0;
    study.points.push_back(p);
  }

  const AnalysisResult result = analysed(study);

  EXPECT_THAT(columns_of(result.objectives),
              ElementsAre("step_time", "accelerators", "energy_per_step"));
  std::vector<std::int64_t> expected;
  for (std::int32_t model = 0; model < 2; ++model) {
    // By definition, but over the candidates that are best of their time, model and accelerators.
    std::vector<std::size_t> candidates;
    std::map<std::pair<double, int>, std::size_t> least;
    for (std::size_t id = 0; id < count; ++id) {
      const TestPoint& p = study.points[id];
      if (p.axes[0] != model || p.status != 0) {
        continue;
      }
      const auto [place, is_new] = least.try_emplace({p.charges_s[0], p.axes[1]}, id);
      if (!is_new && p.energy_j < study.points[place->second].energy_j) {
        place->second = id;
      }
    }
    for (const auto& [key, id] : least) {
      candidates.push_back(id);
    }
    const auto no_worse = [&](std::size_t a, std::size_t b) {
      const TestPoint& p = study.points[a];
      const TestPoint& q = study.points[b];
      return p.charges_s[0] <= q.charges_s[0] && p.axes[1] <= q.axes[1] && p.energy_j <= q.energy_j;
    };
    std::vector<std::int64_t> members;
    for (const std::size_t a : candidates) {
      bool dominated = false;
      for (const std::size_t b : candidates) {
        dominated = dominated || (a != b && no_worse(b, a));
      }
      if (!dominated) {
        members.push_back(static_cast<std::int64_t>(a));
      }
    }
    std::sort(members.begin(), members.end());
    expected.insert(expected.end(), members.begin(), members.end());
  }
  EXPECT_GT(expected.size(), 10u);
  EXPECT_EQ(ids_of(result[tables::frontier]), expected);
}

TEST(Analyze, RanksBehindTheFrontierAreListedAndCountNothing) {
  TestStudy study = three_nodes();
  study.points = {point({0}, 6.0, 3.0, 0.0), point({1}, 6.0, 2.0, 0.0), point({2}, 6.0, 2.0, 0.0),
                  point({2}, 9.0, 9.0, 0.0)};
  study.points[2].energy_j = 3.0;
  AnalyzeOptions options = minimizing({"step_time", "energy_per_step"});
  const AnalysisResult frontier_alone = analysed(study, options);
  options.ranks = 2;

  const AnalysisResult result = analysed(study, options);

  EXPECT_FALSE(find_column(frontier_alone[tables::frontier], "rank"));
  EXPECT_THAT(ids_of(frontier_alone[tables::frontier]), ElementsAre(1));
  EXPECT_THAT(ids_of(result[tables::frontier]), ElementsAre(0, 1, 2));
  EXPECT_THAT(result[tables::frontier].table.values<std::int32_t>(
                  column_of(result[tables::frontier], "rank")),
              ElementsAre(2, 1, 2));
  const auto group = [](const AnalysisResult& of, const std::string& name) {
    return of[tables::frontier_groups].table.number(column_of(of[tables::frontier_groups], name),
                                                    0);
  };
  for (const char* name : {"members", "candidates", "hypervolume", "shown", "shown_within"}) {
    EXPECT_EQ(group(result, name), group(frontier_alone, name)) << name;
  }
  EXPECT_EQ(result.findings, frontier_alone.findings);
  EXPECT_THAT(format_analysis(result, Format::text),
              HasSubstr("Frontier over step time, energy per step: 1 point\n"));
  EXPECT_THAT(format_analysis(result, Format::text), HasSubstr("2 points of rank 2"));
}

TEST(Analyze, EqualPointsOnTheFrontierGoToTheSmallestId) {
  TestStudy study = three_nodes();
  study.points = {point({0}, 6.0, 3.0, 0.0), point({1}, 6.0, 2.0, 0.0), point({2}, 6.0, 2.0, 0.0)};

  const AnalysisResult result = analysed(study, minimizing({"step_time"}));

  EXPECT_THAT(ids_of(result[tables::frontier]), ElementsAre(1));
}

TEST(Analyze, ObjectivesAreThoseOfTheStudyUnlessOthersAreAsked) {
  TestStudy study = three_nodes();
  study.points = {point({0}, 6.0, 3.0, 0.0)};
  study.objectives = "energy_per_step, step_time";

  EXPECT_THAT(columns_of(analysed(study).objectives), ElementsAre("energy_per_step", "step_time"));
  EXPECT_THAT(columns_of(analysed(study, minimizing({"charge_dram"})).objectives),
              ElementsAre("charge_dram"));
}

TEST(Analyze, ObjectivesThatNobodySaysAreWhatPointsAreRankedBy) {
  TestStudy study = three_nodes();
  study.points = {point({0}, 6.0, 3.0, 0.0)};
  study.say_objectives = false;

  EXPECT_THAT(columns_of(analysed(study).objectives), ElementsAre("step_time"));
}

// Without the words, which are the names.
std::vector<std::int64_t> numbers_in(const AnalysisResult& result) {
  std::vector<std::int64_t> numbers = result.best_rows;
  for (const ResultTable* table : tables_of(result)) {
    for (std::size_t column = 0; column < table->schema.size(); ++column) {
      for (std::size_t row = 0; row < table->table.rows(); ++row) {
        const double number = table->table.number(column, row);
        numbers.push_back(std::isnan(number) ? -1 : std::llround(1e6 * number));
      }
    }
  }
  return numbers;
}

TEST(Analyze, KnowsColumnsByTheirRolesWhateverTheirNames) {
  TestStudy study = testing::scaling_study(2, 2, 1);
  for (TestPoint& one : study.points) {
    one.tensor_peak = 1e12 * (1.0 + one.axes[2]);
    one.dram_bandwidth = 1e12 * (1.0 + one.axes[3]);
  }
  study.objectives = "energy_per_step, accelerators";
  const AnalysisResult named = analysed(study);
  study.renamed = {{"step_time", "duration"},
                   {"charge_dram", "due_to_dram"},
                   {"charge_scale_out", "network_s"},
                   {"tensor_peak", "flops"},
                   {"dram_bandwidth", "stream"}};
  const AnalysisResult renamed = analysed(study);

  EXPECT_EQ(renamed.time, "duration");
  EXPECT_EQ(renamed.better, "duration");
  EXPECT_EQ(renamed.resources, named.resources);
  EXPECT_THAT(texts_of(renamed, renamed[tables::transitions], "quantity"),
              ::testing::Each("flops"));
  EXPECT_FALSE(numbers_of(named[tables::transitions], "crossing_quantity").empty());
  EXPECT_EQ(numbers_in(renamed), numbers_in(named));
}

TEST(Analyze, KnowsTheColumnsOfFilesWithoutRolesByTheirNames) {
  TestStudy study = testing::scaling_study(2, 2, 1);
  for (TestPoint& one : study.points) {
    one.tensor_peak = 1e12 * (1.0 + one.axes[2]);
  }
  const TemporaryFolder folder;
  const auto said_of = [&] {
    std::filesystem::remove(folder.path() / "study.h5");
    study.write(folder.path() / "study.h5");
    return format_analysis(analyze(folder.path() / "study.h5", {}), Format::text);
  };
  const std::string said = said_of();
  study.say_roles = false;

  EXPECT_EQ(said_of(), said);
}

TEST(Analyze, AnObjectiveMayBeMaximised) {
  TestStudy study = three_nodes();
  study.points = {point({0}, 6.0, 3.0, 0.0), point({1}, 6.0, 2.0, 0.0), point({2}, 6.0, 2.0, 0.0)};
  study.points[0].energy_j = 4.0;
  study.points[2].energy_j = 3.0;
  AnalyzeOptions options;
  options.objectives = {{"energy_per_step", Direction::maximize},
                        {"step_time", Direction::minimize}};

  const AnalysisResult result = analysed(study, options);

  EXPECT_THAT(ids_of(result[tables::frontier]), ElementsAre(0, 2));
  EXPECT_EQ(words_of(result.objectives), "energy_per_step (most), step_time");
}

TEST(Analyze, KnowsItsSource) {
  const TemporaryFolder folder;
  TestStudy study = three_nodes();
  study.points = {point({0}, 6.0, 3.0, 0.0), point({1}, 6.0, 3.0, 0.0)};
  study.points[1].status = 2;
  study.write(folder.path() / "a.h5");

  const AnalysisResult result = analyze(folder.path() / "a.h5", {});

  EXPECT_EQ(result.source.title, "A test study");
  EXPECT_EQ(result.source.identity, "test-identity");
  EXPECT_EQ(result.source.sha256.size(), 64u);
  EXPECT_EQ(result.source.points, 2);
  EXPECT_EQ(result.source.counts.at("filtered"), 1);
}

TEST(AnalyzeErrors, NameTheProblemAndTheWayOut) {
  const TemporaryFolder folder;
  TestStudy study = three_nodes();
  study.points = {point({0}, 6.0, 3.0, 0.0)};
  const std::filesystem::path file = folder.path() / "a.h5";
  study.write(file);
  const auto message = [&](const AnalyzeOptions& options) {
    return failure_of([&] { analyze(file, options); }, ExitCode::bad_input);
  };

  EXPECT_EQ(message({.along = "logik"}),
            file.string() + ": the study has no axis 'logik'; did you mean 'logic'?");
  EXPECT_THAT(message({.along = "tensor_parallel"}),
              HasSubstr("cannot read the study along 'tensor_parallel': it is a column but not an "
                        "axis; the axes are logic"));
  EXPECT_THAT(message(minimizing({"steptime"})),
              HasSubstr("no objective 'steptime': the study has no such column; did you mean "
                        "'step_time'?"));
  EXPECT_THAT(message(minimizing({"logic"})),
              HasSubstr("'logic' cannot be an objective: its values are names"));
  EXPECT_THAT(message(minimizing({"recompute"})), HasSubstr("'recompute' cannot be an objective"));
  EXPECT_THAT(message(minimizing({"step_time", "step_time"})),
              HasSubstr("the objective 'step_time' is named twice"));
  EXPECT_THAT(message(minimizing(std::vector<std::string>(9, "step_time"))),
              HasSubstr("1 to 8 objectives, not 9"));
}

TEST(AnalyzeErrors, ColumnsThatAreMissing) {
  const TemporaryFolder folder;
  int number = 0;
  const auto message = [&](const std::vector<std::string>& drop) {
    TestStudy study = three_nodes();
    study.points = {point({0}, 6.0, 3.0, 0.0)};
    study.drop_columns = drop;
    const std::filesystem::path file = folder.path() / (std::to_string(++number) + ".h5");
    study.write(file);
    return failure_of([&] { analyze(file, {}); }, ExitCode::bad_input);
  };
  std::vector<std::string> charges;
  for (const std::string& resource : testing::resource_names) {
    charges.push_back("charge_" + resource);
  }

  EXPECT_THAT(message({"status"}), HasSubstr("no column 'status', which analysis needs"));
  EXPECT_THAT(message({"step_time"}), HasSubstr("no column 'step_time'"));
  EXPECT_THAT(message(charges), HasSubstr("no column 'charge_<resource>'"));
  EXPECT_THAT(message({"logic"}), HasSubstr("an axis 'logic' of 3 values but no column"));
}

TEST(AnalyzeErrors, FilesThatAreNoStudy) {
  const TemporaryFolder folder;
  const std::filesystem::path missing = folder.path() / "missing.h5";
  const std::filesystem::path text = folder.path() / "text.h5";
  std::ofstream(text) << "hello";

  EXPECT_THAT(failure_of([&] { analyze(missing, {}); }, ExitCode::no_input),
              HasSubstr("missing.h5: there is no such file"));
  EXPECT_THAT(failure_of([&] { analyze(text, {}); }, ExitCode::bad_input),
              HasSubstr("it is not an HDF5 file"));
}

// What is computed so far is analysed, and said to be that.
TEST(Analyze, UnfinishedStudy) {
  const TemporaryFolder folder;
  const std::filesystem::path output = folder.path() / "unfinished.h5";
  TestStudy study = three_nodes();
  study.points = {point({0}, 6.0, 3.0, 0.0), point({1}, 4.0, 3.0, 0.0), point({2}, 3.0, 3.0, 0.0)};
  study.write(folder.path() / "whole.h5");
  const store::StudyReader whole(folder.path() / "whole.h5");
  std::vector<std::string> columns;
  for (const store::Column& column : whole.schema()) {
    columns.push_back(column.name);
  }
  const store::StudyDescription description = study.description();
  store::prepare_output(output, description);
  store::Counts counts = store::zero_counts(description);
  counts[0] = 2;
  store::write_segment(output, description, {0, 2}, whole.read(columns, 0, 2), counts);

  const AnalysisResult result = analyze(output, {});
  EXPECT_EQ(result[tables::best].table.rows(), 2u);
  EXPECT_EQ(result.source.sha256, "");
  ASSERT_FALSE(result.notes.empty());
  EXPECT_EQ(result.notes.front(),
            "of 3 points 2 are computed so far, and these alone are looked at; the command that "
            "began the study goes on with it");
}

}  // namespace
}  // namespace scalesweep::analysis
