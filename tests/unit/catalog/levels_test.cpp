// Links inside links: what a catalog says of levels, and every mistake in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example_catalog.hpp"

namespace scalesweep::catalog {
namespace {

using test::complaints;
using test::example_text;
using test::load_text;
using test::with;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// Cards in pairs in hosts in rows, and pods of domains.
const std::string levels_text = example_text + R"(
[scale_up.Host]
source = "sheet"
kind = "datasheet"
like = "Link"
bandwidth = "30 GB/s"
largest_domain = 16
[scale_up.Host.inside]
link = "link-1"
size = 2

[scale_up.Row]
source = "sheet"
kind = "datasheet"
like = "Host"
bandwidth = "20 GB/s"
largest_domain = 64
[scale_up.Row.inside]
link = "Host"
size = 8

[scale_out.Far]
source = "sheet"
kind = "datasheet"
like = "Net"
bandwidth = "100 Gb/s"
[scale_out.Far.inside]
link = "Netx8"
size = 50
)";

std::vector<std::pair<std::string, int>> levels_of(const CataloguedSystem& wanted) {
  std::vector<std::pair<std::string, int>> levels;
  for (const technology::LinkLevel& level :
       load_text(levels_text).catalogued_system(wanted).levels) {
    levels.emplace_back(level.link.name, level.size);
  }
  return levels;
}

using Level = std::pair<std::string, int>;

TEST(CatalogLevels, LinksStandInsideEachOther) {
  const CataloguedSystem row = {
      .device = "chip", .scale_up = "Row", .domain = 32, .scale_out = "Farx1"};
  const technology::System system = load_text(levels_text).catalogued_system(row);
  EXPECT_EQ(system.scale_up().name, "Row");
  EXPECT_EQ(system.scale_up_domain(), 32);
  EXPECT_EQ(system.scale_out().name, "Farx1");
  EXPECT_THAT(levels_of(row),
              ElementsAre(Level{"Link", 2}, Level{"Host", 8}, Level{"Row", 32}, Level{"Farx1", 0}))
      << "no pod of 50 holds two domains of 32";
}

// Pods hold whole domains: six of eight devices in 50.
TEST(CatalogLevels, PodsHoldWholeDomains) {
  EXPECT_THAT(
      levels_of({.device = "chip", .scale_up = "Host", .domain = 8, .scale_out = "Farx1"}),
      ElementsAre(Level{"Link", 2}, Level{"Host", 8}, Level{"Netx8", 48}, Level{"Farx1", 0}));
}

TEST(CatalogLevels, ADomainThatIsOneBlockHasItsLink) {
  EXPECT_THAT(levels_of({.device = "chip", .scale_up = "Host", .domain = 2}),
              ElementsAre(Level{"Link", 2}, Level{"Netx8", 0}));
  EXPECT_THAT(levels_of({.device = "chip", .scale_up = "Row", .domain = 4}),
              ElementsAre(Level{"Link", 2}, Level{"Host", 4}, Level{"Netx8", 0}));
}

TEST(CatalogLevels, WithoutAnythingInsideThereAreTheUsualTwo) {
  EXPECT_THAT(levels_of({.device = "chip"}), ElementsAre(Level{"Link", 8}, Level{"Netx8", 0}));
}

TEST(CatalogLevels, AnotherLinkDoesNotTakeOverWhatIsInside) {
  const std::string text = levels_text +
                           "[scale_up.Plain]\nsource = \"sheet\"\nkind = \"datasheet\"\n"
                           "like = \"Host\"\nbandwidth = \"31 GB/s\"\nlargest_domain = 8\n";
  EXPECT_EQ(load_text(text).scale_up_levels("Plain", 8).size(), 1u);
}

TEST(CatalogLevels, TheExampleHasNoMistake) {
  EXPECT_EQ(complaints(levels_text), "");
}

TEST(CatalogLevels, ABlockNeedsALinkAndASize) {
  EXPECT_THAT(complaints(with(levels_text, "link = \"link-1\"\nsize = 2", "link = \"link-1\"")),
              HasSubstr("a block inside needs a link and a size, the devices that it joins"));
  EXPECT_THAT(complaints(with(levels_text, "link = \"link-1\"", "link = \"link-2\"")),
              HasSubstr("no entry 'link-2' among scale_up (nearest: 'link-1'"));
  EXPECT_THAT(complaints(with(levels_text, "size = 2", "size = 1")),
              HasSubstr("the block inside 'Host' has 1 device; give 2 or more"));
}

TEST(CatalogLevels, BlocksGoIntoEachOther) {
  EXPECT_THAT(complaints(with(levels_text, "size = 8", "size = 9")),
              HasSubstr("'Row' has blocks of 9 devices inside, 'Host' in them blocks of 2: a block "
                        "must hold two or more whole ones of those inside it; give a multiple of "
                        "2"));
  EXPECT_THAT(complaints(with(levels_text, "size = 2", "size = 8")),
              HasSubstr("'Row' has blocks of 8 devices inside, 'Host' in them blocks of 8"));
}

TEST(CatalogLevels, ABlockIsSmallerThanWhatIsAroundIt) {
  EXPECT_THAT(
      complaints(with(levels_text, "size = 8", "size = 64")),
      AllOf(HasSubstr("'Host' joins at most 16 devices, the block inside 'Row' has 64; give "
                      "a smaller size or another link"),
            HasSubstr("the block of 64 devices inside 'Row' leaves it nothing to join: its "
                      "largest_domain is 64; give a smaller size")));
}

TEST(CatalogLevels, NothingIsInsideItself) {
  EXPECT_THAT(complaints(with(levels_text, "link = \"link-1\"", "link = \"Row\"")),
              HasSubstr("'Row' has more than 5 levels with those inside it, or is inside itself; "
                        "take one away"));
}

TEST(CatalogLevels, DomainsHoldWholeBlocks) {
  const std::string chip = with(levels_text, "scale_up = \"Link\"", "scale_up = \"Host\"");
  EXPECT_THAT(complaints(with(chip, "\ndomain = 8", "\ndomain = 7")),
              HasSubstr("a domain of 7 devices holds no whole number of the 2 that link-1 joins "
                        "inside it; give a multiple of 2"));
}

}  // namespace
}  // namespace scalesweep::catalog
