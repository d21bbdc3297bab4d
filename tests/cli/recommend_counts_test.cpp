// One-line questions are not rounded into others: devices, batches, formats and options.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/recommend/devices/numbers.hpp"
#include "cli/recommend/spec/batches.hpp"
#include "cli/recommend/spec/make_spec.hpp"
#include "cli_fixture.hpp"
#include "core/text.hpp"
#include "support/shipped_catalog.hpp"

namespace scalesweep::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Words = std::vector<std::string>;

class RecommendCounts : public CliTest {};

Said ask(const Words& question, const Words& more) {
  Words words = {"recommend"};
  words.insert(words.end(), question.begin(), question.end());
  words.insert(words.end(), more.begin(), more.end());
  return scalesweep(words);
}

Said serve(const std::string& model, const std::string& devices, const Words& more) {
  return ask({"--serve", "--model", model, "--device", "h100", "--devices", devices, "--prompt",
              "2000", "--output-tokens", "500"},
             more);
}

Said train(const std::string& devices, const Words& more) {
  return ask({"--train", "--model", "llama-2-7b", "--device", "h100", "--devices", devices}, more);
}

// What is proposed, of an answer to programs.
json proposed(const Said& said) {
  const json answer = json::parse(said.out, nullptr, false);
  return answer.is_object() && answer.contains("layouts") && !answer["layouts"].empty()
             ? answer["layouts"][0]
             : json::object();
}

TEST_F(RecommendCounts, TriesFewerWhereLayoutsMayDivideNone) {
  EXPECT_THAT(cli::fewer_devices(1, 8), IsEmpty());
  EXPECT_THAT(cli::fewer_devices(64, 8), IsEmpty());
  EXPECT_THAT(cli::fewer_devices(5, 8), ElementsAre(4));
  EXPECT_THAT(cli::fewer_devices(6, 8), ElementsAre(4));
  EXPECT_THAT(cli::fewer_devices(50, 8), ElementsAre(32, 48));
  EXPECT_THAT(cli::fewer_devices(72, 8), ElementsAre(64));
  EXPECT_THAT(cli::fewer_devices(1008, 8), ElementsAre(768, 1000));
  EXPECT_EQ(cli::smooth_number(350, 8), 320);
  EXPECT_EQ(cli::smooth_number(875, 8), 864);
  EXPECT_EQ(cli::smooth_number(7, 8), 7);
  EXPECT_EQ(cli::round_number(350), 256);
  EXPECT_EQ(cli::round_number(100), 96);
  EXPECT_EQ(cli::round_number(3), 3);
  EXPECT_THAT(cli::more_devices(5, 4), ElementsAre(6, 8, 12, 16));
}

// Weights of 138 GB are on four of the five, not on ten.
TEST_F(RecommendCounts, LeavesDevicesIdleWhereTheOthersDoMore) {
  const Said five = serve("llama-2-70b", "5", {});
  EXPECT_EQ(five.code, 0) << five.err;
  EXPECT_THAT(in_one_line(five.out), HasSubstr("4 do more than all 5"));
  EXPECT_THAT(in_one_line(five.out), HasSubstr("1 is idle, and no figure counts it"));
  EXPECT_THAT(five.out, HasSubstr("Serving llama-2-70b on 5 h100"));
  const json on_five = proposed(serve("llama-2-70b", "5", {"--format", "json"}));
  const json on_four = proposed(serve("llama-2-70b", "4", {"--format", "json"}));
  ASSERT_TRUE(on_five.contains("tokens_per_second"));
  EXPECT_EQ(on_five["tokens_per_second"], on_four["tokens_per_second"]);
  const Said fifty = train("50", {"--sequence", "4096", "--global-batch", "512"});
  EXPECT_THAT(in_one_line(fifty.out), HasSubstr("48 do more than all 50"));
  EXPECT_THAT(in_one_line(fifty.out), HasSubstr("2 are idle, and no figure counts them"));
}

// More devices never do less, whatever their number.
TEST_F(RecommendCounts, MoreDevicesAreNeverWorse) {
  double most = 0.0;
  for (const int devices : {4, 5, 6, 9}) {
    const json layout =
        proposed(serve("llama-2-70b", std::to_string(devices), {"--format", "json"}));
    ASSERT_TRUE(layout.contains("tokens_per_second")) << devices;
    const double tokens_per_s = layout["tokens_per_second"];
    EXPECT_GE(tokens_per_s, most) << devices;
    most = tokens_per_s;
  }
}

// What all devices do best is told as if fewer had not been tried.
TEST_F(RecommendCounts, SaysNothingOfFewerWhereAllDoMost) {
  const Said said = serve("llama-2-7b", "6", {});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("accelerators 6"));
  EXPECT_THAT(said.out, Not(HasSubstr("idle")));
  EXPECT_THAT(said.out, Not(HasSubstr("accelerators 4")));
}

// Within 5 % of what is asked, the batch that most replicas and micro-batches share.
TEST_F(RecommendCounts, MovesABatchToWhatManyReplicasShare) {
  EXPECT_EQ(cli::even_batch(512, 64), 512);
  EXPECT_EQ(cli::even_batch(512, 2048), 512);
  EXPECT_EQ(cli::even_batch(512, 24), 512 - 32 + 48);
  EXPECT_EQ(cli::even_batch(512, 72), 504);
  EXPECT_EQ(cli::even_batch(512, 100), 500);
  EXPECT_EQ(cli::even_batch(512, 1000), 500);
  EXPECT_EQ(cli::even_batch(16e6 / 131072, 16384), 128);
  EXPECT_EQ(cli::even_batch(4e6 / 1048576, 512), 4);
  EXPECT_EQ(cli::even_batch(1, 8), 1);
  EXPECT_EQ(cli::even_batch(0.2, 8), 1);
  EXPECT_EQ(cli::even_batch(3, 7), 3);
  for (const double wanted : {7.0, 122.07, 512.0, 4100.0, 1e6}) {
    for (const std::int64_t devices : {1, 6, 72, 1000, 16384}) {
      const auto batch = static_cast<double>(cli::even_batch(wanted, devices));
      EXPECT_LE(std::abs(batch - wanted), std::max(0.5, cli::most_batch_change * wanted + 1e-9))
          << wanted << " on " << devices;
    }
  }
}

TEST_F(RecommendCounts, SaysByHowMuchItMovedTheBatch) {
  EXPECT_EQ(cli::batch_text({{64, 512}}, 8192, 4194304), "global batch 512, of 4,194,304 tokens");
  EXPECT_EQ(cli::batch_text({{16384, 128}}, 131072, 16'000'000),
            "global batch 128, of 16,777,216 tokens, 4.9 % more than asked, which more layouts "
            "divide");
  EXPECT_EQ(cli::batch_text({{64, 512}, {72, 504}}, 8192, 4194304),
            "global batch 512 on 64, 504 on 72 devices, each about 4,194,304 tokens, so that "
            "replicas can share it");
  const Said said = train("6", {"--sequence", "4096", "--tokens", "4 M"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(in_one_line(said.out), HasSubstr("global batch "));
}

// Each number of devices has its own batch, and tokens a second are compared.
TEST_F(RecommendCounts, ComparesDevicesEachAtItsOwnBatch) {
  cli::Question question;
  question.model = "llama-3-70b";
  question.devices = {"h100", "mi300x"};
  question.budget = "5 MUSD";
  const std::string text =
      cli::make_spec(question, {{"h100", {64, 80}}, {"mi300x", {72}}}, shipped_catalog()).text;
  EXPECT_THAT(text, HasSubstr("global_batch = [504, 512]\n"));
  EXPECT_THAT(text, HasSubstr("(accelerators == 72 and global_batch == 504)"));
  EXPECT_THAT(text, HasSubstr("maximize = \"tokens_per_second\"\n"));
  const Said said = ask({"--train", "--model", "llama-2-7b", "--device", "h100,mi300x", "--budget",
                         "700 kW", "--sequence", "4096"},
                        {});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, Not(HasSubstr("that was asked: beyond it may be better")));
}

TEST_F(RecommendCounts, TakesSeveralPrecisions) {
  const Said said =
      train("8", {"--sequence", "4096", "--global-batch", "64", "--precision", "bf16,fp8"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("next       bf16: "));
  const Said wrong = train("8", {"--precision", "bf16,fp9"});
  EXPECT_EQ(wrong.code, 65);
  EXPECT_THAT(wrong.err, HasSubstr("--precision bf16,fp9: "));
}

// Where 8 bits are multiplied, 8 bits of keys and values are tried; --cache says which.
TEST_F(RecommendCounts, TriesACacheOfEightBits) {
  const auto precision = [](cli::Question question) {
    const std::string text = cli::make_spec(question, {{"h100", {2}}}, shipped_catalog()).text;
    const std::size_t at = text.find("\nprecision = ") + 1;
    return text.substr(at, text.find('\n', at) - at);
  };
  cli::Question question;
  question.aim = cli::Aim::serving;
  question.model = "llama-2-7b";
  question.devices = {"h100"};
  question.prompts = {500};
  question.outputs = {250};
  EXPECT_EQ(precision(question), "precision = \"bf16\"");
  question.precisions = {"fp8"};
  EXPECT_EQ(precision(question),
            "precision = [\"fp8\", { name = \"fp8-cache-fp8\", operands = \"fp8\", cache = \"fp8\" "
            "}]");
  question.curve = true;
  EXPECT_EQ(precision(question), "precision = \"fp8\"");
  question.caches = {"bf16"};
  EXPECT_EQ(precision(question),
            "precision = { name = \"fp8-cache-bf16\", operands = \"fp8\", cache = \"bf16\" }");
  const Said said = serve("llama-2-7b", "2", {"--precision", "fp8"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("fp8-cache-fp8"));
  EXPECT_THAT(in_one_line(said.out), HasSubstr("keys and values in 16 bits or fp8"));
  const Said wrong = serve("llama-2-7b", "2", {"--cache", "fp9"});
  EXPECT_EQ(wrong.code, 65);
  EXPECT_THAT(wrong.err, HasSubstr("fp9"));
  EXPECT_THAT(train("8", {"--cache", "fp8"}).err, HasSubstr("--cache goes with --serve alone"));
}

TEST_F(RecommendCounts, SaysThatFewerBitsFit) {
  const Said said = serve("llama-2-70b", "1", {});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(in_one_line(said.out), HasSubstr("in fp8 it fits: "));
  EXPECT_THAT(in_one_line(said.out), HasSubstr("(--precision fp8); 2 devices suffice"));
}

// Words of options stand in the spec, and what is wrong with them is said by their options.
TEST_F(RecommendCounts, TakesDraftsPrefixesAndAdapters) {
  const Said said = serve(
      "llama-2-7b", "2",
      {"--prefix-hits", "0.5", "--draft", "0,3", "--acceptance", "0.7", "--draft-model", "eagle",
       "--adapters", "8", "--adapter-rank", "16", "--save-spec", path("options.toml")});
  ASSERT_EQ(said.code, 0) << said.err;
  const std::string spec = content(path("options.toml"));
  for (const char* line : {"prefix_hits = 0.5\n", "draft = [0, 3]\n", "acceptance = 0.7\n",
                           "draft_model = \"eagle\"\n", "adapters = 8\n", "adapter_rank = 16\n"}) {
    EXPECT_THAT(spec, HasSubstr(line));
  }
  const Said tuned =
      train("8", {"--sequence", "4096", "--global-batch", "64", "--adapter-rank", "16"});
  EXPECT_EQ(tuned.code, 0) << tuned.err;
  const Said wrong = serve("llama-2-7b", "2", {"--prefix-hits", "2"});
  EXPECT_EQ(wrong.code, 65);
  EXPECT_THAT(wrong.err, HasSubstr("--prefix-hits 2: "));
  EXPECT_THAT(train("8", {"--draft", "3"}).err, HasSubstr("--draft goes with --serve alone"));
}

// Experts go beyond a server in whole servers.
TEST_F(RecommendCounts, PutsExpertsOnWholeServers) {
  const json layout =
      proposed(ask({"--serve", "--model", "deepseek-v3", "--device", "h200", "--devices", "24",
                    "--prompt", "2000", "--output-tokens", "500"},
                   {"--format", "json", "--top", "1"}));
  ASSERT_TRUE(layout.contains("expert_parallel")) << layout;
  const std::int64_t ranks = layout["expert_parallel"];
  EXPECT_TRUE(ranks <= 8 || ranks % 8 == 0) << ranks;
  cli::Question question;
  question.model = "deepseek-v3";
  question.devices = {"h100"};
  EXPECT_THAT(cli::make_spec(question, {{"h100", {64}}}, shipped_catalog()).text,
              HasSubstr("where = \"expert_parallel <= 8 or expert_parallel % 8 == 0\""));
}

}  // namespace
}  // namespace scalesweep::test
