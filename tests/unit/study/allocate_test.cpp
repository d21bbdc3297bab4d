#include "study/resolve/allocate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "study_fixture.hpp"

namespace scalesweep::study {
namespace {

space::Allocation two_shares() {
  space::Allocation allocation;
  allocation.shares = {{"core_area_share", 0.2, 0.8}, {"memory_power_share", 0.1, 0.5}};
  allocation.grid = 3;
  allocation.rounds = 2;
  return allocation;
}

TEST(Candidates, FirstRoundIsAGridWithBothEndsTheLastShareFastest) {
  const space::Allocation allocation = two_shares();
  EXPECT_EQ(allocation.candidates(), 9 + 2 * 9);
  const std::vector<SharePoint> expected = {{0.2, 0.1}, {0.2, 0.3}, {0.2, 0.5},
                                            {0.5, 0.1}, {0.5, 0.3}, {0.5, 0.5},
                                            {0.8, 0.1}, {0.8, 0.3}, {0.8, 0.5}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const SharePoint point = candidate_at(allocation, static_cast<std::int64_t>(i), {});
    EXPECT_NEAR(point[0], expected[i][0], 1e-12);
    EXPECT_NEAR(point[1], expected[i][1], 1e-12);
  }
}

TEST(Candidates, LaterRoundsStandAroundTheirCentreAtHalfTheDistanceAndInTheRanges) {
  const space::Allocation allocation = two_shares();
  EXPECT_EQ(round_of(allocation, 8), 0);
  EXPECT_EQ(round_of(allocation, 9), 1);
  EXPECT_EQ(round_of(allocation, 17), 1);
  EXPECT_EQ(round_of(allocation, 18), 2);
  EXPECT_EQ(first_of_round(allocation, 2), 18);
  const SharePoint low = candidate_at(allocation, 9, {0.5, 0.5});
  EXPECT_NEAR(low[0], 0.35, 1e-12);
  EXPECT_NEAR(low[1], 0.4, 1e-12);
  EXPECT_EQ(candidate_at(allocation, 13, {0.5, 0.5}), (SharePoint{0.5, 0.5}));
  const SharePoint high = candidate_at(allocation, 17, {0.5, 0.5});
  EXPECT_NEAR(high[0], 0.65, 1e-12);
  EXPECT_EQ(high[1], 0.5);  // not above its range
  EXPECT_NEAR(candidate_at(allocation, 18, {0.5, 0.3})[0], 0.425, 1e-12);
}

TEST(Candidates, SharesGoWhereTheirNamesSay) {
  const technology::Shares shares = shares_at(two_shares(), {0.25, 0.125});
  EXPECT_EQ(shares.core_area, 0.25);
  EXPECT_EQ(shares.memory_power, 0.125);
  EXPECT_FALSE(shares.memory_edge.has_value());
}

// A bowl with its bottom at (0.62, 0.33); the second index says how deep it is.
double bowl(std::int32_t other, const technology::Shares& shares) {
  return 1.0 + other + std::pow(*shares.core_area - 0.62, 2) +
         std::pow(*shares.memory_power - 0.33, 2);
}

TEST(AllocationSearch, ClosesInOnTheBest) {
  space::Allocation allocation = two_shares();
  allocation.rounds = 6;
  AllocationSearch search(allocation);
  const std::vector<std::int32_t> others = {0, 3};
  const auto objective = [](std::int64_t, const technology::Shares& shares) {
    return bowl(3, shares);
  };
  // The centre of the last round.
  const technology::Shares best =
      search.shares(others, first_of_round(allocation, 6) + 4, objective);
  EXPECT_NEAR(*best.core_area, 0.62, 0.3 / 32);
  EXPECT_NEAR(*best.memory_power, 0.33, 0.2 / 32);
}

TEST(AllocationSearch, AsksForEachEarlierCandidateOnce) {
  const space::Allocation allocation = two_shares();
  AllocationSearch search(allocation);
  std::map<std::int64_t, int> asked;
  const auto objective = [&](std::int64_t candidate, const technology::Shares& shares) {
    ++asked[candidate];
    return bowl(0, shares);
  };
  const std::vector<std::int32_t> others = {7};
  search.shares(others, 5, objective);
  EXPECT_TRUE(asked.empty()) << "the first round needs no objective";
  search.shares(others, 26, objective);
  search.shares(others, 12, objective);
  search.shares(others, 20, objective);
  ASSERT_EQ(asked.size(), 18U);
  for (const auto& [candidate, times] : asked) {
    EXPECT_EQ(times, 1) << candidate;
  }
}

TEST(AllocationSearch, TheSameInAnyOrder) {
  const space::Allocation allocation = two_shares();
  const auto shares_of = [&](AllocationSearch& search, std::int32_t other, std::int64_t candidate) {
    const std::vector<std::int32_t> others = {other, 1};
    return search.shares(others, candidate, [&](std::int64_t, const technology::Shares& shares) {
      return bowl(0, shares) + (other == 1 ? 5.0 * *shares.core_area : 0.0);
    });
  };
  std::mt19937 random(5);
  AllocationSearch search(allocation);
  for (int i = 0; i < 100; ++i) {
    const auto other = static_cast<std::int32_t>(random() % 2);
    const auto candidate = static_cast<std::int64_t>(random() % 27);
    AllocationSearch fresh(allocation);
    const technology::Shares expected = shares_of(fresh, other, candidate);
    const technology::Shares found = shares_of(search, other, candidate);
    ASSERT_EQ(found.core_area, expected.core_area);
    ASSERT_EQ(found.memory_power, expected.memory_power);
  }
}

TEST(AllocationSearch, TiesGoToTheEarlierCandidateAndNothingFeasibleToTheMiddle) {
  const space::Allocation allocation = two_shares();
  const std::vector<std::int32_t> others = {0};
  AllocationSearch tied(allocation);
  const technology::Shares first =
      tied.shares(others, 9 + 4, [](std::int64_t, const technology::Shares&) { return 1.0; });
  EXPECT_NEAR(*first.core_area, 0.2, 1e-12);
  EXPECT_NEAR(*first.memory_power, 0.1, 1e-12);
  AllocationSearch nothing(allocation);
  const technology::Shares middle =
      nothing.shares(others, 9 + 4, [](std::int64_t, const technology::Shares&) {
        return std::numeric_limits<double>::infinity();
      });
  EXPECT_NEAR(*middle.core_area, 0.5, 1e-12);
  EXPECT_NEAR(*middle.memory_power, 0.3, 1e-12);
}

// The small study with few strategies and shares to find.
std::string allocating(const std::string& rest) {
  std::string text = test::small_spec("[allocate]\n" + rest);
  text = test::replaced(text, "chunks = [1, 2]\n", "chunks = [1]\nrecompute = [\"full\"]\n");
  return test::replaced(text, "scale_out = [\"HDRx8\", \"NDRx8\"]", "scale_out = \"NDRx8\"");
}
const char* const two_ranges =
    "core_area_share = { from = 0.3, to = 0.9 }\n"
    "memory_power_share = { from = 0.05, to = 0.4 }\ngrid = 3\nrounds = 2\n";

double number(const Study& study, const store::Table& rows, const char* column, std::size_t row) {
  return rows.number(column_named(study.description().schema, column), row);
}

TEST(Allocate, PiecesInAnyOrderGiveTheSameRowsAsTheWhole) {
  const Study study = test::load_good(allocating(two_ranges));
  const engine::RangeResult whole = test::evaluate_all(study);
  const auto size = static_cast<std::uint64_t>(study.space().size());
  const engine::Evaluator evaluator = study.make_evaluator();
  std::mt19937 random(9);
  for (int i = 0; i < 60; ++i) {
    const auto first = static_cast<PointId>(random() % (size - 7));
    engine::RangeResult part = test::empty_result(study);
    evaluator.evaluate({first, first + 7}, part);
    engine::RangeResult expected = test::empty_result(study);
    for (PointId id = first; id < first + 7; ++id) {
      expected.rows.append_row(whole.rows, static_cast<std::size_t>(id));
    }
    test::expect_same_rows(expected.rows, part.rows);
  }
}

// The definition, written out: the objective is looked up in the rows of a whole study.
TEST(Allocate, LaterRoundsStandAroundTheBestRowSoFar) {
  const Study study = test::load_good(allocating(two_ranges));
  const space::Allocation allocation = *study.spec().allocation;
  EXPECT_EQ(allocation.objective.column, "step_time");
  const engine::RangeResult all = test::evaluate_all(study);
  const std::int64_t strategies = study.space().run_at(0).ids.size();
  const std::int64_t device = allocation.candidates() * strategies;
  int found = 0;
  for (PointId base = 0; base < study.space().size(); base += device) {
    double best = std::numeric_limits<double>::infinity();
    SharePoint centre = {0.6, 0.225};
    for (std::int64_t candidate = 0; candidate < first_of_round(allocation, 1); ++candidate) {
      for (std::int64_t i = 0; i < strategies; ++i) {
        const auto row = static_cast<std::size_t>(base + candidate * strategies + i);
        if (number(study, all.rows, "status", row) == 0.0 &&
            number(study, all.rows, "step_time", row) < best) {
          best = number(study, all.rows, "step_time", row);
          centre = candidate_at(allocation, candidate, {});
          ++found;
        }
      }
    }
    // The middle of the next round.
    const technology::Shares shares =
        study.point_at(base + (first_of_round(allocation, 1) + 4) * strategies)
            .system.asked->budget.shares;
    ASSERT_NEAR(*shares.core_area, centre[0], 1e-12);
    ASSERT_NEAR(*shares.memory_power, centre[1], 1e-12);
  }
  EXPECT_GT(found, 0);
}

TEST(Allocate, RowsSayWhichSharesTheyHave) {
  const Study study = test::load_good(allocating(two_ranges));
  const engine::RangeResult all = test::evaluate_all(study);
  int estimated = 0;
  for (PointId id = 0; id < study.space().size(); id += 131) {
    const auto row = static_cast<std::size_t>(id);
    const Point point = study.point_at(id);
    if (point.system.system) {
      ++estimated;
      ASSERT_EQ(
          number(study, all.rows, "share_core_area", row),
          static_cast<double>(static_cast<float>(*point.system.asked->budget.shares.core_area)));
      ASSERT_EQ(
          number(study, all.rows, "share_memory_power", row),
          static_cast<double>(static_cast<float>(*point.system.asked->budget.shares.memory_power)));
      ASSERT_TRUE(std::isnan(number(study, all.rows, "share_memory_edge", row)));
    }
  }
  EXPECT_GT(estimated, 3);
}

TEST(Allocate, AnyFigureMayBeMinimized) {
  const std::string text = allocating(std::string(two_ranges) + "minimize = \"memory_total\"\n");
  const Study study = test::load_good(text);
  const Study by_time = test::load_good(allocating(two_ranges));
  EXPECT_EQ(study.spec().allocation->objective.column, "memory_total");
  EXPECT_NE(study.description().identity, by_time.description().identity);
  // Memory in use does not depend on the shares: the earliest candidate is as good as any.
  const std::int64_t strategies = study.space().run_at(0).ids.size();
  EXPECT_NEAR(*study.point_at((9 + 4) * strategies).system.asked->budget.shares.core_area, 0.3,
              1e-12);
}

TEST(Allocate, MostOfARateIsLeastOfItsTime) {
  const Study by_rate =
      test::load_good(allocating(std::string(two_ranges) + "maximize = \"tokens_per_second\"\n"));
  const Study by_time = test::load_good(allocating(two_ranges));
  EXPECT_NE(by_rate.description().identity, by_time.description().identity);
  test::expect_same_rows(test::evaluate_all(by_rate).rows, test::evaluate_all(by_time).rows);
}

TEST(Allocate, FiltersDecideWhatIsBest) {
  // Without any strategy that passes, the search goes on around the middle.
  const Study study = test::load_good(
      allocating(two_ranges) + "[[filter]]\nwhere = \"logic == 'N3' and tensor_parallel == 1\"\n");
  const std::int64_t strategies = study.space().run_at(0).ids.size();
  EXPECT_NEAR(*study.point_at((9 + 4) * strategies).system.asked->budget.shares.core_area, 0.6,
              1e-12);
}

TEST(Allocate, BestPerNodeKeepsTheSharesFound) {
  const Study study = test::load_good(allocating(two_ranges) +
                                      "[keep]\nbest = { k = 1, per = [\"logic\", \"memory\"] }\n");
  engine::RangeResult result = test::evaluate_all(study);
  study.make_evaluator().reduce(result);
  EXPECT_EQ(result.rows.rows(), 4U);
}

TEST(Allocate, MistakesInWhatIsMinimized) {
  EXPECT_EQ(
      test::load_text(allocating(std::string(two_ranges) + "maximize = \"step_time\"\n")).messages,
      "spec.toml:26:12: error: 'step_time' is better when it is smaller, and maximize would take "
      "the worst for the best; name it in minimize\n");
  EXPECT_EQ(
      test::load_text(allocating(std::string(two_ranges) + "minimize = \"step_tim\"\n")).messages,
      "spec.toml:26:12: error: a study has no column 'step_tim'; did you mean 'step_time'?\n");
  EXPECT_EQ(test::load_text(allocating(std::string(two_ranges) + "minimize = \"accelerators\"\n"))
                .messages,
            "spec.toml:26:12: error: 'accelerators' is the same for all shares; say in [allocate] "
            "what they shall minimize, for example minimize = \"step_time\"\n");
  EXPECT_EQ(test::load_text(allocating(two_ranges) +
                            "[objectives]\nminimize = [\"accelerators\", \"step_time\"]\n")
                .messages,
            "spec.toml:21:1: error: 'accelerators' is the same for all shares; say in [allocate] "
            "what they shall minimize, for example minimize = \"step_time\"\n");
}

}  // namespace
}  // namespace scalesweep::study
