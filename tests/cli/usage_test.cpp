// Help, version, and everything that is wrong with a command line itself.
#include "cli_fixture.hpp"
#include "core/version.hpp"

namespace scalesweep::test {
namespace {

struct Wrong {
  std::vector<std::string> arguments;
  std::string message;
};

class WrongUsage : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongUsage, IsRefusedWithTheWayOut) {
  const Said said = scalesweep(GetParam().arguments);
  EXPECT_EQ(said.code, 64);
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.err, "scalesweep: error: " + GetParam().message + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongUsage,
    ::testing::Values(
        Wrong{{}, "no command given; see 'scalesweep --help'"},
        Wrong{{"rnu"}, "unknown command 'rnu'; did you mean 'run'?"},
        Wrong{
            {"frobnicate"},
            "unknown command 'frobnicate'; known are recommend, check, import, plan, run, status, "
            "merge, analyze, report, query, explain, launch, diff, publish, verify, validate, "
            "measure, calibrate, catalog, help, completion"},
        Wrong{{"--verison"}, "unknown option '--verison'; did you mean '--version'?"},
        Wrong{{"--frobnicate"}, "unknown option '--frobnicate'; see 'scalesweep --help'"},
        Wrong{{"check"}, "check: the spec is missing; write 'scalesweep check SPEC'"},
        Wrong{{"plan"}, "plan: the spec is missing; write 'scalesweep plan SPEC'"},
        Wrong{{"run"}, "run: the spec is missing; write 'scalesweep run SPEC -o OUT.h5'"},
        Wrong{{"run", "a.toml"}, "run: nowhere to write; add -o OUT.h5"},
        Wrong{{"explain"},
              "explain: the spec or the file of the study is missing; write 'scalesweep explain "
              "FILE.h5 --point ID'"},
        Wrong{{"explain", "a.toml", "--point", "1", "--set", "logic=N7"},
              "explain: --point and --set both choose the point; give one of them"},
        Wrong{{"analyze"}, "analyze: the study is missing; write 'scalesweep analyze FILE'"},
        Wrong{{"status"}, "status: the file is missing; write 'scalesweep status OUT.h5'"},
        Wrong{{"run", "a.toml", "--outptu", "a.h5"},
              "unknown option '--outptu'; did you mean '--output'?"},
        Wrong{{"run", "a.toml", "-o", "a.h5", "--keeep=all"},
              "unknown option '--keeep'; did you mean '--keep'?"},
        Wrong{{"check", "a.toml", "b.toml"},
              "unexpected argument 'b.toml'; see 'scalesweep check --help'"},
        Wrong{{"check", "a.toml", "--", "-b.toml"},
              "unexpected argument '-b.toml'; see 'scalesweep check --help'"},
        Wrong{{"check", "a.toml", "--", "--strict"},
              "unexpected argument '--strict'; see 'scalesweep check --help'"},
        Wrong{{"check", "--strict", "--", "a.toml"},
              "unknown option '--strict'; see 'scalesweep check --help'"},
        Wrong{{"plan", "a.toml", "--format", "xml"},
              "--format: 'xml' is not text or json; see 'scalesweep plan --help'"},
        Wrong{{"analyze", "a.h5", "--format", "yaml"},
              "--format: 'yaml' is not text, json or csv; see 'scalesweep analyze --help'"},
        Wrong{{"catalog", "shwo"}, "catalog: unknown action 'shwo'; did you mean 'show'?"},
        Wrong{{"catalog", "show"}, "catalog: show what? write 'scalesweep catalog show NAME'"},
        Wrong{{"catalog", "list", "h100-sxm"},
              "catalog: list takes no name; write 'scalesweep catalog show h100-sxm'"},
        Wrong{{"catalog", "--kind", "device"},
              "--kind device: no such kind; did you mean 'devices'?"},
        Wrong{{"catalog", "show", "h100-smx"},
              "the catalog has no entry 'h100-smx'; did you mean 'h100-sxm'?"}));

TEST(Usage, ValuesThatAreNoNumbersAreRefused) {
  const Said point = scalesweep({"explain", "a.toml", "--point", "first"});
  EXPECT_EQ(point.code, 64);
  EXPECT_TRUE(contains(point.err, "--point: 'first' is not a whole number")) << point.err;
  EXPECT_TRUE(contains(point.err, "first")) << point.err;
  const Said seconds = scalesweep({"run", "a.toml", "-o", "a.h5", "--segment-seconds", "-1"});
  EXPECT_EQ(seconds.code, 64);
  EXPECT_TRUE(contains(seconds.err, "--segment-seconds")) << seconds.err;
  const Said missing = scalesweep({"run", "a.toml", "-o"});
  EXPECT_EQ(missing.code, 64);
  EXPECT_TRUE(contains(missing.err, "--output")) << missing.err;
}

TEST(Usage, WordsBehindTwoDashesAreOperands) {
  const Said dashed = scalesweep({"check", "--", "-no-such.toml"});
  EXPECT_EQ(dashed.code, 66) << "it is looked for";
  EXPECT_TRUE(contains(dashed.err, "-no-such.toml")) << dashed.err;
  EXPECT_EQ(scalesweep({"check", "--", "no-such.toml"}).code, 66);
}

TEST(Usage, HelpGoesToStandardOutput) {
  const Said said = scalesweep({"--help"});
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.err, "");
  for (const char* command : {"check", "plan", "run", "status", "merge", "explain", "analyze",
                              "report", "validate", "catalog"}) {
    EXPECT_TRUE(contains(said.out, std::string("\n  ") + command + " ")) << command;
  }
  EXPECT_TRUE(contains(said.out, "75 stopped early")) << "exit codes are told";
}

TEST(Usage, EveryCommandHasHelpThatNamesItsOptions) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> commands = {
      {"check", {"SPEC", "--catalog"}},
      {"plan", {"SPEC", "--ranks", "--catalog", "--format"}},
      {"run",
       {"SPEC", "-o,--output", "--keep", "--shard", "--time-limit", "--layout", "--segment-seconds",
        "--no-sync", "--no-space-check", "-q,--quiet", "--catalog"}},
      {"merge", {"OUT.h5", "--layout", "--shards", "--no-sync"}},
      {"status", {"OUT.h5", "--exit-code", "--format"}},
      {"explain",
       {"STUDY", "--point", "--set", "--against", "--against-point", "--trace", "--force",
        "--catalog", "--format"}},
      {"analyze",
       {"FILE", "-o,--output", "--along", "--minimize", "--maximize", "--where", "--per",
        "--threads", "--phase", "--hold", "--refine", "--figures", "--no-figures", "--format"}},
      {"report",
       {"FILE", "-o,--output", "--along", "--where", "--per", "--phase", "--hold", "--minimize",
        "--maximize", "--threads"}},
      {"query",
       {"FILE", "--where", "--select", "--sort", "--best", "--per", "--top", "--frontier",
        "--pivot", "--limit", "--format"}},
      {"diff", {"A.h5", "B.h5", "--format"}},
      {"validate",
       {"CASES", "--predictions", "--framework", "--by", "--cases", "--json", "--catalog",
        "--format"}},
      {"catalog", {"list|show", "NAME", "--kind", "--catalog", "--format"}}};
  for (const auto& [command, words] : commands) {
    const Said said = scalesweep({command, "--help"});
    EXPECT_EQ(said.code, 0) << command;
    EXPECT_EQ(said.err, "") << command;
    for (const std::string& word : words) {
      EXPECT_TRUE(contains(said.out, word)) << command << " --help lacks " << word;
    }
  }
}

TEST(Usage, VersionIsOneLineAndMoreOnDemand) {
  const Said plain = scalesweep({"--version"});
  EXPECT_EQ(plain.code, 0);
  EXPECT_EQ(plain.out, "scalesweep " + build_info().version + "\n");
  const Said verbose = scalesweep({"--version", "-v"});
  EXPECT_EQ(verbose.code, 0);
  for (const char* word : {"revision", "compiler", "MPI", "estimator"}) {
    EXPECT_TRUE(contains(verbose.out, word)) << verbose.out;
  }
  EXPECT_TRUE(contains(verbose.out, build_info().estimator_hash));
}

}  // namespace
}  // namespace scalesweep::test
