#include "config/key_relations.hpp"

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <vector>

#include "config/key_schema.hpp"
#include "config/key_text.hpp"

namespace scalesweep::config {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::array<std::string_view, 3> words = {"all", "best", "frontier"};
constexpr std::array<Key, 6> rows = {{
    {.path = "draft",
     .kind = KeyKind::integer,
     .fallback = "0",
     .example = "[0, 4]",
     .description = "tokens"},
    {.path = "chance",
     .kind = KeyKind::number,
     .need = Need::with_others,
     .example = "0.8",
     .description = "that `draft` is right",
     .needs = "draft"},
    {.path = "policy",
     .kind = KeyKind::name,
     .fallback = "\"all\"",
     .example = "\"best\"",
     .description = "what stays",
     .words = words,
     .list = true},
    {.path = "groups",
     .kind = KeyKind::integer,
     .fallback = "1",
     .example = "3",
     .description = "of rows",
     .needs = "policy = \"best\" or \"frontier\" or size"},
    {.path = "rest",
     .kind = KeyKind::integer,
     .fallback = "1",
     .example = "3",
     .description = "of all",
     .needs = "policy = \"all\"",
     .excludes = "draft or groups",
     .because = "it has none"},
    {.path = "copies",
     .kind = KeyKind::integer,
     .fallback = "1",
     .example = "3",
     .description = "of each",
     .unless = "rest",
     .excludes = "rest"},
}};
constexpr std::array<const Key*, 6> table = {&rows[0], &rows[1], &rows[2],
                                             &rows[3], &rows[4], &rows[5]};

std::string said(const std::string& text) {
  Diagnostics diagnostics;
  const auto document = Document::parse("a.toml", text, diagnostics);
  const bool good = check_relations(document->root().described_by({rows, ""}), table);
  EXPECT_EQ(good, !diagnostics.has_errors());
  return diagnostics.text();
}

TEST(KeyRelations, AreReadAsTheyAreWritten) {
  for (const char* text : {"draft", "images or recordings", "policy = \"best\" or \"frontier\"",
                           "policy = \"best\" or draft"}) {
    EXPECT_EQ(text_of(partners_in(text)), text);
  }
  EXPECT_EQ(text_of(partners_in("a or b or c"), "`"), "`a`, `b` or `c`");
  EXPECT_EQ(text_of(partners_among("draft or images", table)), "draft");
  EXPECT_EQ(one_example(rows[0]), "4");
  EXPECT_EQ(one_example(rows[1]), "0.8");
}

TEST(KeyRelations, SayWhatIsMissing) {
  EXPECT_EQ(said("draft = 4\nchance = 0.5\n"), "");
  EXPECT_EQ(said("chance = 0.5\n"),
            "a.toml:1:10: error: 'chance' goes with draft, for example draft = 4\n");
  EXPECT_EQ(said("draft = 4\n"),
            "a.toml:1:9: error: 'draft' needs chance (that draft is right), for example chance = "
            "0.8\n");
}

TEST(KeyRelations, AskForWords) {
  const std::string problem =
      "error: 'groups' goes with policy = \"best\" or \"frontier\"; leave it out\n";
  EXPECT_EQ(said("groups = 2\n"), "a.toml:1:10: " + problem);
  EXPECT_EQ(said("groups = 2\npolicy = 'all'\n"), "a.toml:1:10: " + problem);
  EXPECT_EQ(said("groups = 2\npolicy = ['all', 'frontier']\n"), "");
  EXPECT_EQ(said("groups = 2\npolicy = 7\n"), "a.toml:1:10: " + problem);
  // A default is a word as if it were written.
  EXPECT_EQ(said("rest = 2\n"), "");
  EXPECT_EQ(said("rest = 2\npolicy = 'best'\n"),
            "a.toml:1:8: error: 'rest' goes with policy = \"all\": it has none; leave it out\n");
}

TEST(KeyRelations, RefuseWhatDoesNotGoTogether) {
  EXPECT_EQ(said("rest = 2\ndraft = 1\nchance = 0.1\n"),
            "a.toml:1:8: error: 'rest' does not go with draft: it has none; leave one of them "
            "out\n");
  EXPECT_EQ(said("rest = 2\ncopies = 1\n"),
            "a.toml:2:10: error: 'copies' is said by 'rest' already; leave one of them out\n");
}

TEST(KeyRelations, AreShownWithTheirKeys) {
  const std::array<KeyGroup, 1> groups = {{{"all", "", "All"}}};
  const std::string shown = markdown_table(groups[0], {rows, groups});
  EXPECT_THAT(shown, HasSubstr("| `draft` | integer | `0` | `[0, 4]` | tokens. Needs `chance` |"));
  EXPECT_THAT(shown, HasSubstr("| required with `draft` | `0.8` | that `draft` is right |"));
  EXPECT_THAT(shown, HasSubstr("of rows. Needs `policy = \"best\"` or `\"frontier\"` |"));
  EXPECT_THAT(shown, HasSubstr("of all. Needs `policy = \"all\"`. Not with `draft` or `groups` |"));
}

// "Of LARGE it needs": of a key whose partner other variants do not have.
TEST(KeyRelations, OfSomeVariantsAreShownAsSuch) {
  static constexpr std::array<std::string_view, 2> sorts = {"small", "large"};
  static constexpr std::array<Key, 2> some = {{
      {.path = "work", .kind = KeyKind::name, .example = "\"a\"", .variants = 2},
      {.path = "rate",
       .kind = KeyKind::number,
       .example = "1",
       .description = "fast",
       .variants = 3,
       .needs = "work = \"a\""},
  }};
  static constexpr std::array<KeyGroup, 1> groups = {{{"all", "", "All", 3, sorts}}};
  EXPECT_THAT(markdown_table(groups[0], {some, groups}),
              HasSubstr("fast. Of large it needs `work = \"a\"` |"));
}

TEST(KeyRelations, AreDependenciesOfTheSchema) {
  const std::string schema = file_schema("A", rows, {});
  EXPECT_THAT(schema, HasSubstr("\"dependencies\""));
  EXPECT_THAT(schema, HasSubstr("\"frontier\""));
  EXPECT_THAT(file_schema("A", std::span(rows).first(1), {}), Not(HasSubstr("dependencies")));
}

}  // namespace
}  // namespace scalesweep::config
