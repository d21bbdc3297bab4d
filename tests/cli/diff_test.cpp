// scalesweep diff: exit codes and forms; what it finds is tested with the analysis.
#include <nlohmann/json.hpp>

#include "cli_fixture.hpp"

namespace scalesweep::test {
namespace {

using nlohmann::json;
using DiffCommand = CliTest;

TEST_F(DiffCommand, ExitsLikeDiff) {
  const std::string file = study();
  const Said same = scalesweep({"diff", file, file});
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_TRUE(contains(same.out, "the studies are the same")) << same.out;

  std::string text = small_spec("");
  const std::size_t at = text.find("\"N3\"");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 4, "\"N2\"");
  const std::string other = path("other.h5");
  ASSERT_EQ(scalesweep({"run", write("other.toml", text), "-o", other, "-q"}).code, 0);
  const Said differ = scalesweep({"diff", file, other});
  EXPECT_EQ(differ.code, 1) << differ.err;
  EXPECT_TRUE(contains(differ.out, "Spec\n  logic loses N3, gains N2\n")) << differ.out;

  const Said document = scalesweep({"diff", file, other, "--format", "json"});
  EXPECT_EQ(document.code, 1);
  const json parsed = json::parse(document.out);
  EXPECT_EQ(parsed["same_results"], false);
  EXPECT_EQ(parsed["points"]["matched"], parsed["points"]["equal"]);
  EXPECT_GT(parsed["points"]["matched"], 0);

  EXPECT_EQ(scalesweep({"diff", file, other, "--format", "json", "--threads", "1"}).out,
            document.out);

  const Said points = scalesweep({"diff", file, other, "--no-answers", "--format", "json"});
  EXPECT_TRUE(json::parse(points.out)["answers"].empty());
}

TEST_F(DiffCommand, SaysWhatIsMissing) {
  EXPECT_EQ(scalesweep({"diff"}).code, 64);
  EXPECT_EQ(scalesweep({"diff", study()}).code, 64);
  EXPECT_EQ(scalesweep({"diff", path("a.h5"), path("b.h5")}).code, 66);
}

}  // namespace
}  // namespace scalesweep::test
