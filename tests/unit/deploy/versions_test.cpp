// Which of the versions that were read a name means.
#include "deploy/parts/versions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace scalesweep::deploy {
namespace {

constexpr auto read_versions = std::to_array<Version>(
    {{"core_r0.12.0"}, {"core_v0.15.0"}, {"core_v0.19.0"}, {"main-2026-08-22"}});

std::string named(std::string_view asked) {
  const Version* const found = version_named(read_versions, asked);
  return found == nullptr ? "none" : std::string(found->name);
}

TEST(Versions, AreNamedInWholeOrInPart) {
  EXPECT_EQ(named(""), "main-2026-08-22");
  EXPECT_EQ(named("main"), "main-2026-08-22");
  EXPECT_EQ(named("main-2026-08-22"), "main-2026-08-22");
  EXPECT_EQ(named("core_v0.15.0"), "core_v0.15.0");
  EXPECT_EQ(named("0.15"), "core_v0.15.0");
  EXPECT_EQ(named("0.12.3"), "core_r0.12.0");
  EXPECT_EQ(named("0.1"), "none");
}

TEST(Versions, BetweenTwoTheOneBefore) {
  EXPECT_EQ(named("0.13"), "core_r0.12.0");
  EXPECT_EQ(named("core_v0.17.1"), "core_v0.15.0");
  EXPECT_EQ(named("0.11"), "none");
  EXPECT_EQ(named("0.20"), "none");  // nobody says whether main has it
  EXPECT_EQ(named("main-2026-09-01"), "none");
  EXPECT_EQ(named("newest"), "none");
}

TEST(Versions, OptionsComeAndGo) {
  EXPECT_TRUE(since("0.14").has("core_v0.15.0"));
  EXPECT_FALSE(since("0.14").has("core_r0.12.0"));
  EXPECT_TRUE(since("main").has("main-2026-04-07"));
  EXPECT_FALSE(since("main").has("0.5"));
  EXPECT_TRUE(before("0.14").has("core_r0.12.0"));
  EXPECT_FALSE(before("0.14").has("main-2026-08-22"));
  EXPECT_FALSE(before("main").has("main-2026-04-07"));
  EXPECT_TRUE((Versions{"0.13", "0.19"}).has("core_v0.15.0"));
  EXPECT_FALSE((Versions{"0.13", "0.19"}).has("core_v0.19.0"));
}

}  // namespace
}  // namespace scalesweep::deploy
