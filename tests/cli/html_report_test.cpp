// scalesweep report FILE.
#include "analysis/show/report.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli_fixture.hpp"

namespace scalesweep::test {
namespace {

class HtmlReport : public CliTest {
 protected:
  void SetUp() override {
    if (analysis::report_page().empty()) {
      GTEST_SKIP() << "built without the report: " << analysis::report_problem();
    }
  }
};

TEST_F(HtmlReport, IsWrittenBesideTheStudyAndNamed) {
  const std::string file = study();
  const Said said = scalesweep({"report", file});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out, path("out.html") + "\n");
  const std::string html = content(path("out.html"));
  EXPECT_TRUE(contains(html, "scalesweep run spec.toml -o out.h5"));
  EXPECT_TRUE(contains(html, "scalesweep report out.h5\""));
  EXPECT_FALSE(contains(html, folder().string())) << "names a folder of this machine";
  EXPECT_EQ(scalesweep({"report", file}).code, 0) << "a report may be made again";
  EXPECT_EQ(content(path("out.html")), html);
}

TEST_F(HtmlReport, OptionsAreInTheCommandsThatMakeItAgain) {
  const Said said = scalesweep({"report", study(), "-o", path("mine.html"), "--minimize",
                                "step_time,energy_per_token", "--where", "micro_batch == 1"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(content(path("mine.html")),
                       "scalesweep report out.h5 --where 'micro_batch == 1' "
                       "--minimize step_time,energy_per_token"));
}

TEST_F(HtmlReport, CommandsHaveTheOptionsThatDecidedTheStudy) {
  std::filesystem::copy(nodes_folder(), folder() / "my nodes",
                        std::filesystem::copy_options::recursive);
  const std::string file = path("kept.h5");
  ASSERT_EQ(scalesweep({"run", spec(), "-o", file, "--keep", "best=1:logic,memory", "--catalog",
                        path("my nodes") + "/", "--quiet"})
                .code,
            0);
  ASSERT_EQ(scalesweep({"report", file}).code, 0);
  const std::string html = content(path("kept.html"));
  EXPECT_TRUE(contains(html,
                       "scalesweep run spec.toml -o kept.h5 --keep best=1:logic,memory --catalog "
                       "'my nodes'\""));
  EXPECT_FALSE(contains(html, folder().string())) << "names a folder of this machine";
}

// The lines of an answer in the page, by their labels, each with its texts.
std::map<std::string, std::vector<std::string>> lines_in(const std::string& html) {
  const std::string begin = "\"lines\":";
  const std::size_t first = html.find(begin) + begin.size();
  // To the end of the list: what is inside has no list that is not closed.
  std::size_t last = first;
  for (int open = 0; last < html.size(); ++last) {
    open += html[last] == '[' ? 1 : html[last] == ']' ? -1 : 0;
    if (open == 0) {
      break;
    }
  }
  std::map<std::string, std::vector<std::string>> lines;
  for (const nlohmann::json& line : nlohmann::json::parse(html.substr(first, last + 1 - first))) {
    lines[line.at("label")] = line.at("texts");
  }
  return lines;
}

// Without the ends of lines and their indents, which the width of a terminal makes.
std::string on_one_line(const std::string& text) {
  return std::regex_replace(text, std::regex("\\s+"), " ");
}

// Of a study with one answer: what faster resources save is in both, and in the same words.
TEST_F(HtmlReport, TheVerdictSaysWhatTheTextSays) {
  const std::string file = study();
  const Said text = scalesweep({"analyze", file});
  ASSERT_EQ(text.code, 0) << text.err;
  ASSERT_EQ(scalesweep({"report", file}).code, 0);
  const auto lines = lines_in(content(path("out.html")));
  const std::string said = on_one_line(text.out);
  for (const char* const label : {"best", "that is", "layout", "limit", "10 % more", "no limit"}) {
    ASSERT_EQ(lines.count(label), 1U) << label;
    for (const std::string& one : lines.at(label)) {
      EXPECT_TRUE(contains(said, " " + std::string(label) + " " + on_one_line(one)))
          << label << ": " << one << "\n"
          << text.out;
    }
  }
  EXPECT_TRUE(contains(lines.at("no limit").front(), " saves "));
}

TEST_F(HtmlReport, AStudyThatIsNotFinishedIsReportedAsFarAsItIs) {
  const std::string out = path("part.h5");
  ASSERT_EQ(scalesweep({"run", spec(), "-o", out, "--shard", "1/2", "--quiet"}).code, 0);
  const Said said = scalesweep({"report", out});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(
      contains(content(path("part.html")), "are computed so far, and these alone are looked at"));
}

TEST_F(HtmlReport, MistakesAreNamed) {
  const std::string file = study();
  EXPECT_TRUE(contains(scalesweep({"report"}).err, "report: "));
  EXPECT_EQ(scalesweep({"report"}).code, 64);
  EXPECT_EQ(scalesweep({"report", path("none.h5")}).code, 66);
  const Said axis = scalesweep({"report", file, "--along", "memry"});
  EXPECT_EQ(axis.code, 65);
  EXPECT_TRUE(contains(axis.err, "memry")) << axis.err;
  const Said foreign = scalesweep({"report", file, "-o", write("notes.html", "<p>mine</p>")});
  EXPECT_EQ(foreign.code, 73);
  EXPECT_TRUE(contains(foreign.err, "notes.html stands in the way")) << foreign.err;
  EXPECT_EQ(content(path("notes.html")), "<p>mine</p>");
  EXPECT_EQ(scalesweep({"report", file, "-o", path("absent/x.html")}).code, 73);
}

}  // namespace
}  // namespace scalesweep::test
