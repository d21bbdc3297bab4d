// A device from budgets on the command line: what it shows, and every message.
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli_fixture.hpp"

namespace scalesweep::test {
namespace {

using nlohmann::json;

std::vector<std::string> derive(const std::vector<std::string>& options) {
  std::vector<std::string> words = {"catalog", "derive"};
  words.insert(words.end(), options.begin(), options.end());
  return words;
}

// A device that can be built; more options follow and the last of two wins nothing: each once.
std::vector<std::string> budgets(const std::vector<std::string>& more = {}) {
  std::vector<std::string> words =
      derive({"--logic", "N5", "--memory", "HBM3", "--scale-up", "NVLink4", "--die-area", "800 mm2",
              "--power", "700 W", "--stacks", "6"});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Derive, TheA100FollowsFromItsOwnBudgets) {
  const Said said = scalesweep(derive({"--like", "a100", "--format", "json"}));
  ASSERT_EQ(said.code, 0) << said.err;
  const json sheets = json::parse(said.out);
  const json& row = sheets.at("comparison").at(0);
  EXPECT_EQ(row.at("cores").at("derived"), 108.0);
  EXPECT_NEAR(row.at("clock").at("error"), 0.0, 0.005);
  EXPECT_NEAR(row.at("peak").at("error"), 0.0, 0.005);
  for (const char* sheet : {"asked", "derivation", "device", "binding", "cost", "sources"}) {
    EXPECT_FALSE(sheets.at(sheet).empty()) << sheet;
  }
}

TEST(Derive, SaysEveryValueWithItsOriginAndWhatBinds) {
  const Said said = scalesweep(budgets());
  ASSERT_EQ(said.code, 0) << said.err;
  for (const char* words :
       {"cores that fit", "area of cores / area of one", "supply voltage", "limited by the",
        "matrix peak is bound by", "DRAM bandwidth is bound by", "yield of a die", "known as",
        "template core.area_share", "foundry/N5", "switching_energy"}) {
    EXPECT_TRUE(contains(said.out, words)) << words << "\n" << said.out;
  }
  const Said csv = scalesweep(budgets({"--format", "csv"}));
  EXPECT_TRUE(contains(csv.out, "name,value,from")) << csv.out;
}

TEST(Derive, SharesAndWidthsChangeTheDevice) {
  const auto cores = [](const std::vector<std::string>& more) {
    std::vector<std::string> words = budgets(more);
    words.insert(words.end(), {"--format", "json"});
    const Said said = scalesweep(words);
    EXPECT_EQ(said.code, 0) << said.err;
    return json::parse(said.out).at("device").at(0).at("value").get<double>();
  };
  const double plain = cores({});
  EXPECT_LT(cores({"--core-area-share", "0.4"}), plain);
  EXPECT_LT(cores({"--flop-per-clock", "8192"}), plain);
  EXPECT_GT(cores({"--enabled-cores", "1"}), plain);
}

struct WrongDevice {
  std::vector<std::string> words;
  int code;
  std::string message;
};

TEST(Derive, SaysWhatIsMissingUnknownOrImpossible) {
  const std::vector<WrongDevice> cases = {
      {derive({}), 64, "--logic is missing; name one, or start from a product"},
      {derive({"--logic", "N5"}), 64, "--memory is missing"},
      {derive({"--logic", "N55"}), 64, "--logic: the catalog has no 'N55'"},
      {derive({"--like", "h100-smx"}), 64, "did you mean 'h100-sxm'?"},
      {derive({"--like", "h300"}), 64,
       "--like: the catalog has no device 'h300' (nearest: 'h200', another generation or size)"},
      {{"catalog", "show", "b100"},
       64,
       "the catalog has no entry 'b100' (nearest: 'b200', another generation or size)"},
      {{"catalog", "show", "h100-smx"},
       64,
       "the catalog has no entry 'h100-smx'; did you mean 'h100-sxm'?"},
      {derive({"--like", "h100", "--memory", "HBM33"}), 64, "--memory: the catalog has no 'HBM33'"},
      {derive({"--like", "h100", "--scaling", "foundri"}), 64, "did you mean 'foundry'?"},
      {derive({"--like", "h100", "--power", "700"}), 64, "--power: a bare number"},
      {derive({"--like", "h100", "--power", "0 W"}), 64, "--power: must be above zero"},
      {derive({"--like", "h100", "--core-area-share", "1.5"}), 64,
       "--core-area-share: a share lies between 0 and 1, not at 1.5"},
      {derive({"--like", "h100", "--logic", "A10+1"}), 64, "add --extrapolate"},
      {derive({"--logic", "N5", "--memory", "HBM3", "--scale-up", "NVLink4"}), 64,
       "--die-area is missing"},
      {derive({"--like", "h100", "--power", "10 W"}), 65,
       "there is no such device: what burns beside the cores takes 30 W of 10 W"},
      {derive({"--like", "h100", "--power", "100 W", "--power-sharing", "static"}), 65,
       "there is no such device: what burns beside the cores"},
      {derive({"--like", "h100", "--power-sharing", "fair"}), 64,
       "--power-sharing: 'fair' is neither shared nor static"},
      {derive({"--like", "h100", "--stacks", "12"}), 65, "mm of die edge"},
      {derive({"--like", "h100", "--die-area", "900 mm2"}), 65, "exceeds the reticle"},
      {{"catalog", "derive", "h100"}, 64, "'scalesweep catalog derive --like h100'"},
      {{"catalog", "compare", "h1000"}, 64, "catalog compare: the catalog has no device 'h1000'"},
  };
  for (const WrongDevice& wrong : cases) {
    const Said said = scalesweep(wrong.words);
    EXPECT_EQ(said.code, wrong.code) << said.err;
    EXPECT_TRUE(contains(said.err, wrong.message)) << said.err << "\nwanted: " << wrong.message;
    EXPECT_EQ(said.out, "");
  }
}

TEST(Derive, GoesBeyondTheLastNodeOnlyWhenAskedTo) {
  const Said said = scalesweep(derive({"--like", "h100", "--logic", "A10+1", "--extrapolate"}));
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.err, "warning: 'A10+1' is extrapolated")) << said.err;
}

TEST(Compare, ListsDerivedDevicesBesideDataSheets) {
  const Said said = scalesweep({"catalog", "compare", "a100", "h100"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "108 (108) +0 %")) << said.out;
  EXPECT_TRUE(contains(said.out, "h100")) << said.out;
  EXPECT_TRUE(contains(said.out, "mean |error|")) << said.out;
}

// Time, shares and watts of the twins of two devices in every kind of work, within 80 columns.
TEST(Compare, HoldsTwinsToWholeWork) {
  const Said said = scalesweep({"catalog", "compare", "a100", "mi300x"});
  ASSERT_EQ(said.code, 0) << said.err;
  for (const char* words : {"a100-sxm-80gb  train bf16", "mi300x         train fp8",
                            "mi300x         prefill", "mi300x         decode", "points", "watts",
                            "llama-3-70b", "512    256  8192 a sequence", "256 after 1024"}) {
    EXPECT_TRUE(contains(said.out, words)) << words << "\n" << said.out;
  }
  EXPECT_FALSE(contains(said.out, "a100-sxm-80gb  train fp8")) << said.out;  // it has none
  std::istringstream lines(said.out.substr(0, said.out.find("\n\n")));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80U) << line;
  }
}

TEST(Compare, TellsProgramsSecondsSharesAndWatts) {
  const Said said = scalesweep({"catalog", "compare", "mi300x", "--format", "json"});
  ASSERT_EQ(said.code, 0) << said.err;
  const json sheets = json::parse(said.out);
  ASSERT_EQ(sheets.at("twins").size(), 4U);
  for (const json& row : sheets.at("twins")) {
    EXPECT_EQ(row.at("template"), "cdna3");
    EXPECT_DOUBLE_EQ(row.at("time_ratio"),
                     row.at("derived_s").get<double>() / row.at("catalogued_s").get<double>());
    EXPECT_NEAR(row.at("time_ratio"), 1.0, 0.2);
    EXPECT_LE(
        std::abs(row.at("derived_share").get<double>() - row.at("catalogued_share").get<double>()),
        row.at("share_difference").get<double>());
    EXPECT_LT(row.at("share_difference"), 0.1);
    EXPECT_GT(row.at("derived_w"), 100.0);
  }
  EXPECT_EQ(sheets.at("works").size(), 4U);
  EXPECT_EQ(sheets.at("comparison").at(0).at("l2_capacity").at("real"), 0x1p28);
  const Said csv = scalesweep({"catalog", "compare", "mi300x", "--format", "csv"});
  EXPECT_TRUE(contains(csv.out, "device,template,work,derived_s,catalogued_s,time_ratio,"));
}

TEST(Compare, TakesAllThatNameATemplateOrAnotherTemplate) {
  const Said all = scalesweep({"catalog", "compare"});
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_EQ(all.err, "");
  for (const char* device : {"a100-sxm-80gb", "h100-sxm", "h200-sxm", "b200-sxm", "gb200", "mi300x",
                             "tpu-v4", "xeon-8592plus"}) {
    EXPECT_TRUE(contains(all.out, device)) << device;
  }
  EXPECT_FALSE(contains(all.out, "h20 ")) << all.out;
  const Said other =
      scalesweep({"catalog", "compare", "h100", "v100", "--template", "tensor-core-gpu"});
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_TRUE(contains(other.out, "60 (80) -25 %")) << other.out;
}

TEST(Compare, SaysWhyADeviceHasNoTwin) {
  const Said none = scalesweep({"catalog", "compare", "a100", "v100"});
  EXPECT_EQ(none.code, 65);
  EXPECT_EQ(none.out, "");
  for (const char* words : {"v100-sxm2-32gb has no twin: its entry names no template",
                            "--template NAME takes one of", "core.logic_area", "kernel_latency"}) {
    EXPECT_TRUE(contains(none.err, words)) << words << "\n" << none.err;
  }
  EXPECT_FALSE(contains(none.err, "matmul.split_latency")) << none.err;  // it has a default
  const Said edge = scalesweep({"catalog", "compare", "mi300x", "--template", "wide-simd-cpu"});
  EXPECT_EQ(edge.code, 65);
  EXPECT_TRUE(contains(edge.err, "mi300x has no twin by wide-simd-cpu: the memory stacks need"))
      << edge.err;
  const Said unknown = scalesweep({"catalog", "compare", "h100", "--template", "hoper"});
  EXPECT_EQ(unknown.code, 64);
  EXPECT_TRUE(contains(unknown.err, "did you mean 'hopper'?")) << unknown.err;
}

// A product brings its own architecture along.
TEST(Derive, LikeAProductTakesItsTemplate) {
  const auto shown = [](const std::vector<std::string>& options) {
    const Said said = scalesweep(derive(options));
    EXPECT_EQ(said.code, 0) << said.err;
    return said.out;
  };
  EXPECT_TRUE(contains(shown({"--like", "h100"}), "template        hopper"));
  EXPECT_TRUE(contains(shown({"--like", "h20"}), "template        tensor-core-gpu"));
  EXPECT_TRUE(
      contains(shown({"--like", "h100", "--template", "blackwell"}), "template        blackwell"));
}

// Pins beyond those of the memory cost nothing more: nobody sells them.
TEST(Derive, WarnsOfPinsThatNobodySells) {
  const Said fast = scalesweep(budgets({"--pin-rate", "12 Gb/s"}));
  EXPECT_EQ(fast.code, 0);
  EXPECT_TRUE(
      contains(fast.err, "warning: 12 Gb/s is above the 6.4 Gb/s that a pin of HBM3 carries"))
      << fast.err;
  EXPECT_EQ(scalesweep(budgets({"--pin-rate", "6.4 Gb/s"})).err, "");
}

}  // namespace
}  // namespace scalesweep::test
