// Every device that names a template against its twin, in whole training steps and in serving.
// Prints the table that nodes/README.md shows.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "support/shipped_catalog.hpp"
#include "validation/twins.hpp"

namespace scalesweep::validation {
namespace {

using catalog::Section;

// How far apart at most.
struct Bound {
  double time = 0.20;
  double share = 0.10;
  double power = 0.20;
};
constexpr Bound close = {0.12, 0.10, 0.12};

// Those that people ask for, and how close their twins have to be; others have the default.
const std::map<std::string, Bound>& known_twins() {
  static const std::map<std::string, Bound> bounds = {
      {"a100-sxm-80gb", close},
      {"h100-sxm", close},
      {"h200-sxm", close},
      {"b200-sxm", close},
      // Its dies have the clock of the MI300X: the law would spend what it may draw beyond that.
      {"mi325x", {.power = 0.30}},
      {"gb200", close},
      {"mi300x", {}},
      {"tpu-v4", {}},
      {"xeon-8592plus", {}}};
  return bounds;
}

Bound bound_of(const std::string& device) {
  const auto known = known_twins().find(device);
  return known == known_twins().end() ? Bound{} : known->second;
}

std::vector<std::string> devices_with_a_template() {
  std::vector<std::string> names = test::shipped_catalog().names(Section::devices);
  std::erase_if(names, [](const std::string& name) {
    return test::shipped_catalog().architecture_of(name).empty();
  });
  return names;
}

class DerivedTwin : public testing::TestWithParam<std::string> {};

TEST_P(DerivedTwin, DoesTheWorkOfTheRealOne) {
  const catalog::Catalog& shipped = test::shipped_catalog();
  const std::string architecture = shipped.architecture_of(GetParam());
  const Bound bound = bound_of(GetParam());
  const Twin twin = twin_of(shipped, GetParam(), architecture);
  ASSERT_EQ(twin.none, "");
  EXPECT_GE(twin.rows.size(), 3U);
  for (const TwinRow& row : twin.rows) {
    fmt::print(
        "{:<16} {:<16} {:<11} {:8.4g} s {:8.4g} s {:+5.1f} %  {:4.1f} points of {:<14} "
        "{:4.0f} W {:4.0f} W\n",
        architecture, twin.device, row.work->name, row.derived.time.total_s(),
        row.catalogued.time.total_s(), 100.0 * (row.time_ratio() - 1.0),
        100.0 * row.share_difference(), name_of(row.most_moved()), row.derived.power_w,
        row.catalogued.power_w);
    EXPECT_NEAR(row.time_ratio(), 1.0, bound.time) << row.work->name;
    EXPECT_LT(row.share_difference(), bound.share) << row.work->name;
    EXPECT_NEAR(row.derived.power_w / row.catalogued.power_w, 1.0, bound.power) << row.work->name;
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, DerivedTwin, testing::ValuesIn(devices_with_a_template()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(DerivedTwins, AreThereForTheDevicesThatPeopleAskFor) {
  const std::vector<std::string> names = devices_with_a_template();
  for (const auto& [device, bound] : known_twins()) {
    EXPECT_TRUE(std::find(names.begin(), names.end(), device) != names.end()) << device;
  }
}

TEST(DerivedTwins, SayWhyThereIsNone) {
  const catalog::Catalog& shipped = test::shipped_catalog();

  EXPECT_THAT(twin_of(shipped, "mi300x", "wide-simd-cpu").none,
              testing::HasSubstr("mm of die edge"));
}

}  // namespace
}  // namespace scalesweep::validation
