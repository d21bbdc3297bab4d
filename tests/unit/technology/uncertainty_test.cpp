// Error bars of points that have more or less of what was measured.
#include "technology/uncertainty.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>

namespace scalesweep::technology {
namespace {

using ::testing::ElementsAre;

Traits these(std::initializer_list<Trait> traits) {
  Traits set;
  for (const Trait trait : traits) {
    set.set(static_cast<std::size_t>(trait));
  }
  return set;
}

// Pipelines were measured in this framework and local attention in others; nothing else was.
Uncertainty example() {
  Uncertainty known{.single_node = 0.1, .multi_node = 0.2, .unmeasured = 0.4};
  known.traits[static_cast<std::size_t>(Trait::pipeline)] = {Known::here, 0.7};
  known.traits[static_cast<std::size_t>(Trait::local_attention)] = {Known::elsewhere, 1.5};
  known.traits[static_cast<std::size_t>(Trait::sharded_weights)] = {Known::elsewhere, 1.2};
  return known;
}

TEST(RelativeUncertainty, IsThatOfTheScaleWithoutTraits) {
  EXPECT_EQ(relative_uncertainty(example(), 8.0, {}), 0.1);
  EXPECT_EQ(relative_uncertainty(example(), 9.0, {}), 0.2);
}

TEST(RelativeUncertainty, GrowsByTheLargestFactorAndNeverShrinks) {
  EXPECT_EQ(relative_uncertainty(example(), 8.0, these({Trait::pipeline})), 0.1);
  EXPECT_DOUBLE_EQ(relative_uncertainty(example(), 8.0, these({Trait::local_attention})), 0.15);
  EXPECT_DOUBLE_EQ(
      relative_uncertainty(example(), 8.0, these({Trait::local_attention, Trait::sharded_weights})),
      0.15);
}

TEST(RelativeUncertainty, TraitsMeasuredNowhereAddErrorsOfTheirOwn) {
  EXPECT_DOUBLE_EQ(relative_uncertainty(example(), 8.0, these({Trait::offload})),
                   std::hypot(0.1, 0.4));
  EXPECT_DOUBLE_EQ(
      relative_uncertainty(example(), 8.0,
                           these({Trait::offload, Trait::dual_pipe, Trait::local_attention})),
      std::hypot(0.15, 0.4, 0.4));
}

TEST(RelativeUncertainty, IsNotKnownWhereNothingIs) {
  EXPECT_EQ(relative_uncertainty({}, 8.0, these({Trait::offload})), 0.0);
}

TEST(Traits, AreToldByWhereTheyWereMeasured) {
  const Traits traits = these({Trait::pipeline, Trait::offload, Trait::local_attention});
  EXPECT_THAT(names_of(known_as(example(), traits, Known::nowhere)),
              ElementsAre("offload to hosts"));
  EXPECT_THAT(names_of(known_as(example(), traits, Known::elsewhere)),
              ElementsAre("local attention"));
  EXPECT_EQ(least_known(example(), traits), static_cast<std::size_t>(Trait::offload));
  EXPECT_EQ(least_known(example(), these({Trait::pipeline})), trait_count);
  EXPECT_EQ(least_known({}, traits), trait_count) << "a catalog without entries says nothing";
}

}  // namespace
}  // namespace scalesweep::technology
