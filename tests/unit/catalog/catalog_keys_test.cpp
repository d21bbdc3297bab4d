// The rows of the keys of catalog entries, held to the readers and to nodes/README.md.
#include "catalog/keys/catalog_keys.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "catalog/catalog.hpp"
#include "core/host/files.hpp"
#include "support/temporary_folder.hpp"

namespace scalesweep::catalog {
namespace {

using config::Key;
using config::KeyKind;
using ::testing::HasSubstr;
using ::testing::Not;

std::filesystem::path nodes() {
  const char* source = std::getenv("SCALESWEEP_SOURCE_DIR");
  return std::filesystem::path(source == nullptr ? "." : source) / "nodes";
}

bool is_note(const Key& key) {
  return key.name() == "source" || key.name() == "kind" || key.name() == "note" ||
         key.name() == "aliases";
}

// Names of entries that are not there: of what else the entry lacks nothing is known then.
bool names_a_base(const Key& key) {
  return key.name() == predecessor_key || key.name() == like_key;
}

// An entry that holds every key of its section as the rows show them, but for one.
std::string entry_without(Section section, std::string_view left_out) {
  const std::string top =
      section == Section::logic ? "logic.foundry.N7" : std::string(table_of(section)) + ".one";
  std::map<std::string, std::string> tables;
  tables[""] = "source = \"a\"\nkind = \"assumed\"\n";
  for (const Key& key : keys_of(section)) {
    if (is_note(key) || key.kind == KeyKind::table || key.path == left_out ||
        (!left_out.empty() && names_a_base(key))) {
      continue;
    }
    const std::string name = key.name() == "*" ? "bf16" : std::string(key.name());
    tables[std::string(key.table())] += name + " = " + std::string(key.example) + "\n";
  }
  std::string text = "schema = 1\n[sources]\na = \"nobody\"\n";
  for (const auto& [table, lines] : tables) {
    text += "[" + top + (table.empty() ? "" : "." + table) + "]\n" + lines;
  }
  return text;
}

std::string messages_about(const std::string& text) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "one.toml") << text;
  Diagnostics diagnostics;
  (void)Catalog::load(folder.path(), diagnostics);
  return diagnostics.text();
}

TEST(CatalogKeys, EveryRowIsReadAsItsExampleShows) {
  for (std::size_t s = 0; s < section_count; ++s) {
    const std::string text = entry_without(static_cast<Section>(s), "");
    const std::string messages = messages_about(text);
    for (const char* mistake : {"unknown", "missing", "must", "not a", "neither"}) {
      EXPECT_THAT(messages, Not(HasSubstr(mistake))) << text;
    }
  }
}

TEST(CatalogKeys, WhatIsRequiredIsMissed) {
  for (std::size_t s = 0; s < section_count; ++s) {
    const auto section = static_cast<Section>(s);
    for (const Key& key : keys_of(section)) {
      const bool asked =
          messages_about(entry_without(section, key.path))
              .find("missing key '" + std::string(key.name()) + "'") != std::string::npos;
      const bool required =
          key.need == config::Need::required && key.kind != KeyKind::table && key.name() != "*";
      if (required) {
        EXPECT_TRUE(asked) << table_of(section) << ": " << key.path;
      }
    }
  }
}

TEST(CatalogKeys, SayAllThatAReaderOfThemNeeds) {
  for (const Key& key : catalog_book().keys) {
    EXPECT_FALSE(key.description.empty()) << key.path;
    EXPECT_TRUE(!key.example.empty() || key.kind == KeyKind::table) << key.path;
    EXPECT_TRUE(key.need == config::Need::required || !key.fallback.empty()) << key.path;
  }
}

TEST(CatalogKeys, StandInTheReadme) {
  const std::filesystem::path file = nodes() / "README.md";
  const std::string text = read_file(file);
  const std::string made = config::with_tables(text, catalog_book());
  if (std::getenv("SCALESWEEP_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(file) << made;
  }
  EXPECT_EQ(text, made) << "if on purpose: SCALESWEEP_UPDATE_GOLDEN=1 ctest -R catalog_test";
  for (const config::KeyGroup& group : catalog_book().groups) {
    EXPECT_THAT(text, HasSubstr("<!-- keys: " + std::string(group.name) + " -->\n|"));
  }
}

TEST(CatalogKeys, SchemaForEditorsIsThatOfTheRows) {
  const std::filesystem::path file = nodes() / "schema.json";
  if (std::getenv("SCALESWEEP_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(file) << catalog_schema();
  }
  EXPECT_EQ(read_file(file), catalog_schema())
      << "if on purpose: SCALESWEEP_UPDATE_GOLDEN=1 ctest -R catalog_test";
}

}  // namespace
}  // namespace scalesweep::catalog
