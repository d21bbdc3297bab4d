// [search], and ranges of values that it goes between.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "space/axes/search_axes.hpp"
#include "spec_reading.hpp"

namespace scalesweep::space {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tests::derived_spec;
using tests::with;

// The dies of the spec have three areas.
std::string areas(const std::string& rest) {
  return with(derived_spec, R"("826 mm2")", R"(["400 mm2", "600 mm2", "826 mm2"])") + rest;
}

TEST(SpecSearch, PutsItsAxesBehindAllOthers) {
  const Spec spec = good(areas("[search]\naxes = ['die_area']\n"));
  ASSERT_TRUE(spec.search);
  EXPECT_THAT(spec.search->axes, ElementsAre("die_area"));
  EXPECT_EQ(spec.search->tolerance, 0.001);
  EXPECT_FALSE(spec.search->method);
  EXPECT_EQ(search_text(spec.search->settled(SearchMethod::bounds)),
            "die_area; tolerance 0.001; devices 100000");
  EXPECT_EQ(search_text(spec.search->settled(SearchMethod::model)),
            "die_area; tolerance 0.001; devices 400; method model");
  EXPECT_EQ(spec.axes.back().name, "die_area");
  EXPECT_TRUE(spec.axes.back().searched);
  EXPECT_FALSE(spec.axes.front().searched);
  EXPECT_FALSE(good(areas("")).search);
  const Spec told = good(areas("[search]\naxes = 'die_area'\ntolerance = 0.02\ndevices = 50\n"));
  EXPECT_EQ(search_text(told.search->settled(SearchMethod::bounds)),
            "die_area; tolerance 0.02; devices 50");
  const Spec climbs = good(areas("[search]\naxes = 'die_area'\nmethod = 'climb'\n"));
  EXPECT_EQ(search_text(climbs.search->settled(SearchMethod::model)),
            "die_area; devices 100000; method climb");
}

TEST(SpecSearch, RefusesAxesThatHaveNoBetween) {
  EXPECT_THAT(
      refused(areas("[search]\naxes = ['logic']\n")),
      HasSubstr("18:9: error: 'logic' cannot be searched: what lies between two of its "
                "values is not known to be between them. Those that can are die_area, "
                "power, stacks, pin_rate, core_area_share, memory_edge_share, "
                "memory_power_share; the others are gone along value by value, or by method "
                "= \"model\" or \"climb\" if they are numbers or quantities"));
  const std::string domains(derived_spec);  // which has two
  EXPECT_THAT(refused(domains + "[search]\naxes = ['scale_up_domain']\n"),
              HasSubstr("'scale_up_domain' cannot be searched: what lies between"));
  const Spec spec = good(domains + "[search]\naxes = ['scale_up_domain']\nmethod = 'model'\n");
  EXPECT_EQ(spec.axes.back().name, "scale_up_domain");
  for (const char* axis : {"logic", "accelerators"}) {
    EXPECT_THAT(refused(domains + "[search]\nmethod = 'climb'\naxes = ['" + axis + "']\n"),
                HasSubstr("cannot be searched: it is no number or quantity of what is built, or "
                          "decides which layouts are valid. It is gone along value by value"));
  }
  EXPECT_THAT(refused(areas("[search]\naxes = ['die_aera']\n")),
              HasSubstr("'die_aera' is no axis of this study; did you mean 'die_area'?"));
  EXPECT_THAT(refused(areas("[search]\naxes = ['core_area_share']\n")),
              HasSubstr("'core_area_share' is no axis of this study; give it values in "
                        "[system.device], for example core_area_share = { from = ..., to = ..., "
                        "values = 20 }"));
  EXPECT_THAT(refused(areas("[search]\naxes = ['power']\n")),
              HasSubstr("'power' has one value; give it several, or leave it out here"));
  EXPECT_THAT(refused(areas("[search]\naxes = ['die_area', 'die_area']\n")),
              HasSubstr("'die_area' stands twice in [search]"));
}

TEST(SpecSearch, LooksForTransitionsAlongOneAxis) {
  const std::string transitions = "[search]\naxes = 'die_area'\nfind = 'transitions'\n";
  const Spec spec = good(areas(transitions));
  EXPECT_EQ(spec.search->find, SearchFor::transitions);
  EXPECT_EQ(spec.search->first_values, 9);
  EXPECT_EQ(search_text(*spec.search), "die_area; transitions; first values 9");
  EXPECT_EQ(good(areas(transitions + "first_values = 2\n")).search->first_values, 2);
  EXPECT_THAT(refused(areas(transitions + "first_values = 1\n")),
              HasSubstr("20:16: error: first_values must be between 2 and 10,000, not 1"));
  EXPECT_THAT(refused(areas(transitions + "tolerance = 0.1\n")),
              HasSubstr("20:13: error: 'tolerance' goes with find = \"best\"; leave it out"));
  EXPECT_THAT(refused(areas("[search]\naxes = 'die_area'\nfirst_values = 5\n")),
              HasSubstr("'first_values' goes with find = \"transitions\"; leave it out"));
  EXPECT_THAT(refused(areas("[search]\naxes = 'die_area'\nfind = 'transition'\n")),
              HasSubstr("19:8: error: unknown find 'transition'; did you mean 'transitions'?"));
  const std::string both = with(areas(""), "stacks = 6", "stacks = [2, 4, 6]");
  EXPECT_THAT(refused(both + "[search]\naxes = ['die_area', 'stacks']\nfind = 'transitions'\n"),
              HasSubstr("18:8: error: transitions are looked for along one axis; name one"));
}

TEST(SpecRange, IsSoManyValuesFromOneEndToTheOther) {
  const Spec spec = good(
      with(derived_spec, R"("826 mm2")", R"({ from = "400 mm2", to = "800 mm2", values = 5 })"));
  const Axis& axis = axis_of(spec, "die_area");
  EXPECT_THAT(axis.labels, ElementsAre("400 mm2", "500 mm2", "600 mm2", "700 mm2", "800 mm2"));
  EXPECT_DOUBLE_EQ(axis.values[1], 500e-6);
  const Spec stacks =
      good(with(derived_spec, "stacks = 6", "stacks = { from = 2, to = 6, values = 5 }"));
  EXPECT_THAT(axis_of(stacks, "stacks").labels, ElementsAre("2", "3", "4", "5", "6"));
  const Spec shares = good(with(derived_spec, "stacks = 6",
                                "stacks = 6, core_area_share = { from = 0.5, to = 0.9, values = "
                                "3 }"));
  EXPECT_THAT(axis_of(shares, "core_area_share").labels, ElementsAre("0.5", "0.7", "0.9"));
}

}  // namespace
}  // namespace scalesweep::space
