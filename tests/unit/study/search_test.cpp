// What is skipped where counts are bounded, and what is said where it cannot be.
#include "study/search/search.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <limits>

#include "space/keep_text.hpp"
#include "study_fixture.hpp"

namespace scalesweep::study {
namespace {

using testing::HasSubstr;

space::Keep keep_of(const std::string& text) {
  return space::keep_of_text(text).value();
}

bool may_stay(const Incumbents& incumbents, std::vector<double> least) {
  return incumbents.may_stay(least);
}

TEST(Incumbents, TheBestLetPassWhatIsAsGoodAsTheLastOfThem) {
  Incumbents best(keep_of("best 2; counts bounded"));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(may_stay(best, {infinity}));
  for (const double value : {3.0, 7.0, 5.0}) {
    best.add(std::array{value});
  }
  EXPECT_TRUE(may_stay(best, {4.9}));
  EXPECT_TRUE(may_stay(best, {5.0}));  // its id may be smaller
  EXPECT_FALSE(may_stay(best, {5.1}));
  EXPECT_TRUE(may_stay(best, {std::nan("")}));
  best.add(std::array{std::nan("")});
  EXPECT_TRUE(may_stay(best, {5.0}));
}

TEST(Incumbents, AFrontierLetsPassWhatNoneDominates) {
  Incumbents frontier(keep_of("frontier"));
  frontier.add(std::array{1.0, 4.0});
  frontier.add(std::array{3.0, 2.0});
  frontier.add(std::array{3.0, 3.0});           // dominated
  EXPECT_TRUE(may_stay(frontier, {1.0, 4.0}));  // alike
  EXPECT_TRUE(may_stay(frontier, {0.5, 9.0}));
  EXPECT_TRUE(may_stay(frontier, {2.0, 3.0}));
  EXPECT_FALSE(may_stay(frontier, {2.0, 4.0}));
  EXPECT_FALSE(may_stay(frontier, {3.0, 2.5}));
  EXPECT_TRUE(may_stay(frontier, {std::nan(""), 9.0}));
}

TEST(Search, GroupsDoNotCompete) {
  std::vector<space::Axis> axes(2);
  axes[0].name = "logic";
  axes[1].name = "memory";
  Search search(keep_of("best 1 per memory; counts bounded"), {}, axes);
  search.group_at(std::array{0, 1}).add(std::array{2.0});
  EXPECT_FALSE(may_stay(search.group_at(std::array{5, 1}), {3.0}));
  EXPECT_TRUE(may_stay(search.group_at(std::array{0, 0}), {3.0}));
}

std::string bounded(const std::string& policy, const std::string& objectives) {
  return test::small_spec("[keep]\npolicy = \"" + policy +
                          "\"\ncounts = \"bounded\"\n[objectives]\nminimize = [" + objectives +
                          "]\n");
}

TEST(BoundedCounts, SkipMostPointsAndLeaveDistributionsOut) {
  const Study study = test::load_good(bounded("best", "\"step_time\""));
  EXPECT_TRUE(study.description().histograms.empty());
  EXPECT_EQ(study.description().root_attributes.at("keep"), "best 1; counts bounded");
  const engine::RangeResult result = test::evaluate_all(study);
  const std::int64_t feasible = result.counts[index_of(Status::ok)];
  EXPECT_GT(result.skipped, feasible * 3 / 4);
  EXPECT_LT(result.skipped, feasible);
}

TEST(BoundedCounts, NeedBoundsOfWhatDecides) {
  EXPECT_EQ(test::load_text(bounded("best", "\"step_time\", \"average_power\"")).messages, "");
  const std::string said =
      test::load_text(bounded("frontier", "\"step_time\", \"average_power\"")).messages;
  EXPECT_EQ(
      said,
      "spec.toml:22:10: error: counts = \"bounded\" needs a bound of 'average_power' before it "
      "is estimated, and there is none; there are bounds of step_time and of throughput, "
      "energy, memory, cost and carbon; leave out counts, or that objective\n");
}

TEST(BoundedCounts, GoWithTraining) {
  const std::string said = test::load_text(R"(schema = 1
title = "Requests"
[workload]
kind = "inference"
model = "llama-2-7b"
prompt = 500
output = 200
batch = 1
[system]
accelerators = 1
device = "h100-sxm"
[strategy]
tensor_parallel = 1
[keep]
policy = "best"
counts = "bounded"
)")
                               .messages;
  EXPECT_EQ(said,
            "spec.toml:16:10: error: counts = \"bounded\" does not go with this kind of workload, "
            "of which every point is estimated; leave counts out\n");
}

TEST(BoundedCounts, ArePartOfTheIdentity) {
  const Study exact = test::load_good(test::small_spec("[keep]\npolicy = \"best\"\n"));
  const Study skips =
      test::load_good(test::small_spec("[keep]\npolicy = \"best\"\ncounts = \"bounded\"\n"));
  EXPECT_NE(exact.description().identity, skips.description().identity);
}

TEST(BoundedCounts, StandInTheTextOfAPolicy) {
  for (const char* text : {"best 1; counts bounded", "frontier per model; counts bounded",
                           "best 3 per logic, memory; counts bounded", "best 2 per model"}) {
    EXPECT_EQ(space::keep_text(keep_of(text)), text);
  }
  EXPECT_FALSE(space::keep_of_text("all; counts bounded"));
  EXPECT_FALSE(space::keep_of_text("best 1; counts guessed"));
}

}  // namespace
}  // namespace scalesweep::study
