// How far estimates were from measurements: the entries and their look-up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "example_catalog.hpp"

namespace scalesweep::catalog {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string_view> lacks_of(const technology::ScaleUncertainty& uncertainty) {
  return technology::names_of(uncertainty.lacks);
}

const std::string two_regimes = R"(
[framework.plain]
source = "paper"
kind = "published"
issue_interval = "0 us"

[framework.other]
source = "paper"
kind = "published"
issue_interval = "0 us"

[uncertainty.chip-plain]
source = "paper"
kind = "calibrated"
device = "chip"
framework = "plain"
scale = "single_node"
relative = 0.05
rows = 100
date = "2026-01-31"

[uncertainty.chip-other]
source = "paper"
kind = "calibrated"
device = "chip"
framework = "other"
scale = "single_node"
relative = 0.2
rows = 10
date = "2026-01-31"
)";

TEST(Uncertainties, AreThoseOfTheDeviceAndTheFramework) {
  const Catalog catalog = test::load_text(test::example_text + two_regimes);
  const technology::Uncertainty known = catalog.uncertainty("chip", "plain");
  EXPECT_EQ(known.single_node.relative, 0.05);
  EXPECT_TRUE(known.single_node.is_measured());
  // Nobody measured several nodes: as one of them, and what that adds.
  EXPECT_DOUBLE_EQ(known.multi_node.relative, 0.05);
  EXPECT_FALSE(known.multi_node.is_measured());
  EXPECT_THAT(lacks_of(known.multi_node), ElementsAre("scale not measured"));
}

TEST(Uncertainties, OfInferenceAreTheirOwn) {
  const std::string inference = R"(
[uncertainty.chip-inference]
source = "paper"
kind = "calibrated"
device = "chip"
framework = "plain"
work = "inference"
scale = "single_node"
relative = 0.5
rows = 7
date = "2026-01-31"
)";
  const Catalog catalog = test::load_text(test::example_text + two_regimes + inference);
  EXPECT_EQ(catalog.uncertainty("chip", "plain").single_node.relative, 0.05);
  EXPECT_EQ(catalog.uncertainty("chip", "other").single_node.relative, 0.2);
  const auto measured = catalog.uncertainty("chip", "plain", MeasuredWork::inference);
  EXPECT_EQ(measured.single_node.relative, 0.5);
  EXPECT_TRUE(measured.single_node.is_measured());
  const auto other = catalog.uncertainty("chip", "other", MeasuredWork::inference);
  EXPECT_FALSE(other.single_node.is_measured());
  EXPECT_EQ(other.single_node.relative, 0.5) << "training is no measure of inference";
  EXPECT_THAT(test::complaints(test::example_text + two_regimes +
                               test::with(inference, "\"inference\"", "\"serving\"")),
              HasSubstr("'serving' is neither training nor inference nor first_token"));
}

// They wait for other requests, which times per token do not.
TEST(Uncertainties, OfFirstTokensAreTheirOwn) {
  const std::string measured = R"(
[uncertainty.chip-first-token]
source = "paper"
kind = "calibrated"
device = "chip"
framework = "plain"
work = "first_token"
scale = "single_node"
relative = 0.6
rows = 9
date = "2026-01-31"
)";
  const Catalog catalog = test::load_text(test::example_text + two_regimes + measured);
  EXPECT_EQ(catalog.uncertainty("chip", "plain", MeasuredWork::first_token).single_node.relative,
            0.6);
  EXPECT_EQ(catalog.uncertainty("chip", "plain", MeasuredWork::inference).single_node.relative,
            0.0);
  EXPECT_EQ(catalog.uncertainty("chip", "plain").single_node.relative, 0.05);
  const auto other = catalog.uncertainty("chip", "other", MeasuredWork::first_token);
  EXPECT_FALSE(other.single_node.is_measured());
  EXPECT_EQ(other.single_node.relative, 0.6);
}

TEST(Uncertainties, OfWhatWasNotMeasuredAreThoseOfAllThatWas) {
  const Catalog catalog = test::load_text(test::example_text + two_regimes);
  const technology::Uncertainty derived = catalog.uncertainty("", "plain");
  EXPECT_DOUBLE_EQ(derived.single_node.relative, std::sqrt((0.05 * 0.05 + 0.2 * 0.2) / 2.0));
  EXPECT_FALSE(derived.single_node.is_measured());
  EXPECT_THAT(lacks_of(derived.single_node), ElementsAre("maker not measured"));
}

// Beside the chip of the example, of which two frameworks were measured.
const std::string relatives = R"(
[framework.new]
like = "plain"
source = "paper"
kind = "published"

[device.sibling]
like = "chip"
source = "paper"
kind = "published"

[device.stranger]
like = "chip"
maker = "Other"
source = "paper"
kind = "published"
)";

TEST(Uncertainties, SayWhatWasNotMeasured) {
  const Catalog catalog = test::load_text(
      test::with(test::example_text, "[device.chip]\n", "[device.chip]\nmaker = \"Maker\"\n") +
      two_regimes + relatives);
  const auto lacks = [&](const char* device, const char* framework) {
    return lacks_of(catalog.uncertainty(device, framework).single_node);
  };
  EXPECT_THAT(lacks("chip", "plain"), ElementsAre());
  EXPECT_THAT(lacks("sibling", "plain"), ElementsAre("architecture not measured"));
  EXPECT_THAT(lacks("stranger", "plain"), ElementsAre("maker not measured"));
  EXPECT_THAT(lacks("chip", "new"), ElementsAre("stack not measured"));
  EXPECT_THAT(lacks("stranger", "new"), ElementsAre("maker not measured", "stack not measured"));
}

// With an entry of chip in `other` at several nodes, sibling in `plain` shares neither.
TEST(Uncertainties, DeviceAndStackMayHaveBeenMeasuredApart) {
  const std::string apart = R"(
[uncertainty.sibling-other]
source = "paper"
kind = "calibrated"
device = "sibling"
framework = "other"
scale = "single_node"
relative = 0.1
rows = 100
date = "2026-01-31"
)";
  const Catalog catalog = test::load_text(test::example_text + two_regimes + relatives + apart);
  const auto found = catalog.uncertainty("sibling", "plain").single_node;
  EXPECT_THAT(lacks_of(found), ElementsAre("device and stack not measured together"));
  EXPECT_DOUBLE_EQ(found.relative, std::sqrt((0.05 * 0.05 + 0.2 * 0.2 + 0.1 * 0.1) / 3.0));
}

// Those of the same stack on the same device, of another version.
TEST(Uncertainties, AreNeverBelowThatOfARelative) {
  const std::string versions = R"(
[framework."stack@1"]
like = "plain"
source = "paper"
kind = "published"

[framework."stack@2"]
like = "plain"
source = "paper"
kind = "published"

[uncertainty.chip-stack-1]
source = "paper"
kind = "calibrated"
device = "chip"
framework = "stack@1"
scale = "single_node"
relative = 0.4
rows = 10
date = "2026-01-31"
)";
  const Catalog catalog = test::load_text(test::example_text + two_regimes + versions);
  const auto found = catalog.uncertainty("chip", "stack@2");
  EXPECT_EQ(found.single_node.relative, 0.4);
  EXPECT_THAT(lacks_of(found.single_node), ElementsAre("version not measured"));
}

// All that is known of a device is worse than the mean.
TEST(Uncertainties, AreNeverBelowTheBestKnownOfTheDevice) {
  const std::string far = R"(
[framework.third]
source = "paper"
kind = "published"
issue_interval = "0 us"

[device.far]
like = "chip"
source = "paper"
kind = "published"

[uncertainty.far-plain]
source = "paper"
kind = "calibrated"
device = "far"
framework = "plain"
scale = "single_node"
relative = 0.9
rows = 10
date = "2026-01-31"
)";
  const Catalog catalog = test::load_text(test::example_text + two_regimes + far);
  EXPECT_EQ(catalog.uncertainty("far", "third").single_node.relative, 0.9);
  EXPECT_LT(catalog.uncertainty("chip", "third").single_node.relative, 0.9);
}

TEST(Uncertainties, AnAnnouncedPeakIsClaimed) {
  const std::string announced = R"(
[device.announced]
like = "chip"
source = "paper"
kind = "published"
tensor_peak = { bf16 = { value = "900 TFLOP/s", kind = "vendor claim" } }
)";
  const Catalog catalog = test::load_text(test::example_text + two_regimes + announced);
  EXPECT_THAT(lacks_of(catalog.uncertainty("announced", "plain").single_node),
              ElementsAre("maker not measured", "claimed peak"));
}

const std::string two_traits = R"(
[trait.pipeline]
source = "paper"
kind = "calibrated"
trait = "pipeline parallelism"
factor = 1.5
rows = 20

[trait.pipeline-of-other]
source = "paper"
kind = "calibrated"
trait = "pipeline parallelism"
framework = "other"
factor = 1.2
rows = 7

[trait.rest]
source = "paper"
kind = "derived"
relative = 0.4
)";

TEST(Uncertainties, ATraitIsThatOfTheFrameworkElseOfAll) {
  using technology::Known;
  const Catalog catalog = test::load_text(test::example_text + two_regimes + two_traits);
  const auto pipeline = static_cast<std::size_t>(technology::Trait::pipeline);
  const technology::Uncertainty plain = catalog.uncertainty("chip", "plain");
  EXPECT_EQ(plain.traits[pipeline].known, Known::elsewhere);
  EXPECT_EQ(plain.traits[pipeline].factor, 1.5);
  const technology::Uncertainty other = catalog.uncertainty("chip", "other");
  EXPECT_EQ(other.traits[pipeline].known, Known::here);
  EXPECT_EQ(other.traits[pipeline].factor, 1.2);
  const auto offload = static_cast<std::size_t>(technology::Trait::offload);
  EXPECT_EQ(other.traits[offload].added, 0.4);
  EXPECT_EQ(other.traits[offload].known, Known::nowhere);
  const auto inference = catalog.uncertainty("chip", "other", MeasuredWork::inference);
  EXPECT_EQ(inference.traits[pipeline].known, Known::nowhere) << "training alone was measured";
  EXPECT_EQ(inference.traits[offload].added, 0.0);
}

TEST(Uncertainties, WhatWasNotMeasuredAddsWhatItsEntrySays) {
  const std::string lacks = R"(
[trait.device]
source = "paper"
kind = "derived"
trait = "device not measured"
relative = 0.25
)";
  const std::string text = test::example_text + two_regimes + two_traits + lacks;
  const auto traits = test::load_text(text).uncertainty("chip", "plain").traits;
  const auto added = [&](technology::Trait trait) {
    return traits[static_cast<std::size_t>(trait)].added;
  };
  EXPECT_EQ(added(technology::Trait::device_not_measured), 0.25);
  EXPECT_EQ(added(technology::Trait::stack_not_measured), 0.4) << "as any trait";
  EXPECT_THAT(test::complaints(test::with(text, "relative = 0.25", "factor = 0.25")),
              HasSubstr("missing key 'relative'"));
  EXPECT_THAT(test::complaints(test::with(text, "relative = 0.25", "relative = 0.25\nfactor = 2")),
              HasSubstr("'factor' belongs to traits of cases, which 'device not measured' is not; "
                        "give 'relative'"));
}

TEST(Uncertainties, ATraitHasAFactorAndTheRestAnErrorOfItsOwn) {
  const auto complaints = [](const std::string& from, const std::string& to) {
    return test::complaints(test::with(test::example_text + two_regimes + two_traits, from, to));
  };
  EXPECT_THAT(complaints("trait = \"pipeline parallelism\"", "trait = \"pipeline paralelism\""),
              HasSubstr("unknown trait 'pipeline paralelism'; did you mean 'pipeline "
                        "parallelism'?"));
  EXPECT_THAT(complaints("trait = \"pipeline parallelism\"\nframework", "framework"),
              HasSubstr("'framework' needs 'trait': what was measured in it"));
  EXPECT_THAT(complaints("factor = 1.5", "relative = 1.5"), HasSubstr("missing key 'factor'"));
  EXPECT_THAT(complaints("relative = 0.4", "factor = 0.4"), HasSubstr("missing key 'relative'"));
  EXPECT_THAT(complaints("factor = 1.5", "factor = 1.5\nrelative = 0.1"),
              HasSubstr("'relative' belongs to an entry without 'trait'"));
}

TEST(Uncertainties, ScalesAreTwoAndNamesMustBeThere) {
  const auto complaints = [](const std::string& from, const std::string& to) {
    return test::complaints(test::with(test::example_text + two_regimes, from, to));
  };
  EXPECT_THAT(complaints("scale = \"single_node\"", "scale = \"single-node\""),
              HasSubstr("unknown scale 'single-node'; did you mean 'single_node'?"));
  EXPECT_THAT(complaints("framework = \"plain\"", "framework = \"plan\""),
              HasSubstr("no entry 'plan' among frameworks; did you mean 'plain'?"));
  EXPECT_THAT(complaints("relative = 0.05", "relative = 0"), HasSubstr("must be above 0"));
}

}  // namespace
}  // namespace scalesweep::catalog
