#include "config/key.hpp"

#include <gmock/gmock.h>

#include <array>

#include "config/document.hpp"
#include "config/key_text.hpp"
#include "core/contracts.hpp"

namespace scalesweep::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::array<std::string_view, 2> sorts = {"small", "large"};
constexpr std::array<Key, 7> rows = {{
    {.path = "alpha", .kind = KeyKind::integer, .need = Need::required, .example = "3"},
    {.path = "beta.gamma",
     .kind = KeyKind::quantity,
     .fallback = "\"700 W\"",
     .example = "\"1 kW\"",
     .description = "what it takes",
     .dimension = Dimension::watts,
     .zero = true},
    {.path = "beta", .kind = KeyKind::table},
    {.path = "free", .kind = KeyKind::table},
    {.path = "free.*", .kind = KeyKind::text},
    {.path = "delta",
     .kind = KeyKind::name,
     .fallback = "\"a\"",
     .description = "one",
     .axis = "epsilon",
     .variants = 1},
    {.path = "delta",
     .kind = KeyKind::name,
     .fallback = "\"b\"",
     .description = "two",
     .variants = 2},
}};

TEST(KeyScope, FindsRowsByPathAndVariant) {
  const KeyScope top = {rows, ""};
  EXPECT_EQ(top.find("alpha"), &rows[0]);
  EXPECT_EQ(top.find("gamma"), nullptr);
  EXPECT_EQ(top.inside("beta").find("gamma"), &rows[1]);
  EXPECT_EQ(top.inside("free").find("anything"), &rows[4]);
  EXPECT_TRUE(top.inside("alpha").keys.empty());
  EXPECT_EQ((KeyScope{rows, "", 2}).find("delta"), &rows[6]);
  EXPECT_THAT(top.names(), ElementsAre("alpha", "beta", "free", "delta"));
}

TEST(DescribedTable, ComparesAnUnknownKeyWithItsRows) {
  Diagnostics diagnostics;
  const auto document =
      Document::parse("a.toml", "alpa = 1\n[beta]\ngama = 2\n[free]\nx = 1\n", diagnostics);
  ASSERT_TRUE(document);
  const TableCursor root = document->root().described_by({rows, ""});
  (void)root.optional_table("beta");
  (void)root.optional_table("free").value("x");
  document->report_unread();
  EXPECT_EQ(diagnostics.text(),
            "a.toml:1:1: error: unknown key 'alpa' at the top level; did you mean 'alpha'?\n"
            "a.toml:3:1: error: unknown key 'gama' in [beta]; did you mean 'gamma'?\n");
}

TEST(DescribedTable, TellsOfAKeyBesideItsRowsThatSomebodyRefuses) {
  Diagnostics diagnostics;
  const auto document = Document::parse("a.toml", "alpha = 1\nomega = 2\n", diagnostics);
  ASSERT_TRUE(document);
  const TableCursor root = document->root().described_by({rows, ""});
  EXPECT_FALSE(root.holds_beside_rows("alpha"));
  EXPECT_FALSE(root.holds_beside_rows("psi"));
  EXPECT_TRUE(root.holds_beside_rows("omega"));
  (void)root.value("alpha");
  document->report_unread();
  EXPECT_EQ(diagnostics.text(), "");  // whoever asked says why
  EXPECT_FALSE(document->root().holds_beside_rows("omega"));
}

#ifdef SCALESWEEP_CONTRACTS
TEST(DescribedTable, IsNotReadWhereItHasNoRow) {
  Diagnostics diagnostics;
  const auto document = Document::parse("a.toml", "[beta]\nzeta = 2\n", diagnostics);
  const TableCursor root = document->root().described_by({rows, ""});
  EXPECT_THROW((void)root.optional_string("omega"), ContractViolation);
  EXPECT_THROW((void)root.optional_table("beta").value("zeta"), ContractViolation);
}
#endif

TEST(KeyTables, ShowEachRowWhereItFitsBest) {
  const std::array<KeyGroup, 3> groups = {
      {{"all", "", "All"}, {"beta", "beta", "[beta]"}, {"large", "", "Large", 2, sorts}}};
  const KeyBook book = {rows, groups};
  EXPECT_EQ(markdown_table(groups[1], book),
            "| key | type | default | example | meaning |\n|---|---|---|---|---|\n"
            "| `gamma` | power, may be zero | `\"700 W\"` | `\"1 kW\"` | what it takes |\n");
  EXPECT_THAT(markdown_table(groups[2], book), HasSubstr("two"));
  EXPECT_THAT(markdown_table(groups[0], book), HasSubstr("one. Axis `epsilon` |"));
  EXPECT_EQ(with_tables("a\n<!-- keys: beta -->\nold\n<!-- end -->\nb\n", book),
            "a\n<!-- keys: beta -->\n" + markdown_table(groups[1], book) + "<!-- end -->\nb\n");
}

}  // namespace
}  // namespace scalesweep::config
