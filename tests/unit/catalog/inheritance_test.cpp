// Entries that take what they lack from the generation before, or from a relative.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include <algorithm>

#include "catalog/keys/catalog_keys.hpp"
#include "example_catalog.hpp"

namespace scalesweep::catalog {
namespace {

using test::complaints;
using test::example_text;
using test::load_text;
using test::with;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string next_link = R"(
[scale_up.Link2]
predecessor = "Link"
source = "sheet"
kind = "roadmap"
bandwidth = "600 GB/s"
)";

const Value& value_of(const Catalog& catalog, Section section, const std::string& name,
                      const std::string& key) {
  const std::vector<Value>& values = catalog.entry(section, name)->values;
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const Value& value) { return value.key == key; });
  if (found == values.end()) {
    throw std::invalid_argument(name + " has no " + key);
  }
  return *found;
}

TEST(Inheritance, WhatALinkLacksIsThatOfItsPredecessor) {
  const Catalog catalog = load_text(example_text + next_link);
  const technology::Network& before = catalog.scale_up("Link");
  const technology::Network& next = catalog.scale_up("Link2");

  EXPECT_EQ(next.name, "Link2");
  EXPECT_DOUBLE_EQ(next.bandwidth.si(), 600e9);
  EXPECT_EQ(next.sustained, before.sustained);
  EXPECT_EQ(next.latency.si(), before.latency.si());
  EXPECT_EQ(next.call_latency.si(), before.call_latency.si());
  EXPECT_EQ(next.device_energy.si(), before.device_energy.si());
  EXPECT_EQ(catalog.largest_domain("Link2"), 8);
  // Takes a constant time at twice the rate.
  EXPECT_DOUBLE_EQ(next.half_size.si(), 2e6);
}

TEST(Inheritance, EveryValueSaysWhereItIsFrom) {
  const Catalog catalog = load_text(example_text + next_link);
  const Value& half_size = value_of(catalog, Section::scale_up, "Link2", "half_size");
  EXPECT_EQ(half_size.text, "2 MB");
  EXPECT_EQ(half_size.note, "from Link, scaled by rate");
  EXPECT_EQ(half_size.source, "A data sheet");
  const Value& sustained = value_of(catalog, Section::scale_up, "Link2", "sustained");
  EXPECT_EQ(sustained.text, "0.7");
  EXPECT_EQ(sustained.note, "from Link");
  EXPECT_EQ(value_of(catalog, Section::scale_up, "Link2", "bandwidth").note, "");
  EXPECT_EQ(catalog.entry(Section::scale_up, "Link2")->predecessor, "Link");
}

// A sheet of another link is no sheet of this one, and what was doubtful there is so here.
TEST(Inheritance, NoValueIsBetterKnownThanAssumed) {
  const Catalog catalog = load_text(with(example_text, "latency = \"2 us\"",
                                         "latency = { value = \"2 us\", kind = \"unverified\" }") +
                                    next_link);
  const auto kind = [&](const std::string& key) {
    return value_of(catalog, Section::scale_up, "Link2", key).kind;
  };
  EXPECT_EQ(kind("bandwidth"), SourceKind::roadmap);
  EXPECT_EQ(kind("sustained"), SourceKind::assumed);
  EXPECT_EQ(kind("half_size"), SourceKind::assumed);
  EXPECT_EQ(kind("latency"), SourceKind::unverified);
}

// Over two generations, by an alias, and from a file that is read later; the rate counts, whoever
// states it, and entries keep the order of the files.
TEST(Inheritance, ReachesOverGenerationsAndFiles) {
  const scalesweep::test::TemporaryFolder folder;
  test::write(folder / "b.toml", example_text);
  test::write(folder / "a.toml", R"(schema = 1
[sources]
own = "Some other source"
[scale_up.Link4]
predecessor = "third"
source = "own"
kind = "roadmap"
bandwidth = "1200 GB/s"
[scale_up.Link3]
aliases = ["third"]
like = "link-1"
source = "own"
kind = "roadmap"
bandwidth = "450 GB/s"
latency = "1 us"
)");
  Diagnostics diagnostics;
  const auto catalog = Catalog::load(folder.path(), diagnostics);
  ASSERT_TRUE(catalog) << diagnostics.text();

  EXPECT_THAT(catalog->names(Section::scale_up), ElementsAre("Link4", "Link3", "Link"));
  EXPECT_EQ(catalog->scale_up("Link4").latency.si(), 1e-6);
  EXPECT_DOUBLE_EQ(catalog->scale_up("Link4").half_size.si(), 4e6);
  EXPECT_EQ(value_of(*catalog, Section::scale_up, "Link4", "latency").note, "from Link3");
  EXPECT_EQ(value_of(*catalog, Section::scale_up, "Link4", "half_size").note,
            "from Link, scaled by rate");
  EXPECT_EQ(catalog->entry(Section::scale_up, "Link4")->predecessor, "Link3");
  EXPECT_EQ(catalog->entry(Section::scale_up, "Link3")->predecessor, "");
  EXPECT_EQ(catalog->entry(Section::scale_up, "Link3")->like, "Link");
}

TEST(Inheritance, HoldsForPortsAndMemories) {
  const Catalog catalog = load_text(example_text + R"(
[scale_out.Net2]
predecessor = "Net"
source = "sheet"
kind = "roadmap"
bandwidth = "800 Gb/s"
switch_latency = "0.2 us"

[memory.HBM3]
predecessor = "HBM2"
source = "paper"
kind = "published"
pin_rate = "6 Gb/s"
)");
  const technology::Network port = catalog.scale_out("Net2x8", "fat-tree", 64);
  EXPECT_DOUBLE_EQ(port.bandwidth.si(), 100e9);
  EXPECT_DOUBLE_EQ(port.half_size.si(), 4e6);
  EXPECT_NEAR(port.latency.si(), 5.2e-6, 1e-15);
  EXPECT_THAT(catalog.names(Section::scale_out), ElementsAre("Netx1", "Netx8", "Net2x1", "Net2x8"));
  const technology::MemoryTechnology& memory = catalog.memory("HBM3");
  EXPECT_DOUBLE_EQ(memory.stack_bandwidth.si(), 768e9);
  EXPECT_EQ(memory.stack_capacity.si(), catalog.memory("HBM2").stack_capacity.si());
}

// By the value, tables inside included: what stays is the generation's before.
TEST(Inheritance, HoldsForTheTablesOfTemplates) {
  const Catalog catalog = load_text(example_text + R"(
[template.next]
predecessor = "open"
source = "paper"
kind = "roadmap"
kernel_latency = "2 us"
[template.next.tensor_flop_per_clock]
fp8 = 8192
[template.next.tensor_sustained]
fp8 = 0.7
[template.next.tensor_energy]
fp8 = "0.4 pJ/FLOP"
[template.next.core]
logic_area = "6 mm2"
)");
  const technology::DeviceTemplate& before = catalog.architecture("open");
  const technology::DeviceTemplate& next = catalog.architecture("next");
  const std::size_t bf16 = technology::index_of(technology::Precision::bf16);
  const std::size_t fp8 = technology::index_of(technology::Precision::fp8);
  EXPECT_EQ(next.name, "next");
  EXPECT_EQ(next.calibrated_on, "chip");
  EXPECT_EQ(next.reference_node, before.reference_node);
  EXPECT_EQ(next.kernel_latency.si(), 2e-6);
  EXPECT_EQ(next.tensor_flop_per_clock[fp8], 8192);
  EXPECT_EQ(next.tensor_flop_per_clock[bf16], before.tensor_flop_per_clock[bf16]);
  EXPECT_EQ(next.tensor_energy[bf16].si(), before.tensor_energy[bf16].si());
  EXPECT_DOUBLE_EQ(next.core_logic_area.si(), 6e-6);
  EXPECT_EQ(next.core_sram_area.si(), before.core_sram_area.si());
  EXPECT_EQ(next.l2_slice_bytes_per_clock, before.l2_slice_bytes_per_clock);
  EXPECT_EQ(next.fixed_power.si(), before.fixed_power.si());
  EXPECT_EQ(value_of(catalog, Section::templates, "next", "die.area").note, "from open");
  EXPECT_EQ(value_of(catalog, Section::templates, "next", "core.logic_area").note, "");
}

// Where it stands, and not once more for each that rests on it.
TEST(Inheritance, WhatATemplateLacksIsMissedOnce) {
  const std::string all = complaints(with(example_text, "fixed_power = \"30 W\"\n", "") +
                                     "[template.next]\npredecessor = \"open\"\n"
                                     "source = \"paper\"\nkind = \"roadmap\"\n");
  EXPECT_THAT(all, HasSubstr("missing key 'fixed_power' in [template.open.die]"));
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 1) << all;
}

// The half size of switches that reduce is that of the link unless it is given, and grows alike.
TEST(Inheritance, SwitchesThatReduceTakeTheirHalfSizeAlong) {
  const std::string able =
      with(example_text, "[scale_up.Link]\n", "[scale_up.Link]\nin_network = 0.5\n");
  EXPECT_DOUBLE_EQ(load_text(able).scale_up("Link").in_network_half_size.si(), 1e6);
  const std::string given =
      with(able, "in_network = 0.5\n", "in_network = 0.5\nin_network_half_size = \"20 MB\"\n");
  EXPECT_DOUBLE_EQ(load_text(given + next_link).scale_up("Link").in_network_half_size.si(), 20e6);
  EXPECT_DOUBLE_EQ(load_text(given + next_link).scale_up("Link2").in_network_half_size.si(), 40e6);
}

// What the generation before could, the next may be unable to.
TEST(Inheritance, ZeroSaysThatALinkCannot) {
  const std::string able = with(example_text, "[scale_up.Link]\n",
                                "[scale_up.Link]\nin_network = 0.5\none_shot = 0.4\n");
  EXPECT_TRUE(load_text(able + next_link).scale_up("Link2").in_network_reduction);
  EXPECT_EQ(load_text(able + next_link).scale_up("Link2").one_shot_efficiency, 0.4);
  const Catalog unable = load_text(able + next_link + "in_network = 0\none_shot = 0\n");
  EXPECT_FALSE(unable.scale_up("Link2").in_network_reduction);
  EXPECT_EQ(unable.scale_up("Link2").one_shot_efficiency, 0.0);
  EXPECT_THAT(complaints(able + next_link + "in_network = 1.5\n"),
              HasSubstr("1.5 is not a fraction; it must be at least 0 and at most 1"));
}

// One mistake is one message: what hangs on it is not missed.
TEST(Inheritance, AnUnknownPredecessorIsAnError) {
  EXPECT_EQ(complaints(example_text + with(next_link, "\"Link\"", "\"Lonk\"")),
            "278:15: error: no entry 'Lonk' among scale_up; did you mean 'Link'?\n");
}

TEST(Inheritance, EntriesThatRestOnEachOtherAreAnError) {
  const std::string ring =
      with(example_text, "[scale_up.Link]\n", "[scale_up.Link]\nlike = \"Link2\"\n") + next_link;
  EXPECT_EQ(complaints(ring),
            "279:15: error: 'Link2' rests on 'Link', which rests on it in turn; give one of them "
            "all its values and take its 'predecessor' away\n");
  EXPECT_THAT(complaints(example_text + with(next_link, "\"Link\"", "\"Link2\"")),
              HasSubstr("'Link2' rests on 'Link2', which rests on it in turn"));
}

TEST(Inheritance, AnEntryRestsOnOneOther) {
  EXPECT_THAT(complaints(example_text + next_link + "like = \"Link\"\n"),
              HasSubstr("'Link2' has a predecessor already; take one of the two away"));
}

TEST(Inheritance, OnlyOfSectionsThatHaveGenerations) {
  EXPECT_THAT(
      complaints(with(example_text, "[device.chip]\n", "[device.chip]\npredecessor = \"chip\"\n")),
      HasSubstr("unknown key 'predecessor' in [device.chip]"));
}

// Keys of tables one by one, with the source that each value has; not what it is called.
TEST(Inheritance, ADeviceIsLikeAnother) {
  const std::string titled =
      with(example_text, "[device.chip]\n", "[device.chip]\ntitle = \"The chip\"\nyear = 2020\n");
  const Catalog catalog = load_text(titled + R"(
[device.chip-2]
like = "chip"
source = "paper"
kind = "roadmap"
[device.chip-2.dram]
bandwidth = "3 TB/s"
[device.chip-3]
like = "chip-2"
)");
  const technology::Device& chip = catalog.device("chip");
  const technology::Device& next = catalog.device("chip-3");
  EXPECT_EQ(next.name, "chip-3");
  EXPECT_EQ(next.cores, chip.cores);
  EXPECT_EQ(next.tensor_peak, chip.tensor_peak);
  EXPECT_DOUBLE_EQ(next.dram.bandwidth.si(), 3e12);
  EXPECT_EQ(next.dram.capacity.si(), chip.dram.capacity.si());
  EXPECT_EQ(*catalog.usual_system("chip-3").scale_out, *catalog.usual_system("chip").scale_out);
  EXPECT_EQ(value_of(catalog, Section::devices, "chip-3", "dram.bandwidth").note, "from chip-2");
  EXPECT_EQ(value_of(catalog, Section::devices, "chip-3", "dram.bandwidth").source,
            "A paper, 2024");
  EXPECT_EQ(value_of(catalog, Section::devices, "chip-3", "dram.capacity").source,
            value_of(catalog, Section::devices, "chip", "dram.capacity").source);
  EXPECT_EQ(catalog.entry(Section::devices, "chip-2")->value("title"), nullptr);
  EXPECT_EQ(catalog.entry(Section::devices, "chip-2")->value("year"), nullptr);
}

TEST(Inheritance, HoldsForEveryKind) {
  std::string text = example_text;
  const Catalog plain = load_text(text);
  for (const Entry& entry : plain.entries()) {
    const bool told_once =
        entry.section == Section::uncertainties || entry.section == Section::traits;
    if (!told_once) {
      const std::string path = entry.section == Section::logic
                                   ? "foundry.copy-of-" + entry.name.substr(8)
                                   : "copy-of-" + entry.name;
      text += fmt::format("[{}.{}]\nlike = \"{}\"\n", table_of(entry.section), path, entry.name);
    }
  }
  const Catalog catalog = load_text(text);
  EXPECT_GT(catalog.entries().size(), plain.entries().size());
  for (const Entry& entry : catalog.entries()) {
    const Entry* const base =
        entry.like.empty() ? nullptr : catalog.entry(entry.section, entry.like);
    EXPECT_TRUE(base != nullptr || plain.entry(entry.section, entry.name) != nullptr);
    if (base == nullptr) {
      continue;
    }
    for (const Value& value : base->values) {
      const Value* const taken = entry.value(value.key);
      const bool is_own =
          value.key == "title" || value.key == "year" || value.key.starts_with("inside.");
      ASSERT_EQ(taken == nullptr, is_own) << entry.name << " " << value.key;
      if (taken != nullptr) {
        EXPECT_EQ(taken->text, value.text) << entry.name << " " << value.key;
      }
    }
  }
}

// One way to say a thing takes the place of the other.
TEST(Inheritance, AKeyReplacesTheOneThatSaysTheSame) {
  const std::string priced =
      with(example_text, "[device.chip]\n", "[device.chip]\nprice = \"20000 USD\"\n");
  const Catalog catalog = load_text(priced +
                                    "[device.chip-2]\nlike = \"chip\"\nsource = \"paper\"\n"
                                    "kind = \"assumed\"\npriced_like = \"chip\"\n");
  EXPECT_EQ(catalog.entry(Section::devices, "chip-2")->value("price"), nullptr);
  EXPECT_EQ(catalog.device("chip-2").priced_like, "chip");
}

TEST(Inheritance, AnEntryOfAnotherKindIsNoParent) {
  EXPECT_THAT(complaints(example_text + "[device.mine]\nlike = \"HBM2\"\n"),
              HasSubstr("error: no entry 'HBM2' among devices; 'HBM2' is one of memories (33), "
                        "and an entry takes what it lacks from one of its own kind\n"));
}

// With one message, whoever rests on it.
TEST(Inheritance, AnUnknownParentIsOneMistake) {
  const std::string all = complaints(example_text +
                                     "[device.mine]\nlike = \"chap\"\nsource = \"paper\"\n"
                                     "kind = \"assumed\"\n[device.mine.tensor_peak]\n"
                                     "bf16 = \"1 TFLOP/s\"\n[device.other]\nlike = \"mine\"\n"
                                     "[model.mine]\nlike = \"tony\"\nsource = \"paper\"\n"
                                     "kind = \"assumed\"\nkv_heads = 3\n");
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 2) << all;
  EXPECT_THAT(all, HasSubstr("no entry 'chap' among devices; did you mean 'chip'?"));
  EXPECT_THAT(all, HasSubstr("no entry 'tony' among models; did you mean 'tiny'?"));
}

TEST(Inheritance, DevicesThatRestOnEachOtherAreAnError) {
  EXPECT_THAT(complaints(example_text + "[device.a]\nlike = \"b\"\n[device.b]\nlike = \"c\"\n"
                                        "[device.c]\nlike = \"a\"\n"),
              HasSubstr("'c' rests on 'a', which rests on it in turn; give one of them all its "
                        "values and take its 'like' away"));
}

TEST(Inheritance, WhatThePredecessorLacksTooIsMissing) {
  EXPECT_THAT(complaints(with(example_text, "half_size = \"1 MB\"\n", "") + next_link),
              HasSubstr("missing key 'half_size' in [scale_up.Link2]"));
}

}  // namespace
}  // namespace scalesweep::catalog
