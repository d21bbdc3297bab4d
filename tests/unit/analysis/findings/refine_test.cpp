#include "analysis/findings/refine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/findings/analyze.hpp"
#include "core/failure.hpp"
#include "space/read/spec.hpp"
#include "store/read/reader.hpp"
#include "unit/analysis/synthetic_study.hpp"

namespace scalesweep::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFolder;
using testing::TestPoint;
using testing::TestStudy;

// `power` and `batch` are what the spec has on these axes.
std::string spec_text(const std::string& power, const std::string& batch,
                      const std::string& logic = "\"N7\"") {
  return "schema = 1\ntitle = \"A study\"  # kept\n[workload]\nkind = \"training\"\n"
         "model = \"gpt3-175b\"\nsequence = 2048\nglobal_batch = " +
         batch + "\n[system]\naccelerators = 1024\nlogic = " + logic +
         "\nmemory = \"HBM3\"\nscale_up = { link = \"NVLink4\", domain = 8 }\n"
         "scale_out = \"NDRx8\"\ndevice = { template = \"tensor-core-gpu\", die_area = \"826 "
         "mm2\", "
         "power = " +
         power + ", stacks = 6 }\n[strategy]\ntensor_parallel = 8\n";
}

// Compute-bound at the first values of an axis, memory-bound from `change` on.
TestStudy study_along(const store::AxisValues& axis, std::size_t change, const std::string& spec) {
  TestStudy study;
  study.axes = {axis};
  study.spec = spec;
  for (std::size_t i = 0; i < axis.labels.size(); ++i) {
    TestPoint point;
    point.axes = {static_cast<std::int32_t>(i)};
    point.charges_s = {i < change ? 6.0 : 2.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    study.points.push_back(point);
  }
  return study;
}

RefinedSpec refined(const TestStudy& study, const std::string& along) {
  const TemporaryFolder folder;
  study.write(folder.path() / "study.h5");
  AnalyzeOptions options;
  options.along = along;
  const AnalysisResult result = analyze(folder.path() / "study.h5", options);
  return refine_spec(store::StudyReader(folder.path() / "study.h5"), result);
}

std::vector<std::string> labels_of(const std::string& text, const std::string& axis) {
  Diagnostics diagnostics;
  const auto spec = space::read_spec("spec", text, diagnostics);
  EXPECT_TRUE(spec.has_value());
  return spec ? spec->axes[*space::find_axis(spec->axes, axis)].labels : std::vector<std::string>{};
}

std::string refusal(const TestStudy& study, const std::string& along) {
  try {
    refined(study, along);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::bad_input);
    return failure.what();
  }
  return "nothing failed";
}

TEST(Refine, QuantitiesGetValuesInEqualRatiosInTheUnitOfTheFirst) {
  const TestStudy study = study_along(testing::values("power", {100.0, 200.0, 3200.0}, "W"), 2,
                                      spec_text("[\"100 W\", \"0.2 kW\", \"3200 W\"]", "1536"));

  const RefinedSpec spec = refined(study, "power");

  EXPECT_THAT(spec.added, ElementsAre("\"400 W\"", "\"800 W\"", "\"1600 W\""));
  EXPECT_THAT(spec.text, HasSubstr("[\"100 W\", \"0.2 kW\", \"400 W\", \"800 W\", \"1600 W\", "
                                   "\"3200 W\"]"));
  EXPECT_THAT(labels_of(spec.text, "power"),
              ElementsAre("100 W", "200 W", "400 W", "800 W", "1.6 kW", "3.2 kW"));
  EXPECT_THAT(spec.text, HasSubstr("# kept"));
}

TEST(Refine, IntegersAreRoundedToWhatCanBeDivided) {
  const TestStudy study = study_along(testing::values("global_batch", {512, 1024, 1536}, ""), 1,
                                      spec_text("\"700 W\"", "[\n  512,\n  1024, 1536]"));

  const RefinedSpec spec = refined(study, "global_batch");

  EXPECT_THAT(labels_of(spec.text, "global_batch"),
              ElementsAre("512", "640", "768", "896", "1024", "1536"));
}

TEST(Refine, WhereNoIntegerIsBetweenItIsSaid) {
  const TestStudy study =
      study_along(testing::values("global_batch", {1, 2}, ""), 1, spec_text("\"700 W\"", "[1, 2]"));

  EXPECT_THAT(refusal(study, "global_batch"),
              HasSubstr("no value of 'global_batch' between those at which the bottleneck moves"));
}

TEST(Refine, WhatCannotBeRefinedIsSaidWithTheWayOut) {
  const TestStudy named = study_along(testing::names("logic", {"N7", "N5"}), 1,
                                      spec_text("\"700 W\"", "1536", "[\"N7\", \"N5\"]"));
  EXPECT_THAT(refusal(named, "logic"),
              HasSubstr("cannot refine: the values of 'logic' are names, and there is nothing "
                        "between two of them; a spec can vary 'power' or 'die_area'"));
  const TestStudy still = study_along(testing::values("power", {100.0, 200.0}, "W"), 9,
                                      spec_text("[\"100 W\", \"200 W\"]", "1536"));
  EXPECT_THAT(refusal(still, "power"), HasSubstr("the bottleneck does not move along 'power'"));
  const TestStudy bare = study_along(testing::values("power", {100.0, 200.0}, "W"), 1, "");
  EXPECT_THAT(refusal(bare, "power"), HasSubstr("does not hold the spec"));
}

}  // namespace
}  // namespace scalesweep::analysis
