// Every mistake a user can make in a catalog file: the place, the problem and the way out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/failure.hpp"
#include "example_catalog.hpp"

namespace scalesweep::catalog {
namespace {

using test::complaints;
using test::example_text;
using test::with;
using testing::AllOf;
using testing::HasSubstr;

TEST(CatalogErrors, TheExampleHasNone) {
  EXPECT_EQ(complaints(example_text), "");
}

TEST(CatalogErrors, UnknownKeyNamesTheClosest) {
  EXPECT_THAT(complaints(with(example_text, "half_size =", "half_sise =")),
              AllOf(HasSubstr("unknown key 'half_sise' in [scale_up.Link]; did you mean "
                              "'half_size'?"),
                    HasSubstr("missing key 'half_size' in [scale_up.Link]")));
}

TEST(CatalogErrors, UnknownSection) {
  EXPECT_THAT(complaints(with(example_text, "[memory.HBM2]", "[memori.HBM2]")),
              HasSubstr("unknown key 'memori' at the top level; did you mean 'memory'?"));
}

TEST(CatalogErrors, MissingValueNamesTheEntryAndTheUnits) {
  EXPECT_THAT(
      complaints(with(example_text, "cores = 100\n", "")),
      HasSubstr("93:1: error: missing key 'cores' in [device.chip]; it must be an integer"));
  EXPECT_THAT(complaints(with(example_text, "bandwidth = \"2 TB/s\"\n", "")),
              HasSubstr("missing key 'bandwidth' in [device.chip.dram]; it must be a quantity"));
  EXPECT_THAT(complaints(with(example_text,
                              "[device.chip.l2]\ncapacity = \"40 MiB\"\nbandwidth = "
                              "\"7 TB/s\"\nenergy = \"8 pJ/B\"\n",
                              "")),
              HasSubstr("missing table [device.chip.l2]"));
}

TEST(CatalogErrors, BareNumberAndWrongUnit) {
  EXPECT_THAT(complaints(with(example_text, "\"400 W\"", "400")), HasSubstr("102:9: error: "));
  EXPECT_THAT(complaints(with(example_text, "\"400 W\"", "400")), HasSubstr("unit"));
  EXPECT_THAT(complaints(with(example_text, "\"2 TB/s\"", "\"2 TB\"")),
              HasSubstr("'TB' is a unit of a data size, but a data rate is expected here"));
}

TEST(CatalogErrors, ValuesOutOfRange) {
  EXPECT_THAT(complaints(with(example_text, "sustained = 0.7", "sustained = 70")),
              HasSubstr("53:13: error: 70 is not a fraction; it must be above 0 and at most 1"));
  EXPECT_THAT(complaints(with(example_text, "\"1 GHz\"", "\"0 GHz\"")),
              HasSubstr("must be above 0"));
  EXPECT_THAT(complaints(with(example_text, "layers = 2", "layers = 0")),
              HasSubstr("0 is too small; it must be at least 1"));
  EXPECT_THAT(complaints(with(example_text, "ports = [1, 8]", "ports = [0]")),
              HasSubstr("0 is too small; it must be at least 1"));
  EXPECT_THAT(complaints(with(example_text, "threshold = \"0.06 V\"", "threshold = \"0.8 V\"")),
              HasSubstr("must be below voltage and minimum_voltage"));
  EXPECT_THAT(
      complaints(with(example_text, "maximum_voltage = \"1.0 V\"", "maximum_voltage = \"0.5 V\"")),
      HasSubstr("must not be below minimum_voltage"));
}

TEST(CatalogErrors, SourcesAndKindsMustBeKnown) {
  EXPECT_THAT(complaints(with(example_text, "source = \"sheet\"", "source = \"sheat\"")),
              HasSubstr("no source 'sheat' in [sources]; did you mean 'sheet'?"));
  EXPECT_THAT(complaints(with(example_text, "kind = \"datasheet\"", "kind = \"datashet\"")),
              HasSubstr("unknown kind of source 'datashet'; did you mean 'datasheet'?"));
  EXPECT_THAT(complaints(with(example_text, "source = \"paper\"\nkind = \"published\"\nfamily",
                              "kind = \"published\"\nfamily")),
              HasSubstr("'hidden' has no source; give the entry or the value one"));
  EXPECT_THAT(complaints(with(example_text, "source = \"paper\"\nkind = \"published\"\nfamily",
                              "source = \"paper\"\nfamily")),
              HasSubstr("'hidden' has no kind of source; give the entry or the value one"));
  EXPECT_THAT(complaints(with(example_text, "{ value = \"4 us\",", "{")),
              HasSubstr("'kernel_latency' has no value; write kernel_latency = { value = ..., "
                        "source = ... }"));
}

TEST(CatalogErrors, ReferencesBetweenEntries) {
  EXPECT_THAT(complaints(with(example_text, "memory = \"HBM2\"", "memory = \"HBM22\"")),
              HasSubstr("105:10: error: no entry 'HBM22' among memories (nearest: 'HBM2', another "
                        "generation or size)"));
  EXPECT_THAT(complaints(with(example_text, "memory = \"HBM2\"", "memory = \"HMB2\"")),
              HasSubstr("105:10: error: no entry 'HMB2' among memories; did you mean 'HBM2'?"));
  EXPECT_THAT(complaints(with(example_text, "scale_up = \"Link\"", "scale_up = \"Lonk\"")),
              HasSubstr("no entry 'Lonk' among scale_up; did you mean 'Link'?"));
  EXPECT_THAT(complaints(with(example_text, "\"Netx8\"", "\"Nett8\"")),
              HasSubstr("no entry 'Nett8' among scale_out; did you mean 'Netx8'?"));
}

TEST(CatalogErrors, WhatStudiesRestOnMustBeThere) {
  EXPECT_THAT(
      complaints(with(example_text, "[topology.fat-tree]", "[topology.tree]")),
      HasSubstr("62:1: error: entries of scale_out need an entry 'fat-tree' among topologies for "
                "studies that name no other; copy it from the catalog that ships"));
  EXPECT_THAT(complaints(with(example_text, "[package.interposer]", "[package.other]")),
              AllOf(HasSubstr("entries of devices need an entry 'interposer' among packages"),
                    HasSubstr("entries of templates need an entry 'interposer' among packages")));
  EXPECT_THAT(complaints(with(example_text, "[economics.default]", "[economics.mine]")),
              HasSubstr("entries of devices need an entry 'default' among economics"));
}

TEST(CatalogErrors, NamesAndAliasesAreUnique) {
  EXPECT_THAT(complaints(with(example_text, "[\"small\"]", "[\"tiny\"]")),
              HasSubstr("'tiny' is already the name or an alias of 'tiny'"));
  const scalesweep::test::TemporaryFolder folder;
  test::write(folder / "a.toml", example_text);
  test::write(folder / "b.toml", R"(schema = 1
[sources]
paper = "A paper"
[model.small]
source = "paper"
kind = "published"
family = "gpt"
hidden = 64
layers = 2
heads = 8
ffn = 256
vocab = 1000
max_positions = 128
)");
  Diagnostics diagnostics;
  EXPECT_FALSE(Catalog::load(folder.path(), diagnostics));
  EXPECT_THAT(diagnostics.text(),
              AllOf(HasSubstr("b.toml:4:1: error: 'small' is already the name or an alias of "
                              "'tiny' ("),
                    HasSubstr("a.toml:79); names of models must be unique")));
}

TEST(CatalogErrors, ModelsThatCannotBe) {
  EXPECT_THAT(complaints(with(example_text, "kv_heads = 2", "kv_heads = 3")),
              HasSubstr("kv_heads = 3 must divide heads = 8"));
  EXPECT_THAT(complaints(with(example_text, "hidden = 64", "hidden = 60")),
              HasSubstr("8 heads do not divide hidden = 60; give head_dim"));
  EXPECT_THAT(complaints(with(example_text, "family = \"llama\"", "family = \"lama\"")),
              HasSubstr("unknown family 'lama'; did you mean 'llama'?"));
}

TEST(CatalogErrors, PrecisionsMustAgree) {
  EXPECT_THAT(complaints(with(example_text, "bf16 = 0.8", "fp16 = 0.8")),
              AllOf(HasSubstr("bf16 stands in only one of tensor_peak and tensor_sustained"),
                    HasSubstr("fp16 stands in only one of tensor_peak and tensor_sustained")));
  EXPECT_THAT(complaints(with(example_text, "bf16 = 0.8", "bf17 = 0.8")),
              HasSubstr("unknown precision 'bf17'; did you mean 'bf16'?"));
}

// All of them in one message, each with what the template has there.
TEST(CatalogErrors, ADeviceSaysWhatItsTwinTakes) {
  const std::string named =
      with(example_text, "idle_power = \"80 W\"\n", "idle_power = \"80 W\"\ntemplate = \"open\"\n");
  const std::string all = complaints(named);
  EXPECT_THAT(all, HasSubstr("error: device chip names the template open and lacks what a twin by "
                             "it takes: logic (open: N7), die_area (open: 800 mm2), stacks, "
                             "long_gemm_clock"));
  EXPECT_THAT(all, HasSubstr("active_power (open: 0.45 W a core), leakage_power (open: 0.5 W a "
                             "core); give what it has there, or take 'template' away"));
  EXPECT_THAT(complaints(with(named, "template = \"open\"", "template = \"opem\"")),
              HasSubstr("no entry 'opem' among templates; did you mean 'open'?"));
}

// A product may say its own supply, within what its node allows.
TEST(CatalogErrors, ASupplyIsOneOfItsNode) {
  const auto supplied = [](const std::string& volts) {
    return complaints(with(example_text, "idle_power = \"80 W\"\n",
                           "idle_power = \"80 W\"\nlogic = \"N7\"\nsupply = \"" + volts + "\"\n"));
  };
  EXPECT_EQ(supplied("0.8 V"), "");
  EXPECT_THAT(supplied("2 V"), HasSubstr("error: device chip: supply of 2 V is beyond the "));
  EXPECT_THAT(supplied("2 V"), HasSubstr(" of N7; give one between them, or leave it out"));
}

TEST(CatalogErrors, SchemaAndSyntax) {
  EXPECT_THAT(complaints(with(example_text, "schema = 1", "schema = 2")),
              HasSubstr("1:10: error: this version reads schema = 1, not 2"));
  EXPECT_THAT(complaints(with(example_text, "schema = 1\n", "")),
              HasSubstr("missing key 'schema' at the top level"));
  EXPECT_THAT(complaints(with(example_text, "cores = 100", "cores = ")),
              HasSubstr("97:9: error: "));
}

TEST(CatalogErrors, AllMistakesInOnePass) {
  std::string text = with(example_text, "\"2 Gb/s\"", "256");
  text = with(text, "layers = 2", "layers = \"two\"");
  text = with(text, "\"1 GHz\"", "\"1 GW\"");
  text = with(text, "domain = 8\nscale_out", "domaine = 8\nscale_out");
  const std::string all = complaints(text);

  EXPECT_THAT(all, AllOf(HasSubstr("37:12: error:"), HasSubstr("'model.tiny.layers' must be"),
                         HasSubstr("'GW'"), HasSubstr("'domaine'"), HasSubstr("'domain'")));
}

TEST(CatalogErrors, AFolderThatIsNotThere) {
  Diagnostics diagnostics;
  const scalesweep::test::TemporaryFolder folder;
  try {
    (void)Catalog::load(folder / "none", diagnostics);
    FAIL() << "loaded a folder that does not exist";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::no_input);
    EXPECT_THAT(failure.what(), HasSubstr("cannot read the catalog folder"));
  }
  try {
    (void)Catalog::load(folder.path(), diagnostics);
    FAIL() << "loaded an empty folder";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::no_input);
    EXPECT_THAT(failure.what(), HasSubstr("holds no .toml file"));
  }
}

// All that a template lacks in one message, each key with what another template has there.
TEST(CatalogErrors, ATemplateSaysAllThatItLacks) {
  const std::string all = complaints(example_text + R"(
[template.bare]
calibrated_on = "chip"
source = "paper"
kind = "assumed"
reference_node = "N7"
nominal_clock = "1 GHz"
[template.bare.tensor_flop_per_clock]
bf16 = 1000
[template.bare.tensor_sustained]
bf16 = 0.8
[template.bare.core]
logic_area = "3 mm2"
)");
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 1) << all;
  EXPECT_THAT(all, HasSubstr("error: template bare lacks "));
  EXPECT_THAT(all, HasSubstr(" keys that the law takes, here with what others have: "));
  EXPECT_THAT(all, HasSubstr("core.sram_area (open: 0.5 mm2)"));
  EXPECT_THAT(all, HasSubstr("l2.bytes_per_clock (open: "));
  EXPECT_THAT(all, HasSubstr("die.fixed_power (open: 30 W)"));
  EXPECT_THAT(all, HasSubstr("; give them, or name a 'predecessor' or what it is 'like'"));
  EXPECT_THAT(all, testing::Not(HasSubstr("core.logic_area")));
}

// Tables of precisions have no key of their own that could be missed.
TEST(CatalogErrors, ATemplateThatIsEmptyLacksItsTables) {
  const std::string all =
      complaints(example_text + "[template.bare]\nsource = \"paper\"\nkind = \"assumed\"\n");
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 1) << all;
  EXPECT_THAT(all, HasSubstr("calibrated_on (open: chip)"));
  EXPECT_THAT(all, HasSubstr("tensor_flop_per_clock, "));
}

}  // namespace
}  // namespace scalesweep::catalog
