// Commands that only tell: plan, explain, catalog; and analyze, which also writes.
#include <nlohmann/json.hpp>

#include <algorithm>

#include "cli_fixture.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Report = CliTest;

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

// Without the breaks of lines.
std::string joined(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  for (std::size_t at = 0; (at = text.find("  ")) != std::string::npos;) {
    text.erase(at, 1);
  }
  return text;
}

TEST_F(Report, PlanCountsAndWritesNothing) {
  const Said said = scalesweep({"plan", spec()});
  EXPECT_EQ(said.code, 0) << said.err;
  for (const char* word :
       {"Small study", "logic", "N7  N3", "points", "points/s", "on one core", "about",
        "before compression", "First and last point", "tensor_parallel"}) {
    EXPECT_TRUE(contains(said.out, word)) << word << "\n" << said.out;
  }
  EXPECT_EQ(files_in(folder()), 1U) << "the spec alone";
}

TEST_F(Report, PlanAsJsonHasTheSameNumbers) {
  const Said said = scalesweep({"plan", spec(), "--format", "json"});
  EXPECT_EQ(said.code, 0) << said.err;
  const json plan = json::parse(said.out);
  const auto find = [&](const char* sheet, const std::string& name) {
    for (const json& row : plan.at(sheet)) {
      if (row.at("name") == name) {
        return row;
      }
    }
    return json();
  };
  EXPECT_EQ(find("axes", "logic").at("labels"), json({"N7", "N3"}));
  const std::int64_t strategies = find("axes", "strategy").at("count");
  EXPECT_EQ(find("totals", "points").at("value"), 8 * strategies);
  EXPECT_GT(find("totals", "rate").at("value"), 0.0);
  EXPECT_EQ(find("points", "logic").at("last"), "N3");
}

TEST_F(Report, PlanSaysHowManyRanksWouldDo) {
  const Said said = scalesweep({"plan", spec(), "--ranks", "1,64", "--format", "json"});
  EXPECT_EQ(said.code, 0) << said.err;
  const json ranks = json::parse(said.out).at("ranks");
  ASSERT_EQ(ranks.size(), 2U);
  EXPECT_EQ(ranks[1].at("ranks"), 64);
  EXPECT_GT(ranks[0].at("efficiency"), ranks[1].at("efficiency")) << "so small a study has an end";
  EXPECT_LE(ranks[0].at("efficiency"), 1.0);
  EXPECT_GE(ranks[0].at("seconds"), ranks[1].at("seconds"));
  const Said none = scalesweep({"plan", spec(), "--ranks", "0"});
  EXPECT_EQ(none.code, 64);
  EXPECT_TRUE(contains(none.err, "--ranks")) << none.err;
}

TEST_F(Report, PlanOfManyValuesStaysNarrow) {
  std::string powers = "[";
  for (int watts = 300; watts < 700; ++watts) {
    powers += (watts == 300 ? "\"" : ", \"") + std::to_string(watts) + " W\"";
  }
  const Said said =
      scalesweep({"plan", write("wide.toml", replaced(small_spec(), "\"500 W\"", powers + "]"))});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "...  699 W")) << said.out;
  std::istringstream lines(said.out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 120U) << line;
  }
}

TEST_F(Report, ExplainAddsUpToTheStoredStepTime) {
  const std::string file = study();
  const store::StudyReader reader(file);
  for (const PointId id : {PointId{0}, PointId{77}, PointId{reader.points() - 1}}) {
    const Said said = scalesweep(
        {"explain", path("spec.toml"), "--point", std::to_string(id), "--format", "json"});
    ASSERT_EQ(said.code, 0) << said.err;
    const json explained = json::parse(said.out);
    double sum_s = 0.0;
    for (const json& term : explained.at("terms")) {
      sum_s += term.at("step_s").get<double>();
    }
    const double stored_s = reader.read({"step_time"}, id, id + 1).number(0, 0);
    EXPECT_NEAR(sum_s, stored_s, 1e-9 * stored_s);
    for (const json& row : explained.at("result")) {
      if (row.at("name") == "step_time") {
        EXPECT_EQ(row.at("value").get<double>(), stored_s);
      }
    }
  }
}

TEST_F(Report, ExplainShowsTheDeviceAndHowItWasDerived) {
  const Said said = scalesweep({"explain", spec(), "--point", "5"});
  EXPECT_EQ(said.code, 0) << said.err;
  for (const char* word : {"Point 5 of Small study", "Step time by the resource that set it",
                           "Step time by phase", "Terms", "layer forward", "Memory of one device",
                           "Energy of one step", "Device and networks",
                           "How the device was derived", "supply voltage", "area of one core"}) {
    EXPECT_TRUE(contains(said.out, word)) << word << "\n" << said.out;
  }
}

TEST_F(Report, ExplainChoosesByWhatIsSet) {
  const Said said = scalesweep(
      {"explain", spec(), "--set", "logic=N3", "--set", "tensor_parallel=4", "--format", "json"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.err, "the fastest of")) << said.err;
  std::map<std::string, json> values;
  const json explained = json::parse(said.out);
  for (const json& row : explained.at("point")) {
    values[row.at("name")] = row.at("value");
  }
  EXPECT_EQ(values.at("logic"), "N3");
  EXPECT_EQ(values.at("tensor_parallel"), "4");
}

TEST_F(Report, ExplainKnowsNamesAsFiltersDo) {
  const auto explained = [&](const std::vector<std::string>& settings) {
    std::vector<std::string> words = {"explain", spec()};
    for (const std::string& setting : settings) {
      words.insert(words.end(), {"--set", setting});
    }
    return scalesweep(words);
  };
  const Said whole = explained({"logic=N3", "tensor_parallel=4", "sequence_parallel=on"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  const Said brief = explained({"logic=n3", "TP=4", "sp=true"});
  EXPECT_EQ(brief.code, 0) << brief.err;
  EXPECT_EQ(brief.out, whole.out);
  EXPECT_TRUE(contains(explained({"tp=4", "tensor_parallel=8"}).err,
                       "--set tensor_parallel: given twice; a point has one value of it"));
  EXPECT_TRUE(contains(explained({"cp=2"}).err,
                       "--set cp: a point of this study has no 'context_parallel'"));
  EXPECT_TRUE(contains(explained({"logic=N33"}).err,
                       "--set logic=N33: the study has no such value; did you mean 'N3'?"));
}

TEST_F(Report, ExplainSaysWhyThereIsNoEstimate) {
  const std::string big = write("big.toml", replaced(small_spec(), "\"826 mm2\"", "\"2000 mm2\""));
  const Said device = scalesweep({"explain", big, "--point", "0"});
  EXPECT_EQ(device.code, 0) << device.err;
  EXPECT_TRUE(contains(device.out, "die_exceeds_reticle")) << device.out;
  const Said filter = scalesweep(
      {"explain", spec("[[filter]]\nwhere = \"tensor_parallel > 1\"\n"), "--point", "0"});
  EXPECT_EQ(filter.code, 0) << filter.err;
  EXPECT_TRUE(contains(filter.out, "filtered")) << filter.out;
  EXPECT_TRUE(contains(filter.out, "a [[filter]] of the spec removes it")) << filter.out;
}

TEST_F(Report, ExplainRefusesPointsThatAreNotThere) {
  for (const char* id : {"-1", "100000000"}) {
    const Said said = scalesweep({"explain", spec(), std::string("--point=") + id});
    EXPECT_EQ(said.code, 64);
    EXPECT_TRUE(
        contains(said.err, std::string("--point ") + id + ": the points of this study are 0 to "))
        << said.err;
  }
  const Said word = scalesweep({"explain", spec(), "--set", "logic"});
  EXPECT_EQ(word.code, 64);
  EXPECT_EQ(word.err,
            "scalesweep: error: --set logic: write NAME=VALUE, for example --set logic=N7\n");
}

TEST_F(Report, ExplainAsCsvIsTheTerms) {
  const Said said = scalesweep({"explain", spec(), "--point", "0", "--format", "csv"});
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.out.substr(0, said.out.find('\n')),
            "group,name,times,once_s,step_s,share,bound,detail");
}

TEST_F(Report, CatalogListsByKind) {
  const Said all = scalesweep({"catalog"});
  EXPECT_EQ(all.code, 0) << all.err;
  for (const char* word : {"h100-sxm", "foundry/N7", "HBM4", "NVLink4", "gpt3-175b"}) {
    EXPECT_TRUE(contains(all.out, word)) << word;
  }
  const Said models = scalesweep({"catalog", "list", "--kind", "models", "--format", "csv"});
  EXPECT_EQ(models.code, 0);
  EXPECT_TRUE(contains(models.out, "models,gpt3-175b,")) << models.out;
  EXPECT_FALSE(contains(models.out, "h100-sxm"));
}

TEST_F(Report, CatalogShowsValuesWithTheirSources) {
  const Said said = scalesweep({"catalog", "show", "h100-sxm"});
  EXPECT_EQ(said.code, 0) << said.err;
  for (const char* word :
       {"devices h100-sxm", "devices-nvidia.toml:", "datasheet", "tensor_peak"}) {
    EXPECT_TRUE(contains(said.out, word)) << word << "\n" << said.out;
  }
  const Said node = scalesweep({"catalog", "show", "N7", "--format", "json"});
  EXPECT_EQ(node.code, 0) << node.err;
  EXPECT_EQ(json::parse(node.out).at("values").at(0).at("entry"), "foundry/N7");
  // By any name that a study may use: of one series, and with ports.
  const Said alias = scalesweep({"catalog", "show", "roadmap/N1"});
  EXPECT_TRUE(contains(alias.out, "logic roadmap/A10 (also N1)")) << alias.out << alias.err;
  EXPECT_FALSE(contains(alias.out, "logic foundry/A10")) << alias.out;
  const Said ports = scalesweep({"catalog", "show", "Eth800x8"});
  EXPECT_TRUE(contains(ports.out, "scale_out Eth800")) << ports.out << ports.err;
}

TEST_F(Report, AnalyzePrintsAndWritesTables) {
  const std::string file = study();
  const Said said = scalesweep({"analyze", file, "--no-figures", "-o", path("answers")});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "Frontier over step time, energy per token")) << said.out;
  EXPECT_TRUE(fs::exists(folder() / "answers" / "out.analysis.h5"));
  EXPECT_TRUE(fs::exists(folder() / "answers" / "out.best.csv"));
  EXPECT_TRUE(contains(said.err, "tables   " + path("answers") + "/out.analysis.h5\n")) << said.err;
  EXPECT_TRUE(
      contains(said.err, "csv      " + path("answers") +
                             "/out.*.csv: verdicts, runners_up, frontier, frontier_groups, best, "))
      << said.err;
}

TEST_F(Report, AnalyzeDrawsFiguresThatThereAre) {
  const Said unknown = scalesweep({"analyze", "no-study.h5", "--figures", "shares,phase"});
  EXPECT_EQ(unknown.code, 64);
  EXPECT_TRUE(contains(unknown.err,
                       "--figures: there is no figure 'phase'; known are verdict, "
                       "frontier, shares, moves, step-time, "))
      << unknown.err;
  const Said both = scalesweep({"analyze", "no-study.h5", "--figures", "all", "--no-figures"});
  EXPECT_EQ(both.code, 64);
  EXPECT_TRUE(contains(both.err, "--figures names figures, --no-figures draws none; give one"))
      << both.err;
}

TEST_F(Report, AnalyzeSaysWhichSharesWereFound) {
  const std::string rest =
      "\n[allocate]\ncore_area_share = { from = 0.5, to = 0.9 }\ngrid = 3\nrounds = 1\n";
  const std::string file = study(rest);
  const Said said = scalesweep({"analyze", file, "--no-figures", "-o", path("answers")});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "Shares of the best device (%): area share of cores")) << said.out;
}

TEST_F(Report, AnalyzeTakesAxisAndObjectives) {
  const std::string file = study();
  const Said said = scalesweep({"analyze", file, "--no-figures", "--along", "memory", "--minimize",
                                "step_time,memory_total", "-o", path("answers")});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "along the memory")) << said.out;
  EXPECT_TRUE(contains(said.out, "Frontier over step time, memory used")) << said.out;
  const Said wrong =
      scalesweep({"analyze", file, "--no-figures", "--along", "memry", "-o", path("answers")});
  EXPECT_NE(wrong.code, 0);
  EXPECT_TRUE(contains(wrong.err, "memory")) << wrong.err;
}

TEST_F(Report, AnalyzeListsRanksBehindTheFrontier) {
  const std::string file = study();
  const std::vector<std::string> command = {"analyze", file, "--no-figures", "-o", path("answers")};
  const auto with = [&](const std::string& ranks) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--ranks", ranks});
    return scalesweep(arguments);
  };
  const auto header = [&] {
    const std::string csv = content(path("answers/out.frontier.csv"));
    return csv.substr(0, csv.find('\n'));
  };
  ASSERT_EQ(scalesweep(command).code, 0);
  EXPECT_FALSE(contains(header(), ",rank,")) << header();
  const Said ranked = with("3");
  EXPECT_EQ(ranked.code, 0) << ranked.err;
  EXPECT_TRUE(contains(header(), ",rank,")) << header();
  EXPECT_TRUE(contains(ranked.out, "of ranks 2 to 3 in the frontier table")) << ranked.out;
  for (const char* wrong : {"0", "101"}) {
    const Said said = with(wrong);
    EXPECT_EQ(said.code, 64);
    EXPECT_TRUE(
        contains(said.err, std::string("--ranks: ") + wrong + " is not a number from 1 to 100"))
        << said.err;
  }
}

TEST_F(Report, AnalyzeHoldsAndSelects) {
  const std::string file = study();
  const Said held = scalesweep({"analyze", file, "--no-figures", "--hold", "-o", path("answers")});
  EXPECT_EQ(held.code, 0) << held.err;
  EXPECT_TRUE(contains(held.out, "What limits the strategy that is held along the logic node"))
      << held.out;
  const Said wrong = scalesweep(
      {"analyze", file, "--no-figures", "--where", "tensor_paralel < 8", "-o", path("answers")});
  EXPECT_EQ(wrong.code, 65);
  EXPECT_TRUE(contains(wrong.err, "tensor_parallel")) << wrong.err;
}

TEST_F(Report, AnalyzeRefinesOnlyWhatHasSomethingInBetween) {
  const std::string file = study();
  const Said names = scalesweep(
      {"analyze", file, "--no-figures", "--refine", path("finer.toml"), "-o", path("answers")});
  EXPECT_EQ(names.code, 65);
  EXPECT_TRUE(contains(names.err, "the values of 'logic' are names")) << names.err;
  EXPECT_FALSE(fs::exists(path("finer.toml")));
  const Said there = scalesweep({"analyze", file, "--no-figures", "--refine",
                                 write("mine.toml", "mine"), "-o", path("answers")});
  EXPECT_EQ(there.code, 73);
  EXPECT_TRUE(contains(there.err, "is there already")) << there.err;
}

TEST_F(Report, AnalyzeOfNothingAndOfSomethingElse) {
  EXPECT_EQ(scalesweep({"analyze", path("none.h5")}).code, 66);
  const Said foreign = scalesweep({"analyze", write("notes.txt", "my notes\n")});
  EXPECT_EQ(foreign.code, 65);
  EXPECT_EQ(foreign.out, "");
}

// A share that ends at its bound is said; one inside its range is not.
TEST_F(Report, AnalyzeSaysWhichSharesEndAtTheirBounds) {
  const std::string file =
      study("\n[allocate]\ncore_area_share = { from = 0.2, to = 0.3 }\ngrid = 3\nrounds = 0\n");
  const Said said = scalesweep({"analyze", file, "--no-figures", "-o", path("answers")});
  EXPECT_EQ(said.code, 0) << said.err;
  const std::string text = joined(said.out + said.err);
  EXPECT_TRUE(contains(text, "core_area_share ends at 0.3, as high as [allocate] allows, in "))
      << text;
  EXPECT_FALSE(contains(text, "as low as [allocate] allows")) << text;
}

TEST_F(Report, AnalyzeSaysNothingOfSharesInsideTheirRange) {
  const std::string file =
      study("\n[allocate]\ncore_area_share = { from = 0.1, to = 0.999 }\ngrid = 5\n");
  const Said said = scalesweep({"analyze", file, "--no-figures", "-o", path("answers")});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_FALSE(contains(joined(said.out + said.err), "[allocate] allows")) << said.out;
}

}  // namespace
}  // namespace scalesweep::test
