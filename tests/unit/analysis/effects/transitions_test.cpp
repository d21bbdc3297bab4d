#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/show/text_report.hpp"
#include "unit/analysis/analysed_study.hpp"

namespace scalesweep::analysis {
namespace {

using testing::analysed;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::names;
using testing::numbers_of;
using testing::point;
using testing::TestPoint;
using testing::TestStudy;
using testing::texts_of;
using testing::values;

TestPoint device(std::int32_t place, double compute_s, double dram_s, double tensor_peak,
                 double dram_bandwidth) {
  TestPoint result = point({place}, compute_s, dram_s, 0.0);
  result.tensor_peak = tensor_peak;
  result.dram_bandwidth = dram_bandwidth;
  return result;
}

// Of names that follow each other, as generations of a technology do, and stand for all rates.
TestStudy of_devices(const std::vector<TestPoint>& points, const std::string& axis = "scale_out") {
  const std::vector<std::string> all = {"older", "wider", "faster", "narrower"};
  TestStudy study;
  study.axes = {names(axis, {all.begin(), all.begin() + static_cast<long>(points.size())})};
  study.points = points;
  return study;
}

// Every change is one between groups and one between resources alike.
TEST(Transitions, TheQuantityIsTheRateThatMadeTheLimitChange) {
  const AnalysisResult result = analysed(of_devices({
      device(0, 4.0, 8.0, 1e15, 2e12), device(1, 4.0, 2.0, 1e15, 8e12),  // DRAM relieved
      device(2, 1.0, 2.0, 4e15, 8e12),                                   // compute relieved
  }));

  const ResultTable& t = result[tables::transitions];
  EXPECT_THAT(texts_of(result, t, "level"), ElementsAre("group", "resource", "group", "resource"));
  EXPECT_THAT(texts_of(result, t, "quantity"),
              ElementsAre("dram_bandwidth", "dram_bandwidth", "tensor_peak", "tensor_peak"));
  EXPECT_THAT(texts_of(result, t, "quantity_units"), ElementsAre("B s-1", "B s-1", "s-1", "s-1"));
  EXPECT_EQ(t.schema[column_of(t, "crossing_quantity")].units, "") << "not one for all rows";
  // From twice the other to half of it: halfway on a logarithmic scale.
  EXPECT_NEAR(numbers_of(t, "crossing_quantity")[0], 4e12, 1e3);
  EXPECT_NEAR(numbers_of(t, "crossing_quantity")[2], 2e15, 1e6);
  EXPECT_THAT(result.findings,
              Contains("Compute takes over from memory at a DRAM bandwidth of 4 TB/s"));
  EXPECT_THAT(result.findings,
              Contains("Memory takes over from compute at a tensor peak of 2 PFLOP/s"));
  EXPECT_THAT(format_analysis(result, Format::text, 120), HasSubstr("4 TB/s of DRAM bandwidth"));
}

// From one device to the next in a list there is no way.
TEST(Transitions, AreNoneBetweenNamesThatDoNotFollowEachOther) {
  const AnalysisResult result = analysed(of_devices(
      {
          device(0, 4.0, 8.0, 1e15, 2e12),
          device(1, 4.0, 2.0, 1e15, 8e12),
          device(2, 1.0, 2.0, 4e15, 8e12),
      },
      "device"));

  EXPECT_EQ(result[tables::transitions].table.rows(), 0U);
  EXPECT_EQ(result[tables::strategy_changes].table.rows(), 0U);
  EXPECT_THAT(result.findings,
              Contains("Memory-bound at older and faster, compute-bound at wider"));
  EXPECT_THAT(result.findings, Contains(HasSubstr("s at older, ")));
  EXPECT_THAT(result.findings, Not(Contains(HasSubstr("takes over"))));
}

// At the first value a layout that is `slower` than the best by so much is limited by what limits
// the second.
TestStudy with_a_tie(double slower) {
  TestStudy study = of_devices({
      device(0, 4.0, 8.0, 1e15, 2e12),
      device(1, 4.0, 2.0, 1e15, 8e12),
      device(2, 1.0, 2.0, 4e15, 8e12),
  });
  TestPoint other = point({0}, 8.0 * slower, 4.0 * slower, 0.0, 8);
  other.tensor_peak = 1e15;
  other.dram_bandwidth = 2e12;
  study.points.push_back(other);
  return study;
}

TEST(Transitions, AreNotToldWhereALayoutThatTiesHasTheOtherLimit) {
  const AnalysisResult tied = analysed(with_a_tie(1.005));
  const AnalysisResult apart = analysed(with_a_tie(1.015));

  EXPECT_THAT(texts_of(tied, tied[tables::transitions], "to_limit"), ElementsAre("memory", "dram"));
  EXPECT_THAT(tied.findings, Contains("1 change of what limits the best is left out: layouts "
                                      "within 1 % of it do not all have it"));
  EXPECT_THAT(tied.findings, Contains("Compute-bound from older to wider, memory-bound at faster"));
  EXPECT_THAT(format_analysis(tied, Format::text, 120), HasSubstr("memory? 67%"));
  EXPECT_EQ(apart[tables::transitions].table.rows(), 4U);
  EXPECT_THAT(apart.findings, Not(Contains(HasSubstr("left out"))));
  EXPECT_THAT(format_analysis(apart, Format::text, 120), HasSubstr("memory 67%"));
}

TEST(Transitions, SharesOfLayoutsThatTieAreRanges) {
  const AnalysisResult tied = analysed(with_a_tie(1.005));

  const ResultTable& t = tied[tables::tied_shares];
  const std::vector<std::string> limits = texts_of(tied, t, "limit");
  const auto row = [&](const std::string& limit) {
    return static_cast<std::size_t>(std::find(limits.begin(), limits.end(), limit) -
                                    limits.begin());
  };
  EXPECT_EQ(numbers_of(t, "layouts")[row("dram")], 2.0);
  EXPECT_NEAR(numbers_of(t, "share_least")[row("dram")], 1.0 / 3.0, 1e-12);
  EXPECT_NEAR(numbers_of(t, "share_most")[row("dram")], 2.0 / 3.0, 1e-12);
  EXPECT_EQ(texts_of(tied, t, "leads")[row("tensor_compute")], "yes");
  EXPECT_EQ(texts_of(tied, t, "leads")[row("scale_out")], "no");
}

// Between a value where one of two leads and one where the other does something has changed, and
// what lies in between does not say where.
TEST(Transitions, AreToldAcrossValuesWhereLayoutsThatTieDisagree) {
  TestStudy study = of_devices({
      device(0, 4.0, 8.0, 1e15, 2e12),
      device(1, 8.0, 4.0, 1e15, 8e12),
      device(2, 8.0, 2.0, 1e15, 9e12),
  });
  study.points.push_back(point({1}, 4.0, 8.01, 0.0, 8));

  const AnalysisResult result = analysed(study);

  const ResultTable& t = result[tables::transitions];
  EXPECT_THAT(texts_of(result, t, "from_scale_out"), ElementsAre("older", "older"));
  EXPECT_THAT(texts_of(result, t, "to_scale_out"), ElementsAre("faster", "faster"));
  EXPECT_THAT(result.findings,
              Contains(HasSubstr("Memory-bound from older to wider, compute-bound at faster")));
}

// Of the layouts that tie nobody knows in a file of the best.
TEST(Transitions, AreNotFirmWhereTiesAreNotKept) {
  TestStudy study = of_devices({
      device(0, 4.0, 8.0, 1e15, 2e12),
      device(1, 4.0, 2.0, 1e15, 8e12),
  });
  for (TestPoint& one : study.points) {
    one.error_bar = 0.1;
  }
  const AnalysisResult all = analysed(study);
  study.root_attributes["keep"] = R"({"policy":"best","per":["scale_out"]})";
  study.worse_not_kept = 2;
  const AnalysisResult best = analysed(study);

  EXPECT_THAT(texts_of(all, all[tables::transitions], "firm"), ElementsAre("yes", "yes"));
  EXPECT_THAT(all.findings, Not(Contains(HasSubstr("Ties not kept"))));
  EXPECT_THAT(texts_of(best, best[tables::transitions], "firm"), ElementsAre("unknown", "unknown"));
  EXPECT_THAT(best.findings, Contains(HasSubstr("Ties not kept")));
}

TEST(Transitions, AFallOfWhatTakesOverMakesTheLimitChangeToo) {
  const AnalysisResult result = analysed(of_devices({
      device(0, 4.0, 2.0, 1.0e15, 8e12),
      device(1, 4.2, 8.0, 0.8e15, 2e12),
  }));

  EXPECT_EQ(texts_of(result, result[tables::transitions], "quantity")[0], "dram_bandwidth");
  EXPECT_NEAR(numbers_of(result[tables::transitions], "crossing_quantity")[0], 4e12, 0.1e12);
}

// Less work for compute, say by another strategy, and nothing that explains it.
TEST(Transitions, ElseTheQuantityIsWhatChangesMost) {
  const AnalysisResult result = analysed(of_devices({
      device(0, 4.0, 2.0, 1.0e15, 2e12),
      device(1, 1.0, 2.0, 0.9e15, 3e12),
  }));

  EXPECT_EQ(texts_of(result, result[tables::transitions], "quantity")[0], "dram_bandwidth");
}

TEST(Transitions, WhereNothingThatIsKnownChangesThereIsNoValue) {
  const AnalysisResult result = analysed(of_devices({
      device(0, 4.0, 2.0, 1.000e15, 2e12),
      device(1, 1.0, 2.0, 1.009e15, 2e12),
  }));

  EXPECT_TRUE(std::isnan(numbers_of(result[tables::transitions], "crossing_quantity")[0]));
  EXPECT_THAT(result.findings, Not(Contains(HasSubstr("takes over"))));
}

TEST(Transitions, AxesThatAdvanceTogetherStandForTheQuantitiesOfEach) {
  TestStudy study;
  study.axes = {names("logic", {"N7", "N5"}), names("memory", {"HBM2", "HBM3"})};
  for (std::int32_t logic = 0; logic < 2; ++logic) {
    for (std::int32_t memory = 0; memory < 2; ++memory) {
      TestPoint here = point({logic, memory}, logic == 0 ? 4.0 : 3.0, memory == 0 ? 8.0 : 2.0, 0.0);
      here.tensor_peak = logic == 0 ? 1e15 : 1.33e15;
      here.dram_bandwidth = memory == 0 ? 2e12 : 8e12;
      study.points.push_back(here);
    }
  }
  AnalyzeOptions together;
  together.along = "logic,memory";

  const AnalysisResult path = analysed(study, together);
  const AnalysisResult memory = analysed(study, {.along = "memory"});

  EXPECT_EQ(texts_of(path, path[tables::transitions], "quantity")[0], "dram_bandwidth");
  const ResultTable& t = memory[tables::transitions];
  EXPECT_EQ(t.schema[column_of(t, "crossing_quantity")].units, "B s-1") << "one for all rows";
  EXPECT_THAT(format_analysis(memory, Format::text, 120), Not(HasSubstr(" of DRAM bandwidth\n")))
      << "told once, in the findings";
}

// Of an axis that the user writes in Gb/s the crossing is told in Gb/s, not in SI.
TEST(Transitions, OnAQuantityThePlaceIsToldInTheUnitsOfItsValues) {
  TestStudy study;
  study.axes = {{"pin_rate", "B s-1", "test axis", {"4 Gb/s", "16 Gb/s"}, {5e8, 2e9}}};
  study.points = {point({0}, 4.0, 8.0, 0.0), point({1}, 4.0, 2.0, 0.0)};

  const AnalysisResult result = analysed(study);

  EXPECT_NEAR(numbers_of(result[tables::transitions], "crossing_quantity")[0], 1e9, 1e-3);
  EXPECT_THAT(result.findings, Contains("Compute takes over from memory at a pin rate of 8 Gb/s"));
  EXPECT_THAT(format_analysis(result, Format::text, 120), HasSubstr("8 Gb/s"));
}

TEST(Transitions, WhereNoQuantityIsKnownThePlaceIsBetweenTwoValues) {
  TestStudy study;
  study.axes = {names("logic", {"N7", "N5"})};
  study.points = {point({0}, 8.0, 4.0, 0.0), point({1}, 2.0, 4.0, 0.0)};

  EXPECT_THAT(format_analysis(analysed(study), Format::text, 120), HasSubstr("N7 +50% to N5"));
}

// Both networks are one group: what is next in line after it is none of them.
TEST(Transitions, NextInLineAfterAGroupIsAResourceOutsideOfIt) {
  TestStudy study;
  study.axes = {names("logic", {"N7", "N5"})};
  study.points = {point({0}, 9.0, 2.0, 1.0), point({1}, 1.0, 1.5, 4.0)};
  study.points[1].charges_s[5] = 2.0;  // scale_up

  const AnalysisResult result = analysed(study);

  EXPECT_THAT(texts_of(result, result[tables::transitions], "level"),
              ElementsAre("group", "resource"));
  EXPECT_THAT(texts_of(result, result[tables::transitions], "second_resource"),
              ElementsAre("dram", "scale_up"));
}

TEST(Transitions, CombinationsOfNumbersSayWhatTheyAreValuesOf) {
  TestStudy study;
  study.axes = {names("logic", {"N7", "N5"}), values("batch", {1.0, 16.0}, "")};
  study.points = {point({0, 0}, 4.0, 2.0, 0.0), point({1, 0}, 1.0, 2.0, 0.0),
                  point({0, 1}, 4.0, 2.0, 0.0), point({1, 1}, 3.0, 2.0, 0.0)};

  EXPECT_THAT(analysed(study, {.along = "logic"}).findings,
              Contains("Compute-bound at N7, memory-bound at N5: batch 1"));
}

// Faster DRAM does nothing for it.
TEST(Transitions, WhatL2LimitsIsNotCalledMemoryBound) {
  TestStudy study;
  study.axes = {names("logic", {"N7", "N5"})};
  study.points = {point({0}, 9.0, 1.0, 1.0), point({1}, 1.0, 1.0, 1.0)};
  study.points[1].charges_s[3] = 4.0;  // l2

  EXPECT_THAT(analysed(study).findings, Contains(HasSubstr("Compute-bound at N7, L2-bound at N5")));
}

}  // namespace
}  // namespace scalesweep::analysis
