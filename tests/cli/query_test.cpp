// scalesweep query: formats, files, and what is said where it cannot be done.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli_fixture.hpp"
#include "store/read/table_file.hpp"

namespace scalesweep::test {
namespace {

using nlohmann::json;
using QueryCommand = CliTest;

TEST_F(QueryCommand, AnswersInEveryFormat) {
  const std::string file = study();
  const std::vector<std::string> ask = {
      "query", file,      "--best",  "step_time", "--per",
      "logic", "--where", "tp <= 8", "--select",  "point_id,logic,step_time"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = ask;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return scalesweep(arguments);
  };
  const Said text = with({});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "point_id  logic  step_time")) << text.out;
  EXPECT_TRUE(contains(text.out, "2 rows, the best, of ")) << text.out;

  const Said csv = with({"--format", "csv"});
  EXPECT_EQ(csv.out.substr(0, csv.out.find('\n')), "point_id,logic,step_time");
  EXPECT_TRUE(contains(csv.err, "2 rows, the best")) << csv.err;

  const json document = json::parse(with({"--format", "json"}).out);
  ASSERT_EQ(document["rows"].size(), 2U);
  EXPECT_EQ(document["rows"][0]["logic"], "N7");
  EXPECT_EQ(document["columns"][2]["units"], "s");

  const Said lines = with({"--format", "jsonl"});
  EXPECT_EQ(json::parse(lines.out.substr(0, lines.out.find('\n'))), document["rows"][0]);

  const Said hdf5 = with({"-o", path("rows.h5")});
  EXPECT_EQ(hdf5.code, 0) << hdf5.err;
  const store::NamedTable table = store::read_table(path("rows.h5"), "rows");
  EXPECT_EQ(table.table.rows(), 2U);
  EXPECT_EQ(table.table.number(2, 0), document["rows"][0]["step_time"]);
}

// `--best` takes the least whatever the column is.
TEST_F(QueryCommand, SaysThatTheBestOfAColumnIsItsWorst) {
  const std::string file = study();
  const auto said = [&](const std::string& best) {
    return scalesweep({"query", file, "--best=" + best, "--select", "point_id"}).err;
  };
  EXPECT_TRUE(contains(said("model_flop_utilization"),
                       "note     the least model_flop_utilization is the worst; "
                       "--best -model_flop_utilization takes the best"));
  EXPECT_FALSE(contains(said("-model_flop_utilization"), "worst"));
  EXPECT_TRUE(contains(said("-step_time"), "the most step_time is the worst; --best step_time"));
  EXPECT_FALSE(contains(said("step_time"), "worst"));
}

TEST_F(QueryCommand, TextIsAPageUnlessMoreIsAskedFor) {
  const std::string file = study();
  const auto lines = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"query", file, "--all-statuses", "--select", "point_id"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const std::string out = scalesweep(arguments).out;
    return std::count(out.begin(), out.end(), '\n');
  };
  EXPECT_EQ(lines({}), 1 + 20 + 2);
  EXPECT_EQ(lines({"--limit", "3"}), 1 + 3 + 2);
  EXPECT_GT(lines({"--limit", "0"}), 100);
}

TEST_F(QueryCommand, SortsTheOtherWayAround) {
  const std::string file = study();
  const auto first = [&](const std::string& key) {
    const Said said = scalesweep({"query", file, "--sort", key, "--limit", "1", "--format", "jsonl",
                                  "--select", "step_time"});
    EXPECT_EQ(said.code, 0) << said.err;
    return json::parse(said.out)["step_time"].get<double>();
  };
  EXPECT_LT(first("step_time"), first("-step_time"));
}

TEST_F(QueryCommand, ReplacesNothingUnlessTold) {
  const std::string file = study();
  write("there.csv", "mine");
  const Said refused = scalesweep({"query", file, "-o", path("there.csv")});
  EXPECT_EQ(refused.code, 73);
  EXPECT_TRUE(contains(refused.err, "there.csv exists; --force replaces it")) << refused.err;
  EXPECT_EQ(content(path("there.csv")), "mine");
  EXPECT_EQ(scalesweep({"query", file, "-o", path("there.csv"), "--force"}).code, 0);
  EXPECT_TRUE(contains(content(path("there.csv")), "point_id,"));
  EXPECT_FALSE(std::filesystem::exists(path("there.csv.partial")));
  const Said itself = scalesweep({"query", file, "-o", file, "--force"});
  EXPECT_EQ(itself.code, 73);
  EXPECT_TRUE(contains(itself.err, "is the study that is asked")) << itself.err;
  const Said nowhere = scalesweep({"query", file, "-o", path("no/such/folder/x.csv")});
  EXPECT_EQ(nowhere.code, 73);
}

// A mistake leaves no file behind.
TEST_F(QueryCommand, WritesNothingWhereItFails) {
  const std::string file = study();
  const Said said =
      scalesweep({"query", file, "--where", "logic == 'N77'", "-o", path("rows.csv")});
  EXPECT_EQ(said.code, 65);
  EXPECT_TRUE(contains(said.err, "logic is never 'N77' in this study; did you mean 'N7'?"));
  EXPECT_TRUE(contains(said.err, "\n  logic == 'N77'\n           ^")) << said.err;
  EXPECT_FALSE(std::filesystem::exists(path("rows.csv")));
  EXPECT_FALSE(std::filesystem::exists(path("rows.csv.partial")));
}

TEST_F(QueryCommand, SaysWhatIsWrongWithItsOptions) {
  const std::string file = study();
  const auto said = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"query", file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Said result = scalesweep(arguments);
    EXPECT_EQ(result.code, 64) << result.err;
    return result.err;
  };
  EXPECT_TRUE(contains(said({"--format", "jso"}), "did you mean 'json'?"));
  EXPECT_TRUE(contains(said({"--format", "hdf5"}), "needs a file to write: -o FILE.h5"));
  EXPECT_TRUE(contains(said({"--top", "3"}), "--top N needs --best COLUMN"));
  EXPECT_TRUE(contains(said({"-o", path("rows.xlsx")}), "the ending does not say which format"));
  EXPECT_TRUE(contains(said({"--columns", "--frontier"}), "leave the other choices out"));
  EXPECT_TRUE(contains(said({"--columns", "-o", path("x.h5")}), "as text, csv or json"));
  EXPECT_TRUE(contains(said({"--frontier", "--ranks", "101"}),
                       "--ranks: 101 is not a number from 1 to 100"));
  EXPECT_TRUE(contains(said({"--limit", "-1"}), "--limit: -1 is not a number of 0 or more"));
  EXPECT_TRUE(contains(said({"--thin", "0"}), "--thin: 0 is not a number of 1 or more"));
  EXPECT_TRUE(contains(said({"--id", "abc"}), "--id: 'abc' is not a whole number"));
  EXPECT_TRUE(contains(said({"--ranks", "3"}), "--ranks and --thin are for --frontier"));
  EXPECT_TRUE(contains(said({"--pivot", "logic", "--value", "step_time"}), "takes two columns"));
  EXPECT_TRUE(contains(said({"--pivot", "logic,memory"}), "needs --value COLUMN"));
  EXPECT_TRUE(contains(said({"--value", "step_time"}), "are for --pivot"));
  EXPECT_TRUE(contains(said({"--pivot", "logic,memory", "--with", "count", "--frontier"}),
                       "makes a table"));
  EXPECT_TRUE(contains(said({"--pivot", "logic,memory", "--value", "step_time", "--with", "maen"}),
                       "did you mean 'mean'?"));
  EXPECT_TRUE(contains(said({"--pivot", "logic,memory", "--with", "count", "-o", path("x.h5")}),
                       "written as text, csv or json"));
  EXPECT_EQ(scalesweep({"query"}).code, 64);
  EXPECT_EQ(scalesweep({"query", path("missing.h5")}).code, 66);
}

TEST_F(QueryCommand, CsvSaysItsUnitsWhereAsked) {
  const std::string file = study();
  const std::vector<std::string> ask = {
      "query", file, "--select", "point_id,logic,step_time", "--best", "step_time"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = ask;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return scalesweep(arguments);
  };
  const std::string head = "point_id,logic,step_time\n";
  EXPECT_TRUE(with({"--format", "csv", "--units", "row"}).out.starts_with(head + "1,,s\n"));
  EXPECT_EQ(with({"-o", path("a.csv"), "--units", "beside"}).code, 0);
  EXPECT_EQ(content(path("a.csv")), with({"--format", "csv"}).out);
  const json metadata = json::parse(content(path("a.csv-metadata.json")));
  EXPECT_EQ(metadata["url"], "a.csv");
  EXPECT_EQ(metadata["tableSchema"]["primaryKey"], "point_id");
  EXPECT_EQ(metadata["tableSchema"]["columns"][2]["schema:unitText"], "s");
  EXPECT_EQ(metadata["tableSchema"]["columns"][2]["datatype"], "double");
  EXPECT_EQ(metadata["tableSchema"]["columns"][1]["datatype"], "string");

  std::filesystem::remove(path("a.csv"));
  const Said there = with({"-o", path("a.csv"), "--units", "beside"});
  EXPECT_EQ(there.code, 73);
  EXPECT_TRUE(contains(there.err, "a.csv-metadata.json exists; --force replaces it")) << there.err;
  EXPECT_FALSE(std::filesystem::exists(path("a.csv")));
  EXPECT_TRUE(contains(with({"--units", "row"}).err, "--units is for rows as csv"));
  EXPECT_TRUE(contains(with({"--units", "rwo"}).err, "did you mean 'row'?"));
  EXPECT_TRUE(
      contains(with({"--format", "csv", "--units", "beside"}).err, "needs a file to write"));
}

TEST_F(QueryCommand, SpreadsheetsAreCsv) {
  const std::string file = study();
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"query", file, "--select", "memory,step_time"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return scalesweep(arguments);
  };
  for (const std::string format : {"text", "json", "parquet"}) {
    const Said said = with({"--spreadsheet", "--format", format, "-o", path("a")});
    EXPECT_EQ(said.code, 64);
    EXPECT_TRUE(contains(said.err, "--spreadsheet is for rows and pivot tables as csv"))
        << said.err;
  }
  // Nothing here begins as a formula does.
  EXPECT_EQ(with({"--format", "csv", "--spreadsheet"}).out, with({"--format", "csv"}).out);
}

TEST_F(QueryCommand, SelectsAllColumns) {
  const std::string file = study();
  const Said csv = scalesweep({"query", file, "--select", "all", "--format", "csv"});
  const json columns =
      json::parse(scalesweep({"query", file, "--columns", "--format", "json"}).out);
  const std::string head = csv.out.substr(0, csv.out.find('\n'));
  EXPECT_EQ(static_cast<std::size_t>(std::count(head.begin(), head.end(), ',')) + 1,
            columns.size());
}

TEST_F(QueryCommand, ListsWhatCanBeAskedFor) {
  const std::string file = study();
  const Said text = scalesweep({"query", file, "--columns"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "\n  logic ")) << text.out;
  EXPECT_TRUE(contains(text.out, " 'N7', ")) << text.out;
  EXPECT_TRUE(contains(text.out, "\n  step_time ")) << text.out;
  const json document =
      json::parse(scalesweep({"query", file, "--columns", "--format", "json"}).out);
  const auto step_time = std::find_if(document.begin(), document.end(), [](const json& column) {
    return column["name"] == "step_time";
  });
  ASSERT_NE(step_time, document.end());
  EXPECT_EQ((*step_time)["units"], "s");
  EXPECT_TRUE(contains(scalesweep({"query", file, "--columns", "--format", "csv"}).out,
                       "name,units,values,description\npoint_id,"));
}

// A name that is a part of others, and one that is like nothing.
TEST_F(QueryCommand, OffersColumnsThatMayBeMeant) {
  const std::string file = study();
  EXPECT_TRUE(
      contains(scalesweep({"query", file, "--sort", "carbon"}).err,
               "did you mean 'embodied_carbon_per_step' or 'operational_carbon_per_step' or "
               "'carbon_per_million_tokens'?"));
  const std::string said = scalesweep({"query", file, "--sort", "wxyzwxyz"}).err;
  EXPECT_TRUE(contains(said, "known are point_id, ")) << said;
  EXPECT_TRUE(contains(said, " more")) << said;
}

TEST_F(QueryCommand, RanksAndThinnedFrontiers) {
  const std::string file = study();
  const Said ranks = scalesweep({"query", file, "--frontier", "--ranks", "3", "--sort", "-rank",
                                 "--format", "jsonl", "--select", "rank,point_id"});
  EXPECT_EQ(ranks.code, 0) << ranks.err;
  EXPECT_EQ(json::parse(ranks.out.substr(0, ranks.out.find('\n')))["rank"], 3);
  EXPECT_TRUE(contains(ranks.err, "of dominance ranks 1 to 3")) << ranks.err;
  const Said too_few = scalesweep({"query", file, "--frontier", "--thin", "2"});
  EXPECT_EQ(too_few.code, 65);
  EXPECT_TRUE(contains(too_few.err, "--thin 2: for ")) << too_few.err;
  EXPECT_TRUE(contains(too_few.err, "the best in each, the knee and one for the others"));
}

TEST_F(QueryCommand, KnowsWhatAStudyMaximises) {
  const std::string file =
      study("[objectives]\nmaximize = \"tokens_per_second\"\nminimize = \"memory_total\"\n");
  const auto frontier = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"query",    file,       "--frontier", "--format", "jsonl",
                                          "--select", "point_id", "--sort",     "point_id"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return scalesweep(arguments);
  };
  const Said own = frontier({});
  EXPECT_EQ(own.code, 0) << own.err;
  EXPECT_FALSE(own.out.empty());
  EXPECT_EQ(own.out,
            frontier({"--minimize", "memory_total", "--maximize", "tokens_per_second"}).out);
  const Said worst = frontier({"--minimize", "tokens_per_second"});
  EXPECT_EQ(worst.code, 65);
  EXPECT_TRUE(contains(worst.err,
                       "'tokens_per_second' is better when it is larger, and --minimize "
                       "would take the worst for the best; name it in --maximize"))
      << worst.err;
  const Said slowest = scalesweep({"analyze", file, "--no-figures", "--maximize", "step_time"});
  EXPECT_EQ(slowest.code, 65);
  EXPECT_TRUE(contains(slowest.err, "'step_time' is better when it is smaller, and --maximize"))
      << slowest.err;
}

// What is best, in units that people use, and the other figures beside it.
TEST_F(QueryCommand, VerdictsSayObjectivesAsFigures) {
  const std::string file = study();
  const auto best_of = [&](const char* objective) {
    const Said told = scalesweep({"analyze", file, "--no-figures", "--maximize", objective});
    EXPECT_EQ(told.code, 0) << told.err;
    const std::size_t from = told.out.find("    best ");
    return told.out.substr(from, told.out.find("    layout ") - from);
  };
  const std::string all = best_of("tokens_per_second");
  EXPECT_TRUE(contains(all.substr(0, all.find('\n')), " tokens/s +- ")) << all;
  EXPECT_TRUE(contains(all, " tokens/s/device")) << all;
  EXPECT_TRUE(contains(all, " step time")) << all;
  const std::string used = best_of("model_flop_utilization");
  EXPECT_TRUE(contains(used.substr(0, used.find('\n')), " % of the peak (MFU) +- ")) << used;
  EXPECT_TRUE(contains(used, " TFLOP/s/device")) << used;
}

TEST_F(QueryCommand, PivotTables) {
  const std::string file = study();
  const Said text = scalesweep({"query", file, "--pivot", "logic,memory", "--with", "count"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "count, by logic (down) and memory (across)")) << text.out;
  const Said csv = scalesweep({"query", file, "--pivot", "logic,memory", "--value", "step_time",
                               "--format", "csv", "--with", "median"});
  EXPECT_EQ(csv.out.substr(0, 6), "logic,");
}

}  // namespace
}  // namespace scalesweep::test
