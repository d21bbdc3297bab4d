// One-line questions: what is answered, what is refused, and that the spec behind an answer gives
// it again.
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "catalog/catalog.hpp"
#include "cli/recommend/devices/budget.hpp"
#include "cli/recommend/spec/make_spec.hpp"
#include "cli_fixture.hpp"
#include "core/text.hpp"
#include "deploy/deploy.hpp"
#include "deploy/rules/unrunnable.hpp"
#include "study/kinds/workload_kind.hpp"
#include "study/study.hpp"
#include "support/shipped_catalog.hpp"
#include "workload/framework.hpp"

namespace scalesweep::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

Said recommend(Words more) {
  Words words = {"recommend"};
  words.insert(words.end(), more.begin(), more.end());
  return scalesweep(words);
}

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words small_training = {"--model", "llama-2-7b", "--device",   "h100", "--devices",
                              "8",       "--train",    "--sequence", "4096", "--global-batch",
                              "64"};
const Words small_serving = {"--model", "llama-2-7b", "--device", "h100", "--devices",
                             "2",       "--serve",    "--prompt", "500",  "--output-tokens",
                             "100",     "--tpot",     "30 ms"};

class Recommend : public CliTest {};

// A program is asked for nothing on devices that it does not run on.
TEST_F(Recommend, FrameworksOfOtherDevicesAreRefused) {
  const std::vector<std::string> question = {
      "recommend",   "--model",      "llama-3-8b", "--devices",       "8",
      "--serve",     "--prompt",     "1000",       "--output-tokens", "100",
      "--framework", "tensorrt-llm", "--device"};
  const auto asked = [&](const std::string& devices) {
    std::vector<std::string> all = question;
    all.push_back(devices);
    return scalesweep(all);
  };
  const Said none = asked("mi300x");
  EXPECT_EQ(none.code, 64);
  EXPECT_TRUE(contains(none.err,
                       "recommend: --framework tensorrt-llm: tensorrt-llm does not run on mi300x, "
                       "but on GPUs of NVIDIA"))
      << none.err;
  const Said one = asked("mi300x,h100");
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_TRUE(contains(one.out, "llama-3-8b: h100-sxm")) << one.out;
  EXPECT_FALSE(contains(one.out, "llama-3-8b: mi300x")) << one.out;
}

TEST_F(Recommend, TellsTheVerdictAndTheLayouts) {
  const Said said = recommend(small_training);
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "Training llama-2-7b on 8 h100\n")) << said.out;
  EXPECT_TRUE(contains(said.out, "assumed: framework megatron-lm; precision bf16\n")) << said.out;
  EXPECT_TRUE(contains(said.out, "Verdict: the least step time")) << said.out;
  EXPECT_TRUE(contains(said.out, "The best 5 layouts")) << said.out;
  for (const std::string& line : split(said.out, '\n')) {
    EXPECT_LE(line.size(), 80U) << line;
  }
}

TEST_F(Recommend, GivesTrainingLayoutsToPrograms) {
  const Said said = recommend(joined(small_training, {"--format", "json", "--top", "3"}));
  ASSERT_EQ(said.code, 0) << said.err;
  const json answer = json::parse(said.out);
  ASSERT_EQ(answer.at("layouts").size(), 3U);
  const json& first = answer.at("layouts").at(0);
  EXPECT_EQ(first.at("point_id"), answer.at("verdict").at("point_id"));
  EXPECT_EQ(first.at("step_time_s"), answer.at("verdict").at("value"));
  for (const json& layout : answer.at("layouts")) {
    for (const char* size : {"tensor_parallel", "pipeline_parallel", "data_parallel", "chunks",
                             "micro_batch", "zero"}) {
      EXPECT_TRUE(layout.at(size).is_number_integer()) << size;
    }
    EXPECT_TRUE(layout.at("sequence_parallel").is_boolean());
    EXPECT_GT(layout.at("relative_uncertainty").get<double>(), 0.0);
    EXPECT_NEAR(
        layout.at("tokens_per_second").get<double>() * layout.at("step_time_s").get<double>(),
        64.0 * 4096.0, 1.0);
    EXPECT_LT(layout.at("memory_bytes").get<double>(),
              layout.at("memory_capacity_bytes").get<double>());
    EXPECT_EQ(layout.at("tensor_parallel").get<int>() * layout.at("pipeline_parallel").get<int>() *
                  layout.at("data_parallel").get<int>() * layout.value("context_parallel", 1),
              8);
  }
  EXPECT_LE(answer.at("layouts").at(1).at("step_time_s"),
            answer.at("layouts").at(2).at("step_time_s"));
}

TEST_F(Recommend, GivesServingLayoutsToPrograms) {
  const Said said = recommend(joined(small_serving, {"--format", "json"}));
  ASSERT_EQ(said.code, 0) << said.err;
  const json answer = json::parse(said.out);
  EXPECT_EQ(answer.at("verdict").at("objective"), "tokens_per_second");
  for (const json& layout : answer.at("layouts")) {
    EXPECT_LE(layout.at("time_per_output_token_s").get<double>(), 0.03);
    EXPECT_GT(layout.at("time_to_first_token_s").get<double>(), 0.0);
    EXPECT_LE(layout.at("tokens_per_second").get<double>(),
              1.01 * answer.at("verdict").at("value").get<double>());
    EXPECT_TRUE(layout.at("prefill_chunk").is_number_integer());
  }
}

// By as many ranks as have copies of latents where there are the most of them.
TEST_F(Recommend, TriesToShareCachesOfLongRequests) {
  const auto made = [&](const std::string& name, const std::string& framework,
                        const std::string& prompt) {
    const std::string spec = path(name);
    const Said said = recommend({"--model", "deepseek-v2", "--device", "h200", "--devices", "8",
                                 "--serve", "--prompt", prompt, "--output-tokens", "100",
                                 "--framework", framework, "--save-spec", spec});
    EXPECT_EQ(said.code, 0) << said.err;
    return content(spec);
  };
  EXPECT_TRUE(contains(made("long.toml", "vllm", "40000"), "decode_context_parallel = [1, 8]\n"));
  EXPECT_FALSE(contains(made("short.toml", "vllm", "4000"), "decode_context_parallel"));
  EXPECT_FALSE(contains(made("lacks.toml", "vllm-rocm", "40000"), "decode_context_parallel"));
}

TEST_F(Recommend, TriesDevicesOfExpertsWhereAFrameworkRunsThem) {
  cli::Question question;
  question.model = "deepseek-v3";
  question.aim = cli::Aim::serving;
  question.devices = {"h200"};
  question.prompts = {4000};
  question.outputs = {500};
  const auto made = [&](const std::string& framework) {
    question.frameworks = {framework};
    return cli::make_spec(question, {{"h200", {32}}}, shipped_catalog()).text;
  };
  const std::string own = made("vllm-afd");
  EXPECT_TRUE(contains(own, "expert_devices = [\"none\", 16, 8]\n")) << own;
  EXPECT_EQ(scalesweep({"check", write("apart.toml", own)}).code, 0);
  for (const char* other : {"vllm", "sglang", "tensorrt-llm"}) {
    EXPECT_FALSE(contains(made(other), "expert_devices")) << other;
  }
}

TEST_F(Recommend, KeepsASpecAndAStudyThatGiveTheSame) {
  const std::string spec = path("made.toml");
  const Said said = recommend(joined(small_training, {"--save-spec", spec, "-o", path("kept.h5")}));
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(scalesweep({"check", spec}).code, 0);
  const Said again = recommend(joined(small_training, {"--save-spec", spec}));
  EXPECT_EQ(again.code, 73);
  EXPECT_TRUE(contains(again.err,
                       "made.toml is there already; move it or choose another name for "
                       "--save-spec"))
      << again.err;
  ASSERT_EQ(scalesweep({"run", spec, "-o", path("run.h5"), "--quiet"}).code, 0);
  const Said diff = scalesweep({"diff", path("kept.h5"), path("run.h5")});
  EXPECT_EQ(diff.code, 0) << diff.out;
  const auto verdict = [](const std::string& text) {
    return text.substr(text.find("    best"), text.find("    limit") - text.find("    best"));
  };
  EXPECT_EQ(verdict(scalesweep({"analyze", path("run.h5"), "--no-figures"}).out),
            verdict(said.out));
}

TEST_F(Recommend, AnswersEachNumberOfDevices) {
  Words words = small_training;
  words[5] = "4,8";
  const Said said = recommend(joined(words, {"--format", "json", "--top", "1"}));
  ASSERT_EQ(said.code, 0) << said.err;
  const json answer = json::parse(said.out);
  ASSERT_EQ(answer.at("answers").size(), 2U);
  EXPECT_GT(answer.at("answers").at(0).at("layouts").at(0).at("step_time_s"),
            answer.at("answers").at(1).at("layouts").at(0).at("step_time_s"));
}

TEST_F(Recommend, ReadsAPublishedConfig) {
  const std::string config = write("config.json", R"({"model_type": "llama",
    "_name_or_path": "meta-llama/Llama-2-7b-hf", "hidden_size": 4096, "intermediate_size": 11008,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32,
    "vocab_size": 32000, "max_position_embeddings": 4096, "tie_word_embeddings": false})");
  Words by_config = small_training;
  by_config[1] = config;
  const Said said = recommend(joined(by_config, {"--format", "json"}));
  ASSERT_EQ(said.code, 0) << said.err;
  const Said by_name = recommend(joined(small_training, {"--format", "json"}));
  EXPECT_EQ(json::parse(said.out).at("layouts"), json::parse(by_name.out).at("layouts"));
  EXPECT_TRUE(contains(said.out, config)) << said.out;
}

// A checkpoint in fewer bits is served as it is published, and not in 16 bits.
TEST_F(Recommend, ServesACheckpointInItsOwnPrecision) {
  const std::string sizes = R"({"model_type": "llama", "hidden_size": 8192,
    "intermediate_size": 28672, "num_hidden_layers": 80, "num_attention_heads": 64,
    "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 131072)";
  std::filesystem::create_directory(folder() / "model");
  write("model/config.json", sizes + R"(, "quantization_config": {"quant_method": "fp8"}})");
  const auto served = [&](const std::string& device) {
    return recommend({"--model", path("model"), "--device", device, "--devices", "1", "--serve",
                      "--prompt", "1024", "--output-tokens", "512", "--concurrency", "4"});
  };
  const Said fp8 = served("h100");
  EXPECT_EQ(fp8.code, 0) << fp8.err;
  EXPECT_TRUE(contains(fp8.out, "precision fp8")) << fp8.out;
  EXPECT_FALSE(contains(fp8.out, "nothing feasible")) << fp8.out;
  const Said without_units = served("a100-80gb");
  EXPECT_TRUE(contains(without_units.out, "precision w8a16")) << without_units.out;
  write("model/config.json", sizes + "}");
  write("model/hf_quant_config.json",
        R"({"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "NVFP4"}})");
  EXPECT_TRUE(contains(served("b200").out, "precision fp4"));
  EXPECT_TRUE(contains(served("h100").out, "precision w4a16"));
  write("model/hf_quant_config.json",
        R"({"quantization": {"quant_algo": "NVFP4", "exclude_modules": ["*self_attn*"]}})");
  const Said kept = served("b200");
  EXPECT_EQ(kept.code, 0) << kept.err;
  EXPECT_TRUE(contains(kept.out, "precision fp4"));
}

// Layers that it keeps wider are asked for by the name of the checkpoint.
TEST_F(Recommend, AsksForThePublishedCheckpoint) {
  cli::Question question;
  question.aim = cli::Aim::serving;
  question.model = "deepseek-r1";
  question.devices = {"b200"};
  question.prompts = {500};
  question.outputs = {250};
  const auto precision = [&](const char* asked) {
    question.precisions = {asked};
    question.caches = {""};
    const std::string text = cli::make_spec(question, {{"b200", {8}}}, shipped_catalog()).text;
    const std::size_t at = text.find("\nprecision = ") + 1;
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(precision("nvfp4"),
            "precision = { name = \"nvfp4-checkpoint\", checkpoint = \"nvfp4\" }");
  EXPECT_EQ(precision("fp8"), "precision = \"fp8\"");
  EXPECT_EQ(precision("int8"), "precision = \"int8\"");
}

TEST_F(Recommend, TakesNamesOfModelsAsTheirCardsHaveThem) {
  Words words = small_training;
  for (const char* name : {"meta-llama/Llama-2-7b-chat-hf", "llama-2-7b-chat"}) {
    words[1] = name;
    const Said said = recommend(words);
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(contains(said.out, std::string(name) + " is 'llama-2-7b' here")) << said.out;
  }
}

TEST_F(Recommend, AssumesAFrameworkThatMultipliesThePrecision) {
  Words words = small_training;
  words[3] = "b200";
  const Said said = recommend(joined(words, {"--precision", "fp4"}));
  EXPECT_EQ(said.code, 0) << said.err;
  // Since core_v0.15.0 (0d7e02bd, megatron/training/arguments.py:1353) the usual one does.
  EXPECT_TRUE(contains(said.out, "framework megatron-lm")) << said.out;
  EXPECT_FALSE(contains(said.out, "cannot run")) << said.out;
}

TEST_F(Recommend, SaysWhatIsShort) {
  const Said said = recommend({"--model", "llama-2-70b", "--device", "h100", "--devices", "2",
                               "--train", "--sequence", "4096", "--global-batch", "64"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "nothing feasible")) << said.out;
  EXPECT_TRUE(contains(said.out, "short: the layout that takes least needs")) << said.out;
  EXPECT_TRUE(contains(said.out, " GB of each h100-sxm, ")) << said.out;
  EXPECT_TRUE(contains(said.out, " devices suffice, of 3 to 128")) << said.out;
}

TEST_F(Recommend, CountsWhatABudgetAllows) {
  const catalog::Catalog& catalog = shipped_catalog();
  const cli::Affordable by_power =
      cli::affordable(cli::parse_budget("100 kW"), "h100-sxm", "", catalog);
  EXPECT_LE(static_cast<double>(by_power.most) * by_power.each, 100e3);
  EXPECT_GT(static_cast<double>(by_power.most + 1) * by_power.each, 100e3);
  EXPECT_GT(by_power.each, 700.0);
  for (const std::int64_t count : by_power.counts.counts) {
    EXPECT_LE(count, by_power.most);
  }
  const cli::Affordable by_money =
      cli::affordable(cli::parse_budget("2 MUSD"), "h100-sxm", "", catalog);
  EXPECT_LE(static_cast<double>(by_money.most) * by_money.each, 2e6);
  EXPECT_GT(static_cast<double>(by_money.most + 1) * by_money.each, 2e6);
  Words words = small_training;
  words[4] = "--budget";
  words[5] = "10 kW";
  const Said said = recommend(words);
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "10 kW allow ")) << said.out;
}

TEST_F(Recommend, MakesSpecsWithTheRulesThatPeopleUse) {
  cli::Question question;
  question.model = "deepseek-v3";
  question.devices = {"h100"};
  question.sequence = 4096;
  const std::string training = cli::make_spec(question, {{"h100", {2048}}}, shipped_catalog()).text;
  for (const char* line :
       {"global_batch = 1024\n", "tensor_parallel = { powers_of_two_to = 8 }\n",
        "pipeline_parallel = { divisors_to = 61 }\nuneven_stages = true\n",
        "context_parallel = { powers_of_two_to = 2 }\n", "expert_parallel = { divisors_to = 64 }\n",
        "experts_over_tensor = [false, true]\n", "zero = [0, 1]\n",
        "recompute = [\"none\", \"selective\", \"full\"]\n", "minimize = \"step_time\"\n"}) {
    EXPECT_TRUE(contains(training, line)) << line << training;
  }
  EXPECT_EQ(scalesweep({"check", write("training.toml", training)}).code, 0);
  question.frameworks = {"torchtitan"};
  EXPECT_TRUE(contains(cli::make_spec(question, {{"h100", {64}}}, shipped_catalog()).text,
                       "zero = [2, 3]\n"));
  question = {};
  question.aim = cli::Aim::serving;
  question.model = "gpt-oss-120b";
  question.devices = {"h200", "b200"};
  question.prompts = {500, 4000};
  question.outputs = {250, 500};
  question.shares = {3.0, 1.0};
  question.limits = {{"time_per_output_token", "--tpot", "30 ms"}};
  const cli::MadeSpec made =
      cli::make_spec(question, {{"h200", {8, 16}}, {"b200", {8, 16}}}, shipped_catalog());
  for (const char* line :
       {"requests = [{ prompt = 500, output = 250, share = 3 }, { prompt = 4000, output = 500, "
        "share = 1 }]\n",
        "precision = { name = \"mxfp4-checkpoint\", checkpoint = \"mxfp4\" }\n",
        "batching = [\"chunked\", \"disaggregated\"]\n", "accelerators = [8, 16]\n",
        "device = [\"h200\", \"b200\"]\n", "time_per_output_token = \"30 ms\"\n",
        "tensor_parallel = { powers_of_two_to = 8 }\n", "pipeline_parallel = { divisors_to = 2 }\n",
        "maximize = \"tokens_per_second\"\n"}) {
    EXPECT_TRUE(contains(made.text, line)) << line << made.text;
  }
  EXPECT_EQ(scalesweep({"check", write("serving.toml", made.text)}).code, 0);
}

// Every point that a made spec keeps, held against what the framework says it runs.
void expect_runnable(const std::string& framework) {
  cli::Question question;
  // Megatron-DeepSpeed has no latent attention, nanotron no experts of that kind.
  question.model = framework.starts_with("deepspeed")  ? "mixtral-8x7b"
                   : framework.starts_with("nanotron") ? "llama-3-8b"
                                                       : "deepseek-v3";
  question.devices = {"h100"};
  question.frameworks = {framework};
  if (deploy::target_of(study::serving_kind(), framework) ||
      !shipped_catalog().framework(framework).trains) {
    question.aim = cli::Aim::serving;
    question.prompts = {500};
    question.outputs = {250};
  } else {
    question.sequence = 8192;
    question.global_batch = 16;
  }
  const std::string text = cli::make_spec(question, {{"h100", {16}}}, shipped_catalog()).text;
  Diagnostics diagnostics;
  const auto study = study::Study::of(
      {framework + ".toml", text, std::make_shared<const catalog::Catalog>(shipped_catalog())},
      diagnostics);
  ASSERT_TRUE(study) << diagnostics.text() << text;
  std::set<parallel::Strategy> kept;
  for (PointId id = 0; id < study->space().size(); ++id) {
    const study::Point point = study->point_at(id);
    if (!point.filtered) {
      kept.insert(point.strategy);
    }
  }
  EXPECT_FALSE(kept.empty()) << framework << text;
  for (const parallel::Strategy& strategy : kept) {
    const Words lacks = deploy::unrunnable(shipped_catalog().framework(framework), strategy);
    ASSERT_TRUE(lacks.empty()) << framework << ": " << lacks.front() << "\n" << text;
  }
}

TEST_F(Recommend, TriesOnlyWhatTheFrameworkRuns) {
  int checked = 0;
  for (const std::string& name : shipped_catalog().names(catalog::Section::frameworks)) {
    if (shipped_catalog().framework(name).runs) {
      expect_runnable(name);
      ++checked;
    }
  }
  EXPECT_GT(checked, 0);
}

// Each framework takes prompts in its way, and none has a layout that it cannot run.
TEST_F(Recommend, OfSeveralFrameworksEachKeepsToWhatItRuns) {
  cli::Question question;
  question.aim = cli::Aim::serving;
  question.model = "deepseek-v3";
  question.devices = {"b200"};
  question.frameworks = {"vllm@0.14", "sglang@0.5", "tensorrt-llm@1.1"};
  question.prompts = {500};
  question.outputs = {250};
  const std::string text = cli::make_spec(question, {{"b200", {8}}}, shipped_catalog()).text;
  for (const char* line : {"framework = [\"vllm@0.14\", \"sglang@0.5\", \"tensorrt-llm@1.1\"]\n",
                           "batching = [\"chunked\", \"separate\"]\n",
                           "where = \"framework != 'sglang@0.5' or batching != 'chunked'\"\n",
                           "where = \"framework != 'vllm@0.14' or batching != 'separate'\"\n"}) {
    EXPECT_TRUE(contains(text, line)) << line << text;
  }
  Diagnostics diagnostics;
  const auto study = study::Study::of(
      {"several.toml", text, std::make_shared<const catalog::Catalog>(shipped_catalog())},
      diagnostics);
  ASSERT_TRUE(study) << diagnostics.text() << text;
  std::map<std::string, std::set<parallel::Strategy>> kept;
  for (PointId id = 0; id < study->space().size(); ++id) {
    const study::Point point = study->point_at(id);
    if (!point.filtered) {
      kept[deploy::framework_of(*study, point)].insert(point.strategy);
    }
  }
  ASSERT_EQ(kept.size(), 3U);
  for (const auto& [framework, strategies] : kept) {
    for (const parallel::Strategy& strategy : strategies) {
      const Words lacks = deploy::unrunnable(shipped_catalog().framework(framework), strategy);
      ASSERT_TRUE(lacks.empty()) << framework << ": " << lacks.front() << "\n" << text;
    }
    // As many as where it is asked about alone.
    question.frameworks = {framework};
    const std::string own = cli::make_spec(question, {{"b200", {8}}}, shipped_catalog()).text;
    const auto alone = study::Study::of(
        {"one.toml", own, std::make_shared<const catalog::Catalog>(shipped_catalog())},
        diagnostics);
    ASSERT_TRUE(alone) << diagnostics.text() << own;
    std::set<parallel::Strategy> of_it;
    for (PointId id = 0; id < alone->space().size(); ++id) {
      const study::Point point = alone->point_at(id);
      if (!point.filtered) {
        of_it.insert(point.strategy);
      }
    }
    EXPECT_EQ(strategies, of_it) << framework;
  }
}

TEST_F(Recommend, LeavesOutWhatTheFrameworkLacks) {
  cli::Question question;
  question.model = "llama-3-70b";
  question.devices = {"h100"};
  const auto training = [&](const std::string& framework) {
    question.frameworks = {framework};
    return cli::make_spec(question, {{"h100", {64}}}, shipped_catalog()).text;
  };
  const std::string nanotron = training("nanotron");
  for (const char* line : {"chunks = 1\n", "recompute = [\"none\", \"full\"]\n"}) {
    EXPECT_TRUE(contains(nanotron, line)) << line << nanotron;
  }
  EXPECT_TRUE(contains(training("deepspeed"), "context_exchange = \"all_to_all\"\n"));
  EXPECT_TRUE(contains(training("fsdp"), "tensor_parallel = 1\npipeline_parallel = 1\n"));
  EXPECT_TRUE(contains(training("maxtext"), "zero = 3\n"));  // fully sharded
  EXPECT_TRUE(contains(training("overlapped"), "zero = [0, 1]\n"));
  EXPECT_TRUE(contains(training("megatron-bridge"), "zero = [0, 1]\n"));
  question.devices = {"gb200"};  // a rack is one scale-up domain
  EXPECT_TRUE(contains(cli::make_spec(question, {{"gb200", {64}}}, shipped_catalog()).text,
                       "zero = [0, 1, 3]\n"));
  question.devices = {"h100"};
  question.aim = cli::Aim::serving;
  question.model = "deepseek-v3";
  question.prompts = {500};
  question.outputs = {250};
  EXPECT_TRUE(contains(training("vllm"),
                       "where = \"not (expert_parallel > 1 and tensor_parallel > 1 and not "
                       "experts_over_tensor)\"\n"));
  EXPECT_FALSE(contains(training("sglang"),
                        "not (expert_parallel > 1 and tensor_parallel > 1 and not "
                        "experts_over_tensor)"));
}

struct Mistake {
  Words words;
  int code;
  std::string says;
};

void expect_refused(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    const Said said = recommend(mistake.words);
    EXPECT_EQ(said.code, mistake.code) << said.err;
    EXPECT_TRUE(contains(said.err, mistake.says)) << mistake.says << "\n" << said.err;
    EXPECT_EQ(said.out, "");
  }
}

// Names of other kinds of entries, and those that are like none.
TEST_F(Recommend, SaysWhatANameIsThatIsNoModel) {
  const Words eight = {"--model", "llama-2-7b", "--device", "h100", "--devices", "8"};
  expect_refused({
      {{"--model", "dlrm", "--device", "h100", "--devices", "8", "--train"},
       65,
       "error: --model dlrm: 'dlrm' is a recommendation model, of workloads of another kind; write "
       "a spec with kind = \"recommendation\" and recommender = \"dlrm\", as "
       "sweeps/recommendation.toml"},
      {{"--model", "flux-dev", "--device", "h100", "--devices", "8", "--train"},
       65,
       "'flux-dev' is a diffusion model, of workloads of another kind; write a spec with kind = "
       "\"diffusion\""},
      {{"--model", "h100-sxm", "--device", "h100", "--devices", "8", "--train"},
       65,
       "'h100-sxm' is a device and no model; write device = \"h100-sxm\""},
      {{"--model", "zzzzz", "--device", "h100", "--devices", "8", "--train"},
       65,
       "'scalesweep catalog list --kind models' lists them"},
      {joined(eight, {"--train", "--network", "RoCE"}), 65,
       "; 'scalesweep catalog list --kind scale_out' lists them"},
  });
  // One mistake is told once, and not beside what follows from it.
  const Said serving = recommend(joined(eight, {"--train", "--framework", "vllm"}));
  EXPECT_EQ(serving.code, 65);
  EXPECT_TRUE(
      contains(serving.err, "--framework vllm: how 'vllm@0.14' trains is not in the catalog"));
  EXPECT_TRUE(contains(serving.err, "scalesweep: 1 mistake; nothing was run")) << serving.err;
}

TEST_F(Recommend, RefusesInTermsOfOptions) {
  const Words model = {"--model", "llama-2-7b", "--device", "h100"};
  const Words eight = joined(model, {"--devices", "8"});
  const std::vector<Mistake> mistakes = {
      {{"--device", "h100", "--devices", "8", "--train"}, 64, "which model? add --model NAME"},
      {{"--model", "llama-2-7b", "--devices", "8", "--train"}, 64, "on what? add --device NAME"},
      {joined(model, {"--train"}), 64, "how many devices? add --devices N, or a budget"},
      {eight, 64, "add --train or --serve"},
      {joined(eight, {"--train", "--serve"}), 64, "are two questions; ask one at a time"},
      {joined(eight, {"--train", "--budget", "1 MW"}), 64, "give one of them"},
      {joined(eight, {"--train", "--ttft", "1 s"}), 64, "--ttft goes with --serve alone"},
      {joined(eight, {"--train", "--prompt", "5"}), 64, "--prompt goes with --serve alone"},
      {joined(eight, {"--serve", "--sequence", "5"}), 64, "--sequence goes with --train alone"},
      {joined(eight, {"--train", "--global-batch", "5", "--tokens", "5"}), 64,
       "--global-batch and --tokens both say how large a step is"},
      {joined(eight, {"--serve"}), 64, "--prompt is missing; say how long requests are"},
      {joined(eight, {"--serve", "--prompt", "5,6", "--output-tokens", "5"}), 64,
       "--prompt has 2 lengths and --output-tokens 1"},
      {joined(eight, {"--serve", "--prompt", "5", "--output-tokens", "5", "--share", "1,2"}), 64,
       "--share has 2 values for 1 kinds of requests"},
      {joined(model, {"--train", "--budget", "5 apples"}), 64,
       "--budget 5 apples: no power and no price"},
      {joined(model, {"--train", "--budget", "5 W"}), 64, "--budget: one h100-sxm takes"},
      {joined(eight, {"--train", "--framework", "megatronlm"}), 65,
       "error: --framework megatronlm: "},
      {joined(eight, {"--train", "--precision", "fp7"}), 65, "error: --precision fp7: "},
      {joined(eight, {"--train", "--network", "NDRy8"}), 65, "error: --network NDRy8: "},
      {joined(eight, {"--serve", "--prompt", "5", "--output-tokens", "5", "--tpot-p99", "5"}), 65,
       "error: --tpot-p99 5: "},
      {{"--model", "lama-2-7b", "--device", "h100", "--devices", "8", "--train"},
       65,
       "error: --model lama-2-7b: the catalog has no model 'lama-2-7b'; did you mean "
       "'llama-2-7b'?"},
      {{"--model", "llama-2-7b", "--device", "h1000", "--devices", "8", "--train"},
       65,
       "error: --device h1000: the catalog has no device 'h1000'"},
      {{"--model", path("none.json"), "--device", "h100", "--devices", "8", "--train"},
       66,
       "none.json"},
      {joined(eight, {"--train", "-o", path("no/folder.h5")}), 73, "there is no folder"},
  };
  expect_refused(mistakes);
}

TEST_F(Recommend, RefusesSessionsInTermsOfOptions) {
  const Words eight = {"--model", "llama-2-7b", "--device", "h100", "--devices", "8"};
  const Words chat = joined(eight, {"--serve", "--prompt", "500", "--output-tokens", "100"});
  expect_refused({
      {joined(eight, {"--train", "--turns", "5"}), 64, "--turns goes with --serve alone"},
      {joined(eight, {"--train", "--think-time", "5 s"}), 64,
       "--think-time goes with --serve alone"},
      {joined(chat, {"--think-time", "5 s"}), 64,
       "--think-time is of sessions of several turns; say how many, for example --turns 8"},
      {joined(chat, {"--turns", "5"}), 64,
       "--turns needs --turn-tokens: what a user or a tool adds before each turn but the first"},
      {joined(chat, {"--turns", "5", "--turn-tokens", "9", "--shared-prompt", "600"}), 64,
       "--shared-prompt 600 is more than the first prompt, whose beginning it is; raise --prompt "
       "500 or lower it"},
      {joined(eight, {"--serve", "--prompt", "5,6", "--output-tokens", "5,5", "--turns", "2",
                      "--turn-tokens", "9"}),
       64,
       "--turns is of one kind of session and --prompt has 2 lengths; give one, that of the "
       "first turn"},
      {joined(chat, {"--turns", "5", "--turn-tokens", "9", "--think-time", "9 m"}), 65,
       "error: --think-time \"9 m\": "},
      {joined(chat, {"--turns", "5", "--turn-tokens", "9", "--host-cache", "9 W"}), 65,
       "error: --host-cache \"9 W\": "},
  });
}

}  // namespace
}  // namespace scalesweep::test
