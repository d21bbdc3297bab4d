// What is skipped where counts are bounded, and what is said where it cannot be.
#include "study/search/search.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <limits>

#include "space/stored_rules.hpp"
#include "study_fixture.hpp"
#include "support/stored_texts.hpp"

namespace scalesweep::study {
namespace {

using testing::HasSubstr;

space::Keep keep_of(const std::string& text) {
  return space::keep_of_json(test::as_stored("keep", text)).value();
}

bool can_be_kept(const Incumbents& incumbents, std::vector<double> least) {
  return incumbents.can_be_kept(least);
}

TEST(Incumbents, TheBestLetPassWhatIsAsGoodAsTheLastOfThem) {
  Incumbents best(keep_of("best 2; counts bounded"));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(can_be_kept(best, {infinity}));
  for (const double value : {3.0, 7.0, 5.0}) {
    best.add(std::array{value});
  }
  EXPECT_TRUE(can_be_kept(best, {4.9}));
  EXPECT_TRUE(can_be_kept(best, {5.0}));  // its id may be smaller
  EXPECT_FALSE(can_be_kept(best, {5.1}));
  EXPECT_TRUE(can_be_kept(best, {std::nan("")}));
  best.add(std::array{std::nan("")});
  EXPECT_TRUE(can_be_kept(best, {5.0}));
}

TEST(Incumbents, AFrontierLetsPassWhatNoneDominates) {
  Incumbents frontier(keep_of("frontier"));
  frontier.add(std::array{1.0, 4.0});
  frontier.add(std::array{3.0, 2.0});
  frontier.add(std::array{3.0, 3.0});              // dominated
  EXPECT_TRUE(can_be_kept(frontier, {1.0, 4.0}));  // alike
  EXPECT_TRUE(can_be_kept(frontier, {0.5, 9.0}));
  EXPECT_TRUE(can_be_kept(frontier, {2.0, 3.0}));
  EXPECT_FALSE(can_be_kept(frontier, {2.0, 4.0}));
  EXPECT_FALSE(can_be_kept(frontier, {3.0, 2.5}));
  EXPECT_TRUE(can_be_kept(frontier, {std::nan(""), 9.0}));
}

TEST(Search, GroupsDoNotCompete) {
  std::vector<space::Axis> axes(2);
  axes[0].name = "logic";
  axes[1].name = "memory";
  Search search(keep_of("best 1 per memory; counts bounded"), {}, axes);
  search.group_at(std::array{0, 1}).add(std::array{2.0});
  EXPECT_FALSE(can_be_kept(search.group_at(std::array{5, 1}), {3.0}));
  EXPECT_TRUE(can_be_kept(search.group_at(std::array{0, 0}), {3.0}));
}

std::string bounded(const std::string& policy, const std::string& objectives) {
  return test::small_spec("[keep]\npolicy = \"" + policy +
                          "\"\ncounts = \"bounded\"\n[objectives]\nminimize = [" + objectives +
                          "]\n");
}

TEST(BoundedCounts, SkipMostPointsAndLeaveDistributionsOut) {
  const Study study = test::load_good(bounded("best", "\"step_time\""));
  EXPECT_TRUE(study.description().histograms.empty());
  EXPECT_EQ(study.description().root_attributes.at("keep"),
            R"({"policy":"best","k":1,"counts":"bounded"})");
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
      "energy, memory, cost and carbon; leave one of both out\n");
}

// A service within limits, with a further table.
std::string service(const std::string& rest) {
  return R"(schema = 1
title = "Requests"
[workload]
kind = "serving"
model = "llama-2-7b"
prompt = 500
output = 200
[system]
accelerators = 1
device = "h100-sxm"
[strategy]
tensor_parallel = 1
)" + rest;
}

TEST(BoundedCounts, OfServicesAreOfWhatFollowsFromTheirRate) {
  const std::string best = "[keep]\npolicy = \"best\"\ncounts = \"bounded\"\n";
  EXPECT_EQ(test::load_text(service(best)).messages, "");
  EXPECT_EQ(test::load_text(service(best + "[objectives]\nminimize = \"time_per_output_token\"\n"))
                .messages,
            "spec.toml:15:10: error: counts = \"bounded\" needs a bound of 'time_per_output_token' "
            "before "
            "it is estimated, and there is none; there are bounds of the request rate, throughput, "
            "energy, "
            "cost and carbon; leave one of both out\n");
  const std::string searching = test::replaced(
      service("[keep]\npolicy = \"best\"\n[search]\naxes = \"die_area\"\n"),
      "device = \"h100-sxm\"",
      "logic = \"N5\"\nmemory = \"HBM3\"\nscale_up = { link = \"NVLink4\", domain = 8 }\n"
      "scale_out = \"NDRx8\"\ndevice = { template = \"tensor-core-gpu\", die_area = [\"700 "
      "mm2\", \"826 mm2\"], power = \"700 W\", stacks = 4 }");
  EXPECT_EQ(test::load_good(searching).description().root_attributes.at("search"),
            R"({"axes":["die_area"],"find":"best","method":"model","tolerance":0.001,)"
            R"("devices":400})");
  EXPECT_THAT(
      test::load_text(test::replaced(searching, "[search]\n", "[search]\nmethod = \"bounds\"\n"))
          .messages,
      HasSubstr(
          "method = \"bounds\" does not go with services, of which nothing is known for a box "
          "of devices; write method = \"model\" in [search], or leave it out"));
}

// A small study of derived devices of three areas.
std::string searched(const std::string& rest) {
  return test::replaced(test::small_spec("[search]\naxes = \"die_area\"\n" + rest),
                        "die_area = \"826 mm2\"",
                        "die_area = [\"500 mm2\", \"600 mm2\", \"826 mm2\"]");
}

TEST(GridSearch, GoesWithWhatLooksForSomething) {
  EXPECT_EQ(test::load_text(searched("")).messages,
            "spec.toml:20:1: error: [search] looks for what a policy keeps: write policy = "
            "\"best\" or \"frontier\" in [keep], or leave [search] out\n");
  EXPECT_THAT(test::load_text(searched("[keep]\nbest = { per = [\"die_area\"] }\n")).messages,
              HasSubstr("spec.toml:20:1: error: per = [...] asks for the best at every value of "
                        "'die_area', which [search] does not go along; leave 'die_area' out of "
                        "one of both"));
  const std::string best = "[keep]\npolicy = \"best\"\n";
  EXPECT_THAT(test::load_text(
                  searched(best + "[allocate]\nmemory_power_share = { from = 0.1, to = 0.3 }\n"))
                  .messages,
              HasSubstr("[search] and [allocate] look for the same; leave one of them out"));
  EXPECT_THAT(
      test::load_text(searched(best + "[objectives]\nminimize = \"average_power\"\n")).messages,
      HasSubstr("[search] needs a bound of 'average_power' before it is estimated, and there is "
                "none; there are bounds of step_time and of throughput, energy, memory, cost and "
                "carbon; leave one of both out, or write method = \"model\" in [search]"));
}

TEST(GridSearch, ByAModelOrAClimbNeedsNoBounds) {
  const std::string rest =
      "[keep]\npolicy = \"best\"\n[objectives]\nminimize = \"average_power\"\n";
  for (const char* method : {"model", "climb"}) {
    const Study study = test::load_good(searched(fmt::format("method = \"{}\"\n", method) + rest));
    engine::RangeResult found = test::empty_result(study);
    study.make_evaluator().evaluate({0, study.space().size()}, found);
    EXPECT_EQ(found.counts.back(), 0) << "three devices are few";
    const Study exact =
        test::load_good(test::replaced(searched(rest), "[search]\naxes = \"die_area\"\n", ""));
    engine::RangeResult all = test::empty_result(exact);
    exact.make_evaluator().evaluate({0, exact.space().size()}, all);
    found.rows.select((*study.make_evaluator().select)(found.rows));
    all.rows.select((*exact.make_evaluator().select)(all.rows));
    ASSERT_EQ(found.rows.rows(), all.rows.rows());
    const std::size_t power = column_named(study.description().schema, "average_power");
    EXPECT_EQ(found.rows.number(power, 0), all.rows.number(power, 0));
  }
}

TEST(GridSearch, SaysWhichKeysGoTogether) {
  const std::string best = "[keep]\npolicy = \"best\"\n";
  EXPECT_THAT(test::load_text(searched("method = \"modell\"\n" + best)).messages,
              HasSubstr("unknown method 'modell'; did you mean 'model'?"));
  EXPECT_THAT(test::load_text(searched("method = \"climb\"\ntolerance = 0.1\n" + best)).messages,
              HasSubstr("'tolerance' does not go with method = \"climb\"; leave one of them out"));
  EXPECT_THAT(
      test::load_text(searched("method = \"model\"\nfind = \"transitions\"\n" + best)).messages,
      HasSubstr("'method' goes with find = \"best\"; leave it out"));
}

TEST(GridSearch, CountsWhatItLeavesOut) {
  const Study study = test::load_good(searched("[keep]\npolicy = \"best\"\n"));
  const store::StudyDescription& description = study.description();
  EXPECT_EQ(description.count_names.back(), "not_searched");
  EXPECT_EQ(description.outcomes.nearest.back(), "step_time");
  EXPECT_EQ(description.root_attributes.at("search"),
            R"({"axes":["die_area"],"find":"best","method":"bounds","tolerance":0.001,)"
            R"("devices":100000})");
  EXPECT_TRUE(description.histograms.empty());
  EXPECT_NE(description.identity,
            test::load_good(searched("tolerance = 0.01\n[keep]\npolicy = \"best\"\n"))
                .description()
                .identity);
  EXPECT_EQ(study.make_evaluator().together, study.space().size() / 8);
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
}

}  // namespace
}  // namespace scalesweep::study
