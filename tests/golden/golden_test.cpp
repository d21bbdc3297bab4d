// What commands print, as texts beside this file: the layout of output is a contract. Numbers are
// scrubbed, because they belong to the estimator's tests. After a change on purpose:
//   SCALESWEEP_UPDATE_GOLDEN=1 ctest -R golden_test
#include <regex>

#include "cli/cli_fixture.hpp"
#include "support/specs.hpp"

namespace scalesweep::test {
namespace {

// Numbers become #, prefixes of units go, and runs of blanks become two, since widths follow
// numbers.
std::string scrubbed(std::string text, const std::string& folder) {
  for (std::size_t at = 0; (at = text.find(folder)) != std::string::npos;) {
    text.replace(at, folder.size(), "FOLDER");
  }
  text = std::regex_replace(text, std::regex(R"(\b[0-9a-f]{64}\b)"), "SHA256");
  text = std::regex_replace(text, std::regex(R"(-?\b\d[\d,]*(\.\d+)?(e[-+]?\d+)?\b)"), "#");
  text = std::regex_replace(
      text, std::regex(R"(# [kMGTPEmunp]?(s|B|B/s|J|W|V|Hz|FLOP/s|tokens/s)\b)"), "# $1");
  // What bounds a kernel is the estimator's too.
  text = std::regex_replace(
      text, std::regex(R"(% +(tensor_compute|vector_compute|dram|l2|shared_memory|latency)\b)"),
      "% RESOURCE");
  return std::regex_replace(text, std::regex(R"(  +)"), "  ");
}

struct Golden {
  std::string name;
  std::vector<std::string> arguments;  // SPEC, INFERENCE and FILE stand for those of the test
};

class GoldenTest : public ::testing::TestWithParam<Golden> {};

TEST_P(GoldenTest, PrintsWhatItPrinted) {
  const TemporaryFolder folder;
  write_text(folder / "spec.toml", small_spec());
  write_text(folder / "inference.toml", tests::inference_spec(8));
  std::vector<std::string> arguments = GetParam().arguments;
  for (std::string& argument : arguments) {
    if (argument == "SPEC") {
      argument = (folder / "spec.toml").string();
    } else if (argument == "INFERENCE") {
      argument = (folder / "inference.toml").string();
    } else if (argument == "FILE") {
      argument = (folder / "out.h5").string();
      ASSERT_EQ(scalesweep({"run", (folder / "spec.toml").string(), "-o", argument, "-q"}).code, 0);
    }
  }
  const Said said = scalesweep(arguments);
  ASSERT_EQ(said.code, 0) << said.err;
  const std::string text = scrubbed(said.out, folder.path().string());
  const std::filesystem::path file =
      source_folder() / "tests" / "golden" / (GetParam().name + ".txt");
  if (std::getenv("SCALESWEEP_UPDATE_GOLDEN") != nullptr) {
    write_text(file, text);
  }
  EXPECT_EQ(text, content(file))
      << "if on purpose: SCALESWEEP_UPDATE_GOLDEN=1 ctest -R golden_test";
}

std::string name_of_golden(const ::testing::TestParamInfo<Golden>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Commands, GoldenTest,
    ::testing::Values(
        Golden{"help", {"--help"}}, Golden{"help_run", {"run", "--help"}},
        Golden{"plan", {"plan", "SPEC"}}, Golden{"check", {"check", "SPEC"}},
        Golden{"explain",
               {"explain", "SPEC", "--set", "tensor_parallel=4", "--set", "pipeline_parallel=2",
                "--set", "chunks=2", "--set", "micro_batch=1", "--set", "recompute=selective",
                "--set", "zero=1", "--set", "sequence_parallel=on"}},
        Golden{"explain_inference", {"explain", "INFERENCE", "--point", "0"}},
        Golden{"status", {"status", "FILE"}}, Golden{"help_query", {"query", "--help"}},
        Golden{"help_diff", {"diff", "--help"}},
        Golden{"query",
               {"query", "FILE", "--where", "logic == 'N3'", "--best", "step_time", "--top", "3"}},
        Golden{"query_pivot", {"query", "FILE", "--pivot", "logic,memory", "--value", "step_time"}},
        Golden{"analyze", {"analyze", "FILE", "--no-figures"}},
        Golden{"catalog_scale_up", {"catalog", "list", "--kind", "scale_up"}}),
    name_of_golden);

}  // namespace
}  // namespace scalesweep::test
