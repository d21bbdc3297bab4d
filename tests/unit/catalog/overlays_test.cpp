// Files of entries beside a catalog: what they add, in which order, and what they must not do.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>

#include "catalog/differences.hpp"
#include "core/failure.hpp"
#include "core/hash.hpp"
#include "example_catalog.hpp"
#include "workload/model.hpp"

namespace scalesweep::catalog {
namespace {

using test::example_text;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string head = "schema = 1\n[sources]\nme = \"Own estimate\"\n";

std::string model_text(const std::string& name, const std::string& rest = "") {
  return "[model." + name + "]\nlike = \"tiny\"\nsource = \"me\"\nkind = \"assumed\"\n" + rest;
}

std::string node_text(const std::string& path) {
  return "[logic." + path + "]\nlike = \"foundry/N7\"\nsource = \"me\"\nkind = \"assumed\"\n" +
         "logic_density = 1.2\n";
}

// The example as a catalog, with overlays beside it.
class Overlays : public ::testing::Test {
 protected:
  Overlays() {
    std::filesystem::create_directory(folder_ / "catalog");
    test::write(folder_ / "catalog" / "a.toml", example_text);
  }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    test::write(folder_ / name, text);
    return folder_ / name;
  }
  std::filesystem::path at(const std::string& name) const { return folder_ / name; }
  Catalog load(const std::vector<std::filesystem::path>& overlays) const {
    Diagnostics diagnostics;
    auto catalog = Catalog::load(Places{at("catalog"), overlays}, diagnostics);
    if (!catalog) {
      throw std::runtime_error(diagnostics.text());
    }
    return *catalog;
  }
  // Without the path of the folder.
  std::string complaints(const std::vector<std::filesystem::path>& overlays) const {
    Diagnostics diagnostics;
    EXPECT_FALSE(Catalog::load(Places{at("catalog"), overlays}, diagnostics));
    std::string all = diagnostics.text();
    const std::string prefix = folder_.path().string() + "/";
    for (std::size_t at = 0; (at = all.find(prefix)) != std::string::npos;) {
      all.erase(at, prefix.size());
    }
    return all;
  }

 private:
  scalesweep::test::TemporaryFolder folder_;
};

// Whoever opens a pipe waits for a writer: every command would hang.
TEST_F(Overlays, WhatIsNoFileIsRefusedWithoutBeingOpened) {
  const auto said = [&] {
    Diagnostics diagnostics;
    try {
      (void)Catalog::load(Places{at("catalog"), {at("nodes")}}, diagnostics);
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ExitCode::no_input);
      return std::string(failure.what());
    }
    return std::string("(nothing)");
  };
  write("nodes/mine.toml", head + model_text("mine"));
  ASSERT_EQ(::mkfifo(at("nodes/pipe.toml").c_str(), 0600), 0);
  EXPECT_THAT(said(),
              AllOf(HasSubstr("nodes/pipe.toml' in the catalog folder is a pipe and no file "
                              "of entries; move it elsewhere, or name it otherwise")));
  std::filesystem::rename(at("nodes/pipe.toml"), at("catalog/pipe.toml"));
  EXPECT_THAT(said(), HasSubstr("catalog/pipe.toml' in the catalog folder is a pipe"));
  std::filesystem::remove(at("catalog/pipe.toml"));
  std::filesystem::create_symlink("nowhere", at("nodes/link.toml"));
  EXPECT_THAT(said(), HasSubstr("link.toml' in the catalog folder is a link to nothing"));
  std::filesystem::remove(at("nodes/link.toml"));
  EXPECT_EQ(said(), "(nothing)");
}

TEST_F(Overlays, AddEntriesOfAnyKindWithSourcesOfTheirOwn) {
  const std::string text = head + model_text("mine", "layers = 4\n") +
                           "[memory.mine]\nlike = \"HBM2\"\nsource = \"me\"\nkind = \"assumed\"\n"
                           "pin_rate = \"4 Gb/s\"\n";
  const Catalog catalog = load({write("mine.toml", text)});
  EXPECT_EQ(catalog.model("mine").layers, 4);
  EXPECT_DOUBLE_EQ(catalog.memory("mine").stack_bandwidth.si(), 512e9);
  const Entry& entry = *catalog.entry(Section::models, "mine");
  ASSERT_NE(entry.overlay, nullptr);
  EXPECT_EQ(entry.overlay->name, "mine.toml");
  EXPECT_EQ(entry.overlay->sha256, sha256(text));
  EXPECT_EQ(entry.value("layers")->source, "Own estimate");
  EXPECT_EQ(catalog.entry(Section::models, "tiny")->overlay, nullptr);
  ASSERT_EQ(catalog.overlays().size(), 1U);
}

TEST_F(Overlays, AreFoldersAsWell) {
  write("own/x.toml", head + model_text("one"));
  write("own/y.toml", head + model_text("two"));
  EXPECT_THAT(load({at("own")}).names(Section::models), ElementsAre("tiny", "one", "two"));
}

// Neither file names nor the order in which overlays are given nor how entries are divided.
TEST_F(Overlays, StandByKindAndNameWhateverTheirFilesAre) {
  const auto a = write("z.toml", head + model_text("b") + model_text("d"));
  const auto b = write("a.toml", head + model_text("c") + model_text("a"));
  const auto names = load({a, b}).names(Section::models);
  EXPECT_THAT(names, ElementsAre("tiny", "a", "b", "c", "d"));
  EXPECT_EQ(load({b, a}).names(Section::models), names);
  const auto one = write(
      "one.toml", head + model_text("d") + model_text("c") + model_text("b") + model_text("a"));
  EXPECT_EQ(load({one}).names(Section::models), names);
}

TEST_F(Overlays, TheSameFileCountsOnce) {
  const auto file = write("own/mine.toml", head + model_text("mine"));
  EXPECT_THAT(
      load({file, at("own"), at("own/../own/mine.toml"), at("catalog")}).names(Section::models),
      ElementsAre("tiny", "mine"));
}

// A step beyond the last node of the catalog is one beyond its own last node.
TEST_F(Overlays, NodesOfAKnownSeriesStandBeforeItsOwn) {
  const auto file =
      write("node.toml", head + node_text("foundry.N8") +
                             "[process.N8]\nlike = \"N7\"\nsource = \"me\"\nkind = \"assumed\"\n");
  const Catalog plain = load({});
  const Catalog catalog = load({file});
  EXPECT_THAT(catalog.nodes("foundry"), ElementsAre("N8", "N7", "N5"));
  EXPECT_TRUE(catalog.extrapolates("N5+1", "foundry"));
  EXPECT_EQ(catalog.logic("N5+1", "foundry").logic_density,
            plain.logic("N5+1", "foundry").logic_density);
  EXPECT_FALSE(catalog.extrapolates("N8+1", "foundry"));
}

TEST_F(Overlays, ASeriesOfTheirOwnIsInOneFileInItsOrder) {
  const auto whole =
      write("whole.toml", head + node_text("own.N7") + node_text("own.N5") + node_text("own.N4"));
  const Catalog catalog = load({whole});
  EXPECT_THAT(catalog.nodes("own"), ElementsAre("N7", "N5", "N4"));
  EXPECT_TRUE(catalog.extrapolates("N4+1", "own"));
  EXPECT_EQ(catalog.entry(Section::logic, "own/N4")->like, "foundry/N7");
  const auto first = write("first.toml", head + node_text("own.N7"));
  const auto second = write("second.toml", head + node_text("own.N5"));
  const std::string told = complaints({first, second});
  EXPECT_THAT(told, HasSubstr("first.toml:4:1: error: nodes of the series 'own' stand in another "
                              "overlay, too (second.toml:4); give all of them in one file"));
  EXPECT_EQ(complaints({second, first}), told);
}

TEST_F(Overlays, ReplaceNoEntryOfTheCatalog) {
  const auto file = write("mine.toml", head + model_text("tiny"));
  EXPECT_EQ(complaints({file}).find("mine.toml:4:1: error: "), 0U) << complaints({file});
  EXPECT_THAT(
      complaints({write("x.toml", head + model_text("mine", "aliases = [\"small\"]\n"))}),
      AllOf(HasSubstr("x.toml:4:1: error: 'small' is already the name or an alias of 'tiny' ("),
            HasSubstr("catalog/a.toml:79); an overlay adds entries and replaces none: give one of "
                      "them another name, with like = \"tiny\" for what stays as it is there")));
}

// What an entry lacks that is there already is no second mistake: its name is the first.
TEST_F(Overlays, NamedAgainAreToldOnce) {
  const std::string told = complaints({write("mine.toml", head + "[model.tiny]\nlayers = 3\n")});
  EXPECT_THAT(told, HasSubstr("mine.toml:4:1: error: 'tiny' is already the name or an alias of "));
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
}

TEST_F(Overlays, CollideWithEachOtherWhicheverIsFirst) {
  const auto a = write("a.toml", head + model_text("mine"));
  const auto b = write("b.toml", "\n" + head + model_text("mine", "layers = 7\n"));
  const std::string told = complaints({a, b});
  EXPECT_THAT(told, AllOf(HasSubstr("b.toml:5:1: error: 'mine' is already the name or an alias of "
                                    "'mine' (a.toml:4)"),
                          HasSubstr("give one of them another name")));
  EXPECT_EQ(complaints({b, a}), told);
}

// A catalog that somebody copied is no overlay.
TEST_F(Overlays, ACopyOfTheCatalogIsToldOnce) {
  write("copy/a.toml", example_text);
  const std::string told = complaints({at("copy")});
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
  EXPECT_THAT(told, AllOf(HasSubstr("other names in "), HasSubstr("copy are those of the catalog"),
                          HasSubstr("if it is a catalog of its own, name it with --catalog")));
}

TEST_F(Overlays, AFileWithoutEntriesIsAMistake) {
  EXPECT_EQ(complaints({write("none.toml", head)}),
            "none.toml: error: it holds no entry; write one, such as [device.NAME], or leave the "
            "file out\n");
  const std::string misspelt = complaints({write("x.toml", "schema = 1\n[devices.x]\n")});
  EXPECT_EQ(std::count(misspelt.begin(), misspelt.end(), '\n'), 1) << misspelt;
  EXPECT_THAT(misspelt, HasSubstr("'devices'"));
}

TEST_F(Overlays, ThatAreNotThereAreAFailure) {
  Diagnostics diagnostics;
  try {
    (void)Catalog::load(Places{at("catalog"), {at("none.toml")}}, diagnostics);
    FAIL() << "loaded an overlay that does not exist";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::no_input);
    EXPECT_THAT(failure.what(), HasSubstr("give a .toml file of entries, or a folder"));
  }
}

TEST_F(Overlays, MisspeltKeysAreMistakesThereAsWell) {
  EXPECT_THAT(complaints({write("mine.toml", head + model_text("mine", "layrs = 4\n"))}),
              HasSubstr("mine.toml:8:1: error: unknown key 'layrs' in [model.mine]; did you mean "
                        "'layers'?"));
  EXPECT_THAT(
      complaints({write("mine.toml", head + "[model.mine]\nlike = \"tiny\"\nlayers = 4\n")}),
      HasSubstr("'layers' has no source"));
}

TEST_F(Overlays, NamesOfEntriesMayHaveAllSignsButControls) {
  const std::string written = R"("=1|<b>`'\"x\\{y}")";
  EXPECT_TRUE(load({write("x.toml", head + "[model." + written + "]\nlike = \"tiny\"\n")})
                  .has(Section::models, R"(=1|<b>`'"x\{y})"));
  EXPECT_THAT(complaints({write("x.toml", head + "[model.'a\"b']\nlike = \"tiny\"\n")}),
              HasSubstr(R"('a"b' has no line of its own by which a study can keep it; write )"
                        R"([model."a\"b"], and its keys below that)"));
  EXPECT_THAT(
      complaints({write("x.toml", head + "[model.\"a\\u001b\"]\nlike = \"tiny\"\n")}),
      HasSubstr(R"("a\u001b" has control characters, and stands in tables, commands and files )"
                "of others; give it a name without"));
}

// A study keeps the lines of an entry, wherever its tables stand.
TEST_F(Overlays, AnEntryHasALineOfItsOwn) {
  EXPECT_THAT(
      complaints({write("x.toml", head + "[model]\nmine = { like = \"tiny\" }\n")}),
      HasSubstr("x.toml:5:8: error: 'mine' has no line of its own by which a study can keep "
                "it; write [model.mine], and its keys below that"));
  const std::string begin = "[device.mine]\nlike = \"chip\"\n";
  const std::string end =
      "[device.mine.dram]\nsource = \"me\"\nkind = \"assumed\"\ncapacity = \"1 GB\"\n";
  const Catalog torn = load({write(
      "x.toml", head + begin + "\n# Another.\n" + model_text("mine") + "\n" + end + "\n#\n")});
  EXPECT_EQ(torn.entry(Section::devices, "mine")->text, begin + end);
  EXPECT_EQ(torn.entry(Section::models, "mine")->text, model_text("mine"));
}

// Under another name it would be another error bar without a word.
TEST_F(Overlays, MeasurementsAreToldOnce) {
  const std::string measured =
      "source = \"me\"\nkind = \"measured\"\ndevice = \"chip\"\nframework = \"plain\"\n"
      "scale = \"multi_node\"\nrelative = 0.1\nrows = 3\ndate = \"2026-01-01\"\n";
  const auto a = write("a.toml", head + "[uncertainty.a]\n" + measured);
  const auto b = write("b.toml", head + "[uncertainty.b]\n" + measured);
  EXPECT_THAT(complaints({a, b}),
              HasSubstr("b.toml:4:1: error: 'b' and 'a' (a.toml:4) both tell how far training of "
                        "plain on chip was off, multi_node; take one of them away"));
}

TEST_F(Overlays, DifferencesAreOfWhatValuesSay) {
  const Catalog before = load({write("v1.toml", head + model_text("mine", "layers = 4\n"))});
  std::string text = head + model_text("mine", "layers = 6\nheads = 4\n") + model_text("other");
  const Catalog after = load({write("v2.toml", text)});
  const auto found = differences(before, after, {});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].key, "layers");
  EXPECT_EQ(found[1].key, "heads");
  EXPECT_EQ(found[1].from_value->text, "8");
  EXPECT_EQ(found[1].to_value->source, "Own estimate");
  EXPECT_EQ(found[2].from, nullptr);
  EXPECT_EQ(found[2].to->name, "other");
  EXPECT_TRUE(differences(before, before, {}).empty());
  EXPECT_EQ(differences(after, before, {"models other"}).size(), 1U);
  // The same quantity in other units.
  const std::string memory = "[memory.m]\nlike = \"HBM2\"\nsource = \"me\"\nkind = \"assumed\"\n";
  const auto one = load({write("m1.toml", head + memory + "capacity = \"16 GB\"\n")});
  const auto same = load({write("m2.toml", head + memory + "capacity = \"16000 MB\"\n")});
  EXPECT_TRUE(differences(one, same, {}).empty());
}

}  // namespace
}  // namespace scalesweep::catalog
