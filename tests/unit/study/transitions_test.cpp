// Where along an axis what limits the best point changes, found among few of its values.
#include "study/search/transitions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "engine/run_threads.hpp"
#include "unit/study/study_fixture.hpp"

namespace scalesweep::study {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

PointLimits limit(std::size_t resource) {
  return {resource, resource};
}

// Places in the order in which they were looked at, where the limits change at these.
std::vector<std::int32_t> looked_at(std::int32_t size, std::int64_t first,
                                    const std::vector<std::int32_t>& changes) {
  std::vector<std::int32_t> places;
  find_changes(size, first, [&](std::int32_t place) {
    places.push_back(place);
    std::size_t passed = 0;
    for (const std::int32_t change : changes) {
      passed += place >= change ? 1U : 0U;
    }
    return passed > 1 ? PointLimits{} : limit(passed);  // behind the second change nothing is there
  });
  return places;
}

TEST(FindChanges, LooksBetweenThoseThatDiffer) {
  EXPECT_THAT(looked_at(9, 3, {}), ElementsAre(0, 4, 8));
  EXPECT_THAT(looked_at(9, 3, {3}), ElementsAre(0, 4, 2, 3, 8));
  EXPECT_THAT(looked_at(2, 9, {1}), ElementsAre(0, 1));
  EXPECT_THAT(looked_at(5, 100, {3}), ElementsAre(0, 1, 2, 3, 4));
}

TEST(FindChanges, FindsEachBetweenNeighboursAndLooksOnce) {
  for (const std::int32_t size : {10, 97, 1000}) {
    for (const std::int32_t change : {1, size / 3, size - 1}) {
      const std::vector<std::int32_t> places = looked_at(size, 5, {change, size / 2});
      const std::set<std::int32_t> once(places.begin(), places.end());
      EXPECT_EQ(once.size(), places.size());
      EXPECT_TRUE(once.contains(change) && once.contains(change - 1)) << size << " " << change;
      EXPECT_TRUE(once.contains(size / 2) && once.contains(size / 2 - 1)) << size << " " << change;
      EXPECT_LT(places.size(), 40U);
    }
  }
}

// Devices of many budgets of power, two nodes, one of two networks that is slow.
std::string of_powers(const std::string& rest) {
  return test::replaced(
      test::replaced(test::small_spec(rest + "[keep]\nbest = { per = [\"logic\", \"memory\", "
                                             "\"scale_out\", \"power\"] }\n"),
                     "power = \"500 W\"",
                     R"(power = { from = "100 W", to = "900 W", values = 81 })"),
      R"(scale_out = ["HDRx8", "NDRx8"])", R"(scale_out = ["HDRx1", "NDRx8"])");
}

// Of each combination of the other axes and each power, what its best point is limited by.
using Course = std::map<std::int32_t, PointLimits>;
std::map<std::vector<double>, Course> courses_of(const Study& study,
                                                 const engine::RangeResult& result) {
  std::map<std::vector<double>, Course> courses;
  const store::Schema& schema = study.description().schema;
  for (std::size_t row = 0; row < result.rows.rows(); ++row) {
    std::vector<double> others;
    for (const char* axis : {"logic", "memory", "scale_out"}) {
      others.push_back(result.rows.number(column_named(schema, axis), row));
    }
    const auto power =
        static_cast<std::int32_t>(result.rows.number(column_named(schema, "power"), row));
    courses[others][power] = limits_of(result.rows, schema, row);
  }
  return courses;
}

engine::RangeResult kept_of(const Study& study) {
  engine::RangeResult result = test::empty_result(study);
  const engine::Evaluator evaluator = study.make_evaluator();
  evaluator.evaluate({0, study.space().size()}, result);
  evaluator.reduce(result);
  return result;
}

TEST(Transitions, AreWhereThoseOfAllValuesAre) {
  const Study all = test::load_quickly(of_powers(""));
  const Study few =
      test::load_quickly(of_powers("[search]\naxes = \"power\"\nfind = \"transitions\"\n"));
  const auto expected = courses_of(all, kept_of(all));
  const engine::RangeResult result = kept_of(few);
  const auto found = courses_of(few, result);
  ASSERT_EQ(expected.size(), found.size());
  std::size_t changes = 0;
  for (const auto& [others, course] : found) {
    const Course& whole = expected.at(others);
    EXPECT_LT(course.size(), 40U);
    for (auto here = course.begin(); here != course.end(); ++here) {
      EXPECT_EQ(whole.at(here->first), here->second);
      const auto next = std::next(here);
      if (next != course.end() && next->second != here->second) {
        EXPECT_EQ(next->first, here->first + 1);
        ++changes;
      }
    }
  }
  EXPECT_GT(changes, 2U);
  EXPECT_GT(result.counts.back(), few.space().size() / 2);  // not_searched
}

TEST(Transitions, AreOfTheBestAtEveryValue) {
  const std::string said =
      test::load_text(
          test::replaced(of_powers("[search]\naxes = \"power\"\nfind = \"transitions\"\n"),
                         ", \"power\"] }", "] }"))
          .messages;
  EXPECT_THAT(said, HasSubstr("transitions are of the best point at every value of 'power': write "
                              "best = { per = [..., \"power\"] } in [keep]"));
}

TEST(Transitions, GoWithServices) {
  const std::string spec = R"(schema = 1
title = "Requests"
[workload]
kind = "serving"
model = "llama-2-7b"
prompt = 500
output = 200
time_per_output_token = "20 ms"
[system]
accelerators = 2
logic = "N5"
memory = "HBM3"
scale_up = { link = "NVLink4", domain = 8 }
scale_out = "NDRx8"
[system.device]
template = "tensor-core-gpu"
die_area = "700 mm2"
power = "500 W"
stacks = { from = 1, to = 8, values = 8 }
[search]
axes = "stacks"
find = "transitions"
first_values = 3
[strategy]
tensor_parallel = [1, 2]
[keep]
best = { per = ["stacks"] }
)";
  const Study study = test::load_good(spec);
  const engine::RangeResult result = kept_of(study);
  EXPECT_GE(result.rows.rows(), 2U);
  EXPECT_EQ(study.description().root_attributes.at("search"),
            R"({"axes":["stacks"],"find":"transitions","first_values":3})");
}

}  // namespace
}  // namespace scalesweep::study
