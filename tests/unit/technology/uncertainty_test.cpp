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
  Uncertainty known;
  known.single_node.relative = 0.1;
  known.multi_node = {0.2, these({Trait::scale_not_measured})};
  for (TraitUncertainty& trait : known.traits) {
    trait.added = 0.4;
  }
  known.traits[static_cast<std::size_t>(Trait::scale_not_measured)].added = 0.15;
  known.traits[static_cast<std::size_t>(Trait::pipeline)] = {Known::here, 0.7};
  known.traits[static_cast<std::size_t>(Trait::local_attention)] = {Known::elsewhere, 1.5};
  known.traits[static_cast<std::size_t>(Trait::sharded_weights)] = {Known::elsewhere, 1.2};
  return known;
}

TEST(RelativeUncertainty, IsThatOfTheScaleWithoutTraits) {
  EXPECT_EQ(relative_uncertainty(example(), 8.0, {}), 0.1);
  EXPECT_DOUBLE_EQ(relative_uncertainty(example(), 9.0, {}), std::hypot(0.2, 0.15));
}

TEST(RelativeUncertainty, WhatAScaleLacksAddsToWhatAPointHas) {
  EXPECT_DOUBLE_EQ(relative_uncertainty(example(), 9.0, these({Trait::offload})),
                   std::hypot(0.2, 0.15, 0.4));
  EXPECT_TRUE(at_scale(example(), 8.0).is_measured());
  EXPECT_FALSE(at_scale(example(), 9.0).is_measured());
  EXPECT_FALSE(at_scale({}, 8.0).is_measured()) << "nothing is known";
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
  EXPECT_EQ(least_known(example(), 8.0, traits), static_cast<std::size_t>(Trait::offload));
  EXPECT_EQ(least_known(example(), 8.0, these({Trait::pipeline})), trait_count);
  EXPECT_EQ(least_known(example(), 9.0, traits),
            static_cast<std::size_t>(Trait::scale_not_measured))
      << "what was not measured of the scale is told first";
  EXPECT_EQ(least_known({}, 8.0, traits), trait_count) << "a catalog without entries says nothing";
}

}  // namespace
}  // namespace scalesweep::technology
