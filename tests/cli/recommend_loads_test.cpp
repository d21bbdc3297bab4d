// One-line questions: whole runs, requests in flight, and what is assumed of devices and models.
#include <nlohmann/json.hpp>

#include "cli/recommend/spec/assumptions.hpp"
#include "cli/recommend/spec/make_spec.hpp"
#include "cli_fixture.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"
#include "support/shipped_catalog.hpp"

namespace scalesweep::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

class RecommendLoads : public CliTest {};

Said train(const std::string& device, const std::string& devices, const Words& more) {
  Words words = {"recommend", "--train",  "--model", "llama-2-7b", "--sequence",
                 "4096",      "--device", device,    "--devices",  devices};
  words.insert(words.end(), more.begin(), more.end());
  return scalesweep(words);
}

Said serve(const Words& more) {
  Words words = {"recommend", "--serve", "--model",  "llama-2-7b", "--device",        "h100",
                 "--devices", "2",       "--prompt", "500",        "--output-tokens", "100"};
  words.insert(words.end(), more.begin(), more.end());
  return scalesweep(words);
}

void expect_narrow(const std::string& text) {
  for (const std::string& line : split(text, '\n')) {
    EXPECT_LE(line.size(), 80U) << line;
  }
}

TEST_F(RecommendLoads, ReadsTokensAsPeopleWriteThem) {
  EXPECT_EQ(cli::parse_tokens("--tokens", "4194304"), 4194304);
  EXPECT_EQ(cli::parse_tokens("--tokens", "4,194,304"), 4194304);
  EXPECT_EQ(cli::parse_tokens("--tokens", "15 T"), 15'000'000'000'000);
  EXPECT_EQ(cli::parse_tokens("--tokens", "1.5T"), 1'500'000'000'000);
  EXPECT_EQ(cli::parse_tokens("--tokens", "300 billion"), 300'000'000'000);
  EXPECT_EQ(cli::parse_tokens("--tokens", "4 M"), 4'000'000);
  EXPECT_EQ(cli::parse_tokens("--tokens", "2e9"), 2'000'000'000);
  for (const char* wrong : {"", "T", "15 X", "-3 B", "0", "0.2", "1e30", "nan", "4 M tokens"}) {
    EXPECT_THROW(cli::parse_tokens("--tokens", wrong), Failure) << wrong;
  }
}

TEST_F(RecommendLoads, TellsHowLongAWholeRunTakes) {
  const Words run = {"--global-batch", "64", "--run-tokens", "2 T"};
  const Said text = train("h100", "8", run);
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "whole run: 2 T tokens take ")) << text.out;
  const std::string line = in_one_line(text.out);
  EXPECT_TRUE(contains(line, " devices if all goes well, ")) << text.out;
  EXPECT_TRUE(contains(line, " in two of three runs), ")) << text.out;
  EXPECT_TRUE(contains(text.out, "(goodput)")) << text.out;
  EXPECT_TRUE(contains(line, "; as labs reached ")) << text.out;
  EXPECT_TRUE(contains(text.out, " days")) << text.out;
  expect_narrow(text.out);
  const Said said =
      train("h100", "8", {"--global-batch", "64", "--run-tokens", "2 T", "--format", "json"});
  ASSERT_EQ(said.code, 0) << said.err;
  const json answer = json::parse(said.out);
  EXPECT_EQ(answer.at("run_tokens"), 2'000'000'000'000);
  for (const json& layout : answer.at("layouts")) {
    const double days = layout.at("days").get<double>();
    const double goodput = layout.at("goodput").get<double>();
    // The bar of a run is skewed, and no narrower than that of its step.
    const double reached = layout.at("days_as_reached").get<double>();
    const double up = layout.at("days_as_reached_high").get<double>() / reached;
    const double down = reached / layout.at("days_as_reached_low").get<double>();
    const double step = 1.0 + layout.at("relative_uncertainty").get<double>();
    EXPECT_GT(reached, days);
    EXPECT_NEAR(layout.at("reported_losses").get<double>(), 0.03, 0.02);
    EXPECT_GE(std::min(up, down), step * (1.0 - 1e-5));
    EXPECT_GT(goodput, 0.97);
    EXPECT_LT(goodput, 1.0);
    EXPECT_NEAR(goodput * days * 86400.0 * layout.at("tokens_per_second").get<double>() / 2e12, 1.0,
                1e-5);
    // Of one node none stands by.
    EXPECT_NEAR(layout.at("device_hours").get<double>() / (8.0 * 24.0 * days), 1.0, 1e-5);
    EXPECT_GT(layout.at("run_cost_usd").get<double>(),
              0.999 * 2e6 * layout.at("usd_per_million_tokens").get<double>());
    // Eight devices of at most 700 W, and their networks.
    const double kw = layout.at("run_energy_kwh").get<double>() / (24.0 * days);
    EXPECT_GT(kw, 8 * 0.2);
    EXPECT_LT(kw, 8 * 0.8);
  }
  const Said without = train("h100", "8", {"--global-batch", "64", "--format", "json"});
  EXPECT_FALSE(json::parse(without.out).at("layouts").at(0).contains("days"));
}

TEST_F(RecommendLoads, AnswersEachNumberOfRequestsInFlight) {
  const Said said = serve({"--concurrency", "4,64", "--format", "json"});
  ASSERT_EQ(said.code, 0) << said.err;
  const json answers = json::parse(said.out).at("answers");
  ASSERT_EQ(answers.size(), 2U);
  const json& few = answers.at(0).at("layouts").at(0);
  const json& many = answers.at(1).at("layouts").at(0);
  EXPECT_LT(few.at("tokens_per_second"), many.at("tokens_per_second"));
  EXPECT_LT(few.at("time_per_output_token_s"), many.at("time_per_output_token_s"));
  // Little: requests in flight are their rate times the time of one.
  for (const auto& [layout, open] : {std::pair(few, 4.0), std::pair(many, 64.0)}) {
    const double request_s = layout.at("time_to_first_token_s").get<double>() +
                             99.0 * layout.at("time_per_output_token_s").get<double>();
    EXPECT_NEAR(layout.at("tokens_per_second").get<double>() / 100.0 * request_s / open, 1.0, 0.1);
  }
  const Said text = serve({"--concurrency", "16", "--ttft", "2 s"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_FALSE(contains(text.out, "as many requests as can be answered")) << text.out;
  expect_narrow(text.out);
}

TEST_F(RecommendLoads, RefusesLoadsInTermsOfOptions) {
  const auto expect_refused = [](const Said& said, const std::string& says) {
    EXPECT_EQ(said.code, 64) << said.err;
    EXPECT_TRUE(contains(said.err, says)) << says << "\n" << said.err;
    EXPECT_EQ(said.out, "");
  };
  expect_refused(train("h100", "8", {"--run-tokens", "many"}),
                 "--run-tokens many: no number of tokens; write one as \"300 B\", \"15 T\" or "
                 "4194304");
  expect_refused(train("h100", "8", {"--concurrency", "8"}),
                 "--concurrency goes with --serve alone");
  expect_refused(serve({"--run-tokens", "1 T"}), "--run-tokens goes with --train alone");
  expect_refused(serve({"--concurrency", "8", "--request-rate", "5 Hz"}),
                 "--request-rate and --concurrency both say how many requests there are");
  expect_refused(serve({"--concurrency", "0"}),
                 "--concurrency 0: at least 1 request must be in flight");
  expect_refused(serve({"--concurrency", "8", "--ttft-p99", "5 s"}),
                 "--ttft-p99: no percentiles are known with --concurrency; limit the mean with "
                 "--ttft, or give --request-rate in its place");
}

std::string serving_spec(const std::string& model, const std::string& device, std::int64_t count,
                         const std::string& framework = "") {
  cli::Question question;
  question.aim = cli::Aim::serving;
  question.model = model;
  question.devices = {device};
  if (!framework.empty()) {
    question.frameworks = {framework};
  }
  question.prompts = {1000};
  question.outputs = {1000};
  return cli::make_spec(question, {{device, {count}}}, shipped_catalog()).text;
}

// DeepSeek-R1 in fp8 takes 671 GB, eight H100 have 640 GB and eight H200 1,128 GB.
TEST_F(RecommendLoads, TriesTensorParallelismOverAsManyServersAsTheWeightsNeed) {
  const std::string beyond = serving_spec("deepseek-r1", "h100", 16);
  EXPECT_TRUE(contains(beyond,
                       "tensor_parallel = { powers_of_two_to = 16 }\n"
                       "pipeline_parallel = { divisors_to = 2 }\nuneven_stages = true\n"))
      << beyond;
  EXPECT_EQ(scalesweep({"check", write("beyond.toml", beyond)}).code, 0);
  EXPECT_TRUE(contains(serving_spec("deepseek-r1", "h200", 16),
                       "tensor_parallel = { powers_of_two_to = 8 }\n"));
  const std::string odd = serving_spec("llama-3-70b", "h100", 24);
  EXPECT_TRUE(contains(odd, "pipeline_parallel = { divisors_to = 3 }\nuneven_stages = true\n"))
      << odd;
  EXPECT_FALSE(contains(serving_spec("llama-3-70b", "h100", 16), "uneven_stages"));
}

TEST_F(RecommendLoads, AssumesWhatRunsOnTheDevices) {
  EXPECT_TRUE(contains(serving_spec("llama-3-70b", "mi300x", 8), "framework = \"vllm-rocm\"\n"));
  EXPECT_TRUE(
      contains(serving_spec("llama-3-70b", "mi300x", 8, "sglang"), "framework = \"sglang\"\n"));
  EXPECT_TRUE(contains(serving_spec("deepseek-r1", "a100", 16),
                       "precision = { name = \"w8a16\", weights = \"fp8\", operands = \"bf16\" }"));
  EXPECT_TRUE(contains(serving_spec("deepseek-r1", "h100", 16), "precision = [\"fp8\", {"));
  EXPECT_TRUE(contains(serving_spec("llama-3-70b", "v100", 16), "precision = \"fp16\"\n"));
  const Said tpu = train("tpu-v5p", "8", {"--global-batch", "64"});
  ASSERT_EQ(tpu.code, 0) << tpu.err;
  EXPECT_TRUE(contains(tpu.out, "framework maxtext")) << tpu.out;
  EXPECT_TRUE(contains(tpu.out, "To run it with maxtext\n")) << tpu.out;
  EXPECT_FALSE(contains(tpu.out, "is not known")) << tpu.out;
}

TEST_F(RecommendLoads, SaysThatAFormatIsMissingAndNotThatDevicesAre) {
  const Said said = train("a100", "8", {"--global-batch", "64", "--precision", "fp8"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.err, "--precision fp8: a100-sxm-80gb has no matrix unit for fp8"));
  EXPECT_TRUE(contains(said.out, "unsupported precision")) << said.out;
  EXPECT_FALSE(contains(said.out, "suffice")) << said.out;
}

// 80 layers: three stages of 24 devices do not divide them, four of 64 do.
TEST_F(RecommendLoads, TriesUnevenStagesWhereTheDevicesInviteToThem) {
  cli::Question question;
  question.model = "llama-3-70b";
  question.devices = {"h100"};
  const auto made = [&](std::int64_t count) {
    return cli::make_spec(question, {{"h100", {count}}}, shipped_catalog()).text;
  };
  EXPECT_TRUE(contains(made(24), "uneven_stages = true\n"));
  EXPECT_FALSE(contains(made(64), "uneven_stages"));
  EXPECT_FALSE(contains(made(80), "uneven_stages"));
}

TEST_F(RecommendLoads, NamesAllThatCanRunALayoutOfNoneOfThem) {
  const Said said = train("h100", "8", {"--global-batch", "64", "--framework", "overlapped"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(
      said.out, "run: deepspeed, maxtext, megatron-bridge, megatron-lm, nanotron can run it"))
      << said.out;
  EXPECT_FALSE(contains(said.out, "To run it")) << said.out;
}

// A cache that is worth its memory is chosen; what sessions are asked with stands in the spec.
TEST_F(RecommendLoads, ServesSessionsOfSeveralTurns) {
  const Words sessions = {"--turns",         "6",     "--turn-tokens", "100",
                          "--shared-prompt", "300",   "--think-time",  "10 s",
                          "--host-cache",    "50 GB", "--concurrency", "64"};
  const Said said = serve(sessions);
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "6 turns in every session")) << said.out;
  expect_narrow(said.out);
  Words kept = sessions;
  kept.insert(kept.end(), {"--save-spec", path("sessions.toml"), "--format", "json"});
  const Said again = serve(kept);
  ASSERT_EQ(again.code, 0) << again.err;
  const std::string spec = content(path("sessions.toml"));
  for (const char* line :
       {"turns = 6\n", "turn_tokens = 100\n", "shared_prompt = 300\n", "think_time = \"10 s\"\n",
        "prefix_cache_device = [\"none\", \"9 GB\", \"21 GB\", \"43 GB\"]\n",
        "prefix_cache_host = \"50 GB\"\n", "concurrency = 64\n"}) {
    EXPECT_TRUE(contains(spec, line)) << line << spec;
  }
}

}  // namespace
}  // namespace scalesweep::test
