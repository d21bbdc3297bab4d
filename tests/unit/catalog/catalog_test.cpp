#include "catalog/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/load/files.hpp"
#include "core/failure.hpp"
#include "example_catalog.hpp"
#include "workload/model.hpp"

namespace scalesweep::catalog {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Catalog load_example() {
  return test::load_text(test::example_text);
}

TEST(Catalog, ListsNamesBySection) {
  const Catalog catalog = load_example();

  EXPECT_THAT(catalog.names(Section::devices), ElementsAre("chip"));
  EXPECT_THAT(catalog.names(Section::logic), ElementsAre("N7", "N5"));
  EXPECT_THAT(catalog.names(Section::scale_out), ElementsAre("Netx1", "Netx8"));
  EXPECT_THAT(catalog.scalings(), ElementsAre("foundry"));
  EXPECT_TRUE(catalog.has_logic("N7", "foundry"));
  EXPECT_FALSE(catalog.has_logic("N7", "other"));
}

TEST(Catalog, FindsByNameAndAlias) {
  const Catalog catalog = load_example();

  EXPECT_EQ(catalog.canonical(Section::models, "small"), "tiny");
  EXPECT_EQ(catalog.canonical(Section::scale_up, "link-1"), "Link");
  EXPECT_EQ(catalog.canonical(Section::models, "tinier"), std::nullopt);
  EXPECT_TRUE(catalog.has(Section::scale_out, "Netx4"));
  EXPECT_FALSE(catalog.has(Section::scale_out, "Net"));
  EXPECT_FALSE(catalog.has(Section::scale_out, "Netx0"));
  EXPECT_EQ(catalog.model("small").hidden, 64);
  EXPECT_EQ(catalog.suggestion(Section::models, "smal"), "; did you mean 'small'?");
  EXPECT_THROW((void)catalog.model("nothing"), Failure);
}

TEST(Catalog, ReadsValuesInSi) {
  const Catalog catalog = load_example();
  const technology::Device& device = catalog.device("chip");

  EXPECT_EQ(device.cores, 100);
  EXPECT_EQ(device.clock.si(), 1e9);
  EXPECT_EQ(device.tensor_peak[technology::index_of(technology::Precision::bf16)].si(), 300e12);
  EXPECT_EQ(device.tensor_peak[technology::index_of(technology::Precision::fp8)].si(), 0.0);
  EXPECT_EQ(device.dram.capacity.si(), 80 * 0x1p30);
  EXPECT_NEAR(device.dram.energy.si(), 32e-12, 1e-24);  // that of its memory
  EXPECT_EQ(device.l2.sustained, 1.0);
  EXPECT_EQ(device.thermal_design_power.si(), 400.0);
  EXPECT_NEAR(catalog.scale_up("Link").energy.si(), 80e-12, 1e-24);
}

TEST(Catalog, FamiliesSetWhatTheirModelsShare) {
  const workload::TransformerModel model = load_example().model("tiny");

  EXPECT_TRUE(model.gated_ffn);
  EXPECT_FALSE(model.biases);
  EXPECT_FALSE(model.dropout);
  EXPECT_FALSE(model.tied_embeddings);
  EXPECT_FALSE(model.learned_positions);
  EXPECT_EQ(model.kv_heads, 2);
  EXPECT_EQ(model.head_dim, 8);
}

TEST(Catalog, EightDevicesShareThePorts) {
  const Catalog catalog = load_example();

  EXPECT_EQ(catalog.scale_out("Netx8").bandwidth.si(), 25e9);
  EXPECT_EQ(catalog.scale_out("Netx1").bandwidth.si(), 25e9 / 8);
  EXPECT_EQ(catalog.scale_out("Netx1").name, "Netx1");
  // A message that saturates one port saturates an eighth of it in the same time.
  EXPECT_EQ(catalog.scale_out("Netx1").half_size / catalog.scale_out("Netx8").half_size, 0.125);
}

TEST(Catalog, ASystemTakesTheUsualNetworksUnlessTold) {
  const Catalog catalog = load_example();
  const technology::System usual = catalog.catalogued_system({.device = "chip-80"});
  const technology::System other =
      catalog.catalogued_system({.device = "chip", .domain = 4, .scale_out = "Netx1"});

  EXPECT_EQ(usual.device.name, "chip");
  EXPECT_EQ(usual.scale_up().name, "Link");
  EXPECT_EQ(usual.scale_up_domain(), 8);
  EXPECT_EQ(usual.scale_out().name, "Netx8");
  EXPECT_EQ(other.scale_up_domain(), 4);
  EXPECT_EQ(other.scale_out().name, "Netx1");
}

TEST(Catalog, KnowsWhereEachValueComesFrom) {
  const Catalog catalog = load_example();
  const Entry* entry = catalog.entry(Section::devices, "chip-80");

  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->name, "chip");
  EXPECT_THAT(entry->aliases, ElementsAre("chip-80"));
  EXPECT_TRUE(entry->text.starts_with("[device.chip]\naliases"));
  EXPECT_THAT(entry->text, HasSubstr("[device.chip.shared]\ncapacity = \"164 KiB\""));
  const auto value = [&](const std::string& key) {
    for (const Value& v : entry->values) {
      if (v.key == key) {
        return v;
      }
    }
    throw std::runtime_error("no value " + key);
  };
  EXPECT_EQ(value("cores").text, "100");
  EXPECT_EQ(value("cores").source, "A data sheet");
  EXPECT_EQ(value("dram.bandwidth").text, "2 TB/s");
  EXPECT_EQ(value("dram.bandwidth").kind, SourceKind::datasheet);
  EXPECT_EQ(value("kernel_latency").text, "4 us");
  EXPECT_EQ(value("kernel_latency").source, "A paper, 2024");
  EXPECT_EQ(value("kernel_latency").kind, SourceKind::calibrated);
  EXPECT_EQ(value("kernel_latency").note, "by hand");
  // The comment before the next entry is not part of this one.
  EXPECT_EQ(catalog.entry(Section::models, "tiny")->text.find("# The device"), std::string::npos);
}

TEST(Catalog, AnOverlayAddsEntries) {
  const scalesweep::test::TemporaryFolder first;
  const scalesweep::test::TemporaryFolder second;
  test::write(first / "a.toml", test::example_text);
  test::write(second / "mine.toml", R"(schema = 1
[sources]
me = "Own estimate"
[model.mine]
source = "me"
kind = "assumed"
family = "gpt"
hidden = 128
layers = 4
heads = 4
ffn = 512
vocab = 1000
max_positions = 256
)");
  Diagnostics diagnostics;
  const std::optional<Catalog> catalog =
      Catalog::load(Places{first.path(), {second.path()}}, diagnostics);

  ASSERT_TRUE(catalog) << diagnostics.text();
  EXPECT_THAT(catalog->names(Section::models), ElementsAre("tiny", "mine"));
  EXPECT_TRUE(catalog->model("mine").biases);
}

// It is read once while its files hold the same.
TEST(Catalog, IsThatOfItsFilesWheneverItIsLoaded) {
  const scalesweep::test::TemporaryFolder folder;
  const std::string longer = test::with(test::example_text, "layers = 2\n", "layers = 3\n");
  for (const auto& [text, layers] :
       {std::pair(test::example_text, 2), {test::example_text, 2}, {longer, 3}}) {
    test::write(folder / "a.toml", text);
    Diagnostics diagnostics;
    const std::optional<Catalog> catalog = Catalog::load(folder.path(), diagnostics);
    ASSERT_TRUE(catalog) << diagnostics.text();
    EXPECT_EQ(catalog->model("tiny").layers, layers);
    EXPECT_EQ(catalog->entry(Section::models, "tiny")->position.file, folder / "a.toml");
  }
  for (const int time : {1, 2}) {
    test::write(folder / "a.toml", "schema = 1\n[model.broken]\n");
    Diagnostics diagnostics;
    EXPECT_FALSE(Catalog::load(folder.path(), diagnostics)) << time;
    EXPECT_TRUE(diagnostics.has_errors());
  }
}

TEST(Catalog, KeepsTheLinesOfAnEntryWithoutThoseThatLeadUpToAnother) {
  const std::string kept = "[device.a]\nx = 1\n# inside\n[device.a.peak]\ny = 2\n";
  const std::string file =
      "schema = 1\n# a\n" + kept + "\n# of b\n[device.ab]\nx = 3\n\n" + "[device.a.more]\nz = 4";
  const EntryTexts texts(file);
  EXPECT_EQ(texts.of("device.a"), kept + "[device.a.more]\nz = 4\n");
  EXPECT_EQ(texts.of("device.ab"), "[device.ab]\nx = 3\n");
  EXPECT_EQ(texts.of("device.c"), "");
}

}  // namespace
}  // namespace scalesweep::catalog
