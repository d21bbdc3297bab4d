// How far estimates were from measurements: the entries and their look-up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "example_catalog.hpp"

namespace scalesweep::catalog {
namespace {

using ::testing::HasSubstr;

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
  EXPECT_EQ(known.single_node, 0.05);
  EXPECT_TRUE(known.single_node_measured);
  // Nobody measured several nodes: as any that was measured.
  EXPECT_DOUBLE_EQ(known.multi_node, std::sqrt((0.05 * 0.05 + 0.2 * 0.2) / 2.0));
  EXPECT_FALSE(known.multi_node_measured);
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
  EXPECT_EQ(catalog.uncertainty("chip", "plain").single_node, 0.05);
  EXPECT_EQ(catalog.uncertainty("chip", "other").single_node, 0.2);
  const auto measured = catalog.uncertainty("chip", "plain", MeasuredWork::inference);
  EXPECT_EQ(measured.single_node, 0.5);
  EXPECT_TRUE(measured.single_node_measured);
  const auto other = catalog.uncertainty("chip", "other", MeasuredWork::inference);
  EXPECT_FALSE(other.single_node_measured);
  EXPECT_EQ(other.single_node, 0.5) << "training is no measure of inference";
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
  EXPECT_EQ(catalog.uncertainty("chip", "plain", MeasuredWork::first_token).single_node, 0.6);
  EXPECT_EQ(catalog.uncertainty("chip", "plain", MeasuredWork::inference).single_node, 0.0);
  EXPECT_EQ(catalog.uncertainty("chip", "plain").single_node, 0.05);
  const auto other = catalog.uncertainty("chip", "other", MeasuredWork::first_token);
  EXPECT_FALSE(other.single_node_measured);
  EXPECT_EQ(other.single_node, 0.6);
}

TEST(Uncertainties, OfWhatWasNotMeasuredAreThoseOfAllThatWas) {
  const Catalog catalog = test::load_text(test::example_text + two_regimes);
  const technology::Uncertainty derived = catalog.uncertainty("", "plain");
  EXPECT_DOUBLE_EQ(derived.single_node, std::sqrt((0.05 * 0.05 + 0.2 * 0.2) / 2.0));
  EXPECT_FALSE(derived.single_node_measured);
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
  EXPECT_EQ(other.unmeasured, 0.4);
  const auto offload = static_cast<std::size_t>(technology::Trait::offload);
  EXPECT_EQ(other.traits[offload].known, Known::nowhere);
  const auto inference = catalog.uncertainty("chip", "other", MeasuredWork::inference);
  EXPECT_EQ(inference.traits[pipeline].known, Known::nowhere) << "training alone was measured";
  EXPECT_EQ(inference.unmeasured, 0.0);
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
