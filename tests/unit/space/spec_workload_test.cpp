// The [workload] and [strategy] tables of inference and serving.
#include "space/spec/spec_workload.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "parallel/fields.hpp"
#include "space/axes/workload_axes.hpp"
#include "space/space.hpp"
#include "unit/space/spec_reading.hpp"

namespace scalesweep::space {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view inference_spec = R"(schema = 1
title = "a batch of requests"
[workload]
kind = "inference"
model = ["llama-2-7b", "llama-2-13b"]
prompt = [200, 2000]
output = 200
batch = [1, 8]
[system]
accelerators = [4, 8]
device = "h100-sxm"
[strategy]
)";

constexpr std::string_view serving_spec = R"(schema = 1
title = "service"
[workload]
kind = "serving"
model = "llama-3-70b"
requests = [{ prompt = 500, output = 200, share = 0.7 }, { prompt = 4000.5, output = 500 }]
time_to_first_token = ["500 ms", "none"]
[system]
accelerators = 8
device = "h100-sxm"
[strategy]
)";

workload::TransformerModel small_model() {
  workload::TransformerModel model;
  model.layers = 8;
  model.hidden = 1024;
  model.heads = 16;
  model.kv_heads = 16;
  model.ffn = 4096;
  return model;
}

Space space_of(const Spec& spec) {
  Diagnostics diagnostics;
  auto space = Space::build(
      spec, [](const std::string&) { return small_model(); }, diagnostics);
  EXPECT_TRUE(space.has_value()) << diagnostics.text();
  return std::move(*space);
}

std::vector<std::string> field_names(const Spec& spec) {
  std::vector<std::string> names;
  for (const parallel::Field* field : parallel::fields_of(spec.strategy)) {
    names.emplace_back(field->name);
  }
  return names;
}

TEST(SpecWorkload, InferenceHasItsOwnAxesAndDefaults) {
  const Spec spec = good(std::string(inference_spec));
  EXPECT_EQ(spec.kind, &inference_form());
  EXPECT_THAT(names_of(spec), ElementsAre("model", "batch", "accelerators", "prompt", "output",
                                          "precision", "framework", "device", "topology"));
  EXPECT_EQ(axis_of(spec, "framework").labels.front(), "tensorrt-llm");
  EXPECT_THAT(field_names(spec),
              ElementsAre("tensor_parallel", "pipeline_parallel", "data_parallel", "micro_batch",
                          "micro_batches", "sequence_parallel"));
}

TEST(SpecWorkload, OptionalKeysAreAxes) {
  const Spec spec = good(tests::with(
      inference_spec, "[system]",
      "attention = ['flash', 'unfused']\nprefix_hits = [0, 0.5]\nprefill_chunk = [0, 512]\n"
      "expert_skew = [0, 0.3]\ndraft = 4\nacceptance = 0.8\ndraft_time = 0.1\n[system]"));
  EXPECT_THAT(axis_of(spec, "prefill_chunk").values, ElementsAre(0.0, 512.0));
  EXPECT_THAT(axis_of(spec, "prefix_hits").values, ElementsAre(0.0, 0.5));
  EXPECT_THAT(axis_of(spec, "draft").values, ElementsAre(4.0));
  EXPECT_THAT(axis_of(spec, "expert_skew").values, ElementsAre(0.0, 0.3));
  EXPECT_THAT(axis_of(spec, "attention").labels, ElementsAre("flash", "unfused"));
}

TEST(SpecWorkload, ServingReadsRequestsAndLimits) {
  const Spec spec = good(std::string(serving_spec));
  EXPECT_EQ(spec.kind, &serving_form());
  ASSERT_EQ(spec.requests.size(), 2U);
  EXPECT_EQ(spec.requests[0].share, 0.7);
  EXPECT_EQ(spec.requests[1].prompt, 4000.5);
  EXPECT_EQ(spec.requests[1].share, 1.0);
  EXPECT_FALSE(find_axis(spec.axes, "prompt"));
  const Axis& limit = axis_of(spec, "time_to_first_token_limit");
  EXPECT_THAT(limit.labels, ElementsAre("500 ms", "none"));
  EXPECT_EQ(limit.values[0], 0.5);
  EXPECT_TRUE(std::isinf(limit.values[1]));
  EXPECT_FALSE(find_axis(spec.axes, "time_per_output_token_limit"));
  EXPECT_THAT(field_names(spec), ElementsAre("tensor_parallel", "pipeline_parallel",
                                             "data_parallel", "sequence_parallel"));
}

TEST(SpecWorkload, ServingTakesOneLengthInsteadOfAMix) {
  const Spec spec = good(tests::with(
      serving_spec,
      "requests = [{ prompt = 500, output = 200, share = 0.7 }, { prompt = 4000.5, output = 500 }]",
      "prompt = [500, 1000]\noutput = 200\narrival_rate = '20 Hz'\nbatching = 'separate'"));
  EXPECT_TRUE(spec.requests.empty());
  EXPECT_EQ(axis_of(spec, "prompt").size(), 2U);
  EXPECT_THAT(axis_of(spec, "arrival_rate").labels, ElementsAre("20 Hz"));
  EXPECT_EQ(axis_of(spec, "arrival_rate").units, "Hz");
}

TEST(SpecWorkload, MicroBatchesFillThePipelineWhereNothingIsSaid) {
  const Spec spec =
      good(std::string(inference_spec) + "tensor_parallel = 1\npipeline_parallel = [1, 2, 4]\n");
  const Space space = space_of(spec);
  int halves = 0;
  for (PointId id = 0; id < space.size();) {
    const space::Run run = space.run_at(id);
    const double batch = axis_of(spec, "batch").values[static_cast<std::size_t>(run.axis_index[1])];
    for (const parallel::Strategy& s : run.strategies) {
      EXPECT_EQ(s.micro_batch * s.micro_batches * s.data_parallel, batch);
      const auto local = static_cast<std::int64_t>(batch) / s.data_parallel;
      EXPECT_EQ(s.micro_batches, local % s.pipeline_parallel == 0 ? s.pipeline_parallel : 1);
      halves += s.micro_batches > 1 ? 1 : 0;
    }
    id = run.ids.last;
  }
  EXPECT_GT(halves, 0);
}

TEST(SpecWorkload, IdsGoBothWays) {
  for (const std::string_view text : {inference_spec, serving_spec}) {
    const Space space = space_of(good(std::string(text)));
    ASSERT_GT(space.size(), 1);
    for (PointId id = 0; id < space.size(); ++id) {
      const space::Run run = space.run_at(id);
      const auto& strategy =
          run.strategies[static_cast<std::size_t>(run.first_strategy + (id - run.ids.first))];
      EXPECT_EQ(space.id_of(run.axis_index, strategy), id);
    }
  }
}

TEST(SpecWorkload, ListsOfMicroBatchesAreTaken) {
  const Spec spec = good(std::string(inference_spec) + "micro_batch = [1, 2]\n");
  EXPECT_FALSE(spec.strategy.micro_batch.by_stages);
  EXPECT_THAT(spec.strategy.micro_batch.values, ElementsAre(1, 2));
}

TEST(SpecWorkload, KeysOfOtherKindsAreRefused) {
  EXPECT_EQ(
      refused(tests::with(inference_spec, "prompt = [200, 2000]",
                          "prompt = 200\nsequence = 2048\nglobal_batch = 8")),
      "a.toml:7:12: error: 'sequence' goes with kind = \"training\", not \"inference\"; write "
      "prompt and output\n"
      "a.toml:8:16: error: 'global_batch' goes with kind = \"training\", not \"inference\"; "
      "write batch\n");
  EXPECT_THAT(
      refused(tests::with(inference_spec, "batch = [1, 8]", "batch = 1\narrival_rate = '1 Hz'")),
      HasSubstr("a.toml:9:16: error: 'arrival_rate' goes with kind = \"serving\", not "
                "\"inference\"\n"));
  EXPECT_THAT(refused(tests::with(serving_spec, "time_to_first_token", "batch = 8\n#")),
              HasSubstr("a.toml:7:9: error: 'batch' goes with kind = \"inference\" or "
                        "\"recommendation\" or \"diffusion\", not \"serving\"; the batch is "
                        "found, the largest within the limits\n"));
  EXPECT_THAT(refused(tests::with(tests::catalogued_spec, "sequence = 2048",
                                  "sequence = 2048\nprompt = 200")),
              HasSubstr("a.toml:7:10: error: 'prompt' goes with kind = \"inference\" or "
                        "\"serving\" or \"reinforcement_learning\", not \"training\"; write "
                        "sequence\n"));
}

constexpr std::string_view diffusion_spec = R"(schema = 1
title = "a video"
[workload]
kind = "diffusion"
diffusion_model = ["wan-2.1-t2v-14b", "hunyuan-video"]
batch = 2
width = 1280
height = 720
frames = [81, 129]
denoising_steps = 30
[system]
accelerators = [1, 8]
device = "h100-sxm"
)";

TEST(SpecWorkload, DiffusionHasItsAxes) {
  const Spec spec = good(std::string(diffusion_spec));
  EXPECT_EQ(spec.kind, &diffusion_form());
  std::vector<std::string> names = names_of(spec);
  ASSERT_GT(names.size(), 9U);
  names.resize(9);
  EXPECT_THAT(names, ElementsAre("diffusion_model", "batch", "accelerators", "precision",
                                 "framework", "width", "height", "frames", "denoising_steps"));
  EXPECT_THAT(axis_of(spec, "precision").labels, ElementsAre("bf16"));
  EXPECT_THAT(axis_of(spec, "framework").labels, ElementsAre("diffusers"));
  EXPECT_THAT(varying_workload_axes(spec.axes), ElementsAre("diffusion_model", "frames"));
  for (const char* name : {"width", "height", "denoising_steps"}) {
    EXPECT_TRUE(is_workload_axis(name)) << name;
  }
}

TEST(SpecWorkload, DiffusionMustKnowItsPicture) {
  std::string spec(diffusion_spec);
  for (const char* line : {"width = 1280\n", "height = 720\n", "batch = 2\n"}) {
    spec = tests::with(spec, line, "");
  }
  EXPECT_EQ(refused(spec),
            "a.toml:3:1: error: missing key 'batch'; write for example batch = [1, 8]\n"
            "a.toml:3:1: error: missing key 'width'; write for example width = 1280\n"
            "a.toml:3:1: error: missing key 'height'; write for example height = 720\n");
  EXPECT_THAT(refused(tests::with(diffusion_spec, "width = 1280", "width = 0")),
              HasSubstr("a.toml:7:9: error: width must be between 1 and 1,000,000,000, not 0\n"));
}

constexpr std::string_view policy_spec = R"(schema = 1
title = "a policy"
[workload]
kind = "reinforcement_learning"
model = "qwen2.5-7b"
prompts = 128
samples = 8
prompt = 1000
output = [2000, 8000]
updates = 4
[system]
accelerators = [16, 64]
device = "h100-sxm"
)";

TEST(SpecWorkload, ReinforcementLearningHasItsAxes) {
  const Spec spec = good(std::string(policy_spec));
  EXPECT_EQ(spec.kind, &reinforcement_form());
  std::vector<std::string> names = names_of(spec);
  ASSERT_GT(names.size(), 7U);
  names.resize(7);
  EXPECT_THAT(names, ElementsAre("model", "prompts", "samples", "updates", "placement",
                                 "rollout_share", "accelerators"));
  EXPECT_THAT(axis_of(spec, "placement").labels, ElementsAre("colocated"));
  EXPECT_THAT(axis_of(spec, "critic").labels, ElementsAre("none"));
  EXPECT_THAT(axis_of(spec, "framework").labels, ElementsAre("fsdp"));
  EXPECT_THAT(axis_of(spec, "rollout_framework").labels, ElementsAre("vllm"));
  EXPECT_THAT(varying_workload_axes(spec.axes), ElementsAre("output"));
}

TEST(SpecWorkload, StaleWeightsAndSharesNeedDevicesOfTheirOwn) {
  for (const char* key : {"staleness = 2", "rollout_share = 0.5"}) {
    const std::string spec = tests::with(policy_spec, "updates = 4", key);
    EXPECT_THAT(refused(spec), HasSubstr("goes with placement = \"separate\"; leave it out"));
    good(tests::with(spec, "prompts", "placement = [\"colocated\", \"separate\"]\nprompts"));
  }
  EXPECT_THAT(refused(tests::with(policy_spec, "updates = 4", "placement = \"apart\"")),
              HasSubstr("apart"));
  EXPECT_THAT(refused(tests::with(policy_spec, "updates = 4", "global_batch = 4")),
              HasSubstr("write prompts and samples"));
}

// What another kind asks of a model of its own.
TEST(SpecWorkload, KeysOfOtherModelsAreRefused) {
  EXPECT_THAT(refused(tests::with(diffusion_spec, "batch = 2", "batch = 2\nmodel = 'a'")),
              HasSubstr("a.toml:7:9: error: 'model' goes with kind = \"training\" or "
                        "\"inference\" or \"serving\" or \"reinforcement_learning\", not "
                        "\"diffusion\"; write diffusion_model\n"));
  EXPECT_THAT(refused(tests::with(diffusion_spec, "batch = 2", "batch = 2\nrecommender = 'a'")),
              HasSubstr("'recommender' goes with kind = \"recommendation\", not \"diffusion\"; "
                        "write diffusion_model\n"));
  EXPECT_THAT(
      refused(tests::with(inference_spec, "batch = [1, 8]", "batch = 1\ndiffusion_model = 'a'")),
      HasSubstr("'diffusion_model' goes with kind = \"diffusion\", not \"inference\"; "
                "write model\n"));
  EXPECT_THAT(refused(tests::with(diffusion_spec, "batch = 2", "batch = 2\nsequence = 8")),
              HasSubstr("'sequence' goes with kind = \"training\", not \"diffusion\"\n"));
  EXPECT_THAT(refused(tests::with(diffusion_spec, "batch = 2", "batch = 2\nglobal_batch = 8")),
              HasSubstr("'global_batch' goes with kind = \"training\", not \"diffusion\"; write "
                        "batch\n"));
}

TEST(SpecWorkload, MistakesHaveTheirPlace) {
  EXPECT_THAT(refused(tests::with(inference_spec, "\"inference\"", "\"inferense\"")),
              HasSubstr("a.toml:4:8: error: unknown kind of workload 'inferense'; did you mean "
                        "'inference'?\n"));
  EXPECT_EQ(refused(tests::with(inference_spec, "output = 200\n", "")),
            "a.toml:3:1: error: missing key 'output'; write for example output = 200\n");
  EXPECT_EQ(refused(tests::with(inference_spec, "output = 200\n", "output = 200\ndraft = 4\n")),
            "a.toml:8:9: error: 'draft' needs acceptance (probability that a draft token is kept), "
            "for example acceptance = 0.8\n");
  EXPECT_EQ(
      refused(tests::with(inference_spec, "output = 200\n", "output = 200\nacceptance = 0.8\n")),
      "a.toml:8:14: error: 'acceptance' goes with draft, for example draft = 4\n");
  EXPECT_EQ(refused(tests::with(inference_spec, "output = 200\n",
                                "output = 200\ndraft_model = 'eagle'\n")),
            "a.toml:8:15: error: 'draft_model' goes with draft, for example draft = 4\n");
  EXPECT_EQ(refused(tests::with(inference_spec, "output = 200\n",
                                "output = 200\ndraft = 4\nacceptance = 0.8\ndraft_time = 0.1\n"
                                "draft_model = 'eagle'\n")),
            "a.toml:10:14: error: 'draft_time' does not go with draft_model: its time follows from "
            "its layers; leave one of them out\n");
  EXPECT_THAT(
      refused(tests::with(inference_spec, "output = 200\n", "output = 200\nprefix_hits = 1\n")),
      HasSubstr("a.toml:8:15: error: prefix_hits must be at least 0 and below 1, not 1\n"));
  EXPECT_THAT(refused(tests::with(serving_spec, "\"none\"", "\"0 s\"")),
              HasSubstr("a.toml:7:34: error: time_to_first_token_limit must be above zero\n"));
  EXPECT_THAT(refused(tests::with(serving_spec, "share = 0.7", "share = -1")),
              HasSubstr("a.toml:6:51: error: share must be above 0, not -1\n"));
  EXPECT_THAT(refused(tests::with(serving_spec, "time_to_first_token", "prompt = 3\n#")),
              HasSubstr("a.toml:7:10: error: 'prompt' is said by 'requests' already; leave one of "
                        "them out\n"));
  EXPECT_THAT(refused(tests::with(serving_spec, "time_to_first_token", "batching = 'chunk'\n#")),
              HasSubstr("a.toml:7:12: error: unknown batching 'chunk'; did you mean 'chunked'?\n"));
}

TEST(SpecWorkload, WithoutAKindTheKeysSayWhichIsMeant) {
  const std::string missing =
      "a.toml:3:1: error: missing key 'kind'; write for example kind = \"training\", "
      "\"inference\", \"serving\", \"recommendation\", \"diffusion\" or "
      "\"reinforcement_learning\"\n";
  EXPECT_EQ(refused(tests::with(inference_spec, "kind = \"inference\"\n", "")), missing);
  EXPECT_EQ(refused(tests::with(serving_spec, "kind = \"serving\"\n", "")), missing);
  EXPECT_EQ(refused(tests::with(serving_spec, "\"serving\"", "\"serve\"")),
            "a.toml:4:8: error: unknown kind of workload 'serve'; known are training, "
            "inference, serving, recommendation, diffusion, reinforcement_learning\n");
}

TEST(SpecWorkload, UnitsHaveExamplesOfTheirKey) {
  EXPECT_EQ(refused(tests::with(serving_spec, "time_to_first_token", "arrival_rate = 3\n#")),
            "a.toml:7:16: error: 'workload.arrival_rate': a bare number, but a frequency is "
            "expected; write its unit, for example \"20 Hz\"\n");
  EXPECT_EQ(refused(tests::with(serving_spec, "[\"500 ms\", \"none\"]", "0.5")),
            "a.toml:7:23: error: 'workload.time_to_first_token': a bare number, but a time is "
            "expected; write its unit, for example \"500 ms\"\n");
}

TEST(SpecWorkload, PercentilesAreLimitsOfArrivals) {
  const Spec spec = good(tests::with(serving_spec, "[system]",
                                     "time_to_first_token_p99 = ['2 s', 'none']\n"
                                     "time_per_output_token_p90 = '40 ms'\nburstiness = [0, 4]\n"
                                     "[system]"));
  EXPECT_THAT(axis_of(spec, "time_to_first_token_p99_limit").values,
              ElementsAre(2.0, std::numeric_limits<double>::infinity()));
  EXPECT_THAT(axis_of(spec, "time_per_output_token_p90_limit").values, ElementsAre(0.04));
  EXPECT_THAT(axis_of(spec, "burstiness").values, ElementsAre(0.0, 4.0));
  EXPECT_THAT(
      varying_workload_axes(spec.axes),
      ElementsAre("burstiness", "time_to_first_token_limit", "time_to_first_token_p99_limit"));
  EXPECT_THAT(refused(tests::with(serving_spec, "[system]", "burstiness = -1\n[system]")),
              HasSubstr("burstiness must be at least 0, not -1\n"));
}

TEST(SpecWorkload, RequestsInFlightAreAQuestion) {
  const Spec spec = good(tests::with(serving_spec, "[system]", "concurrency = [16, 64]\n[system]"));
  EXPECT_THAT(axis_of(spec, "concurrency").values, ElementsAre(16.0, 64.0));
  EXPECT_THAT(varying_workload_axes(spec.axes),
              ElementsAre("concurrency", "time_to_first_token_limit"));
  EXPECT_THAT(refused(tests::with(serving_spec, "[system]", "concurrency = 0\n[system]")),
              HasSubstr("concurrency"));
  EXPECT_THAT(
      refused(tests::with(inference_spec, "output = 200\n", "output = 200\nconcurrency = 4\n")),
      HasSubstr("'concurrency' goes with kind = \"serving\", not \"inference\"; write batch\n"));
}

TEST(SpecWorkload, PercentilesNeedArrivals) {
  const std::string way_out =
      " goes with kind = \"serving\", not \"inference\"; without arrivals requests do not wait and "
      "are all alike; write kind = \"serving\"\n";
  for (const std::string key :
       {"time_to_first_token_p50", "time_to_first_token_p90", "time_to_first_token_p99",
        "time_per_output_token_p50", "time_per_output_token_p90", "time_per_output_token_p99"}) {
    EXPECT_EQ(refused(tests::with(inference_spec, "output = 200\n",
                                  "output = 200\n" + key + " = '1 s'\n")),
              fmt::format("a.toml:8:{}: error: '{}'{}", key.size() + 4, key, way_out));
  }
  EXPECT_EQ(
      refused(tests::with(inference_spec, "output = 200\n", "output = 200\nburstiness = 4\n")),
      "a.toml:8:14: error: 'burstiness'" + way_out);
}

TEST(SpecWorkload, ALoadCurveIsOverItsPeak) {
  const auto with = [](const std::string& lines) {
    return tests::with(serving_spec, "[system]", lines + "\n[system]");
  };
  const Spec spec = good(with("load_curve = [0.5, 0, 2]\nreplicas = ['fixed', 'given_back']"));
  EXPECT_THAT(spec.load_curve, ElementsAre(0.25, 0.0, 1.0));
  EXPECT_THAT(axis_of(spec, "replicas").labels, ElementsAre("fixed", "given_back"));
  EXPECT_THAT(good(with("load_curve = 3")).load_curve, ElementsAre(1.0));
  EXPECT_TRUE(good(std::string(serving_spec)).load_curve.empty());
}

TEST(SpecWorkload, ALoadCurveSaysWhatIsWrongWithIt) {
  const auto mistake = [](const std::string& lines) {
    return refused(tests::with(serving_spec, "[system]", lines + "\n[system]"));
  };
  EXPECT_THAT(mistake("load_curve = []"),
              HasSubstr("'load_curve' is an empty list; write how many requests arrive in equal "
                        "parts of the day, relative to each other, for example load_curve = [0.3, "
                        "0.2, 0.6, 1.0]\n"));
  EXPECT_THAT(mistake("load_curve = [1, -0.5]"),
              HasSubstr("error: a part of load_curve must be at least 0, not -0.5\n"));
  EXPECT_THAT(mistake("load_curve = [0, 0.0]"),
              HasSubstr("no requests arrive all day; at least one part of load_curve is above 0"));
  EXPECT_THAT(mistake("load_curve = [1, 'high']"),
              HasSubstr("'workload.load_curve' must be a number, not a string"));
  EXPECT_THAT(mistake("load_curve = 'day.csv'"),
              HasSubstr("load_curve is \"trace\" or a list of numbers, for example load_curve = "
                        "[0.3, 0.2, 0.6, 1.0], not \"day.csv\"\n"));
  EXPECT_THAT(mistake("load_curve = 'trace'"),
              HasSubstr("load_curve = \"trace\" goes with requests = \"trace.csv\"; or write how "
                        "many arrive in equal parts of the day"));
  EXPECT_THAT(mistake("replicas = 'fixed'"),
              HasSubstr("'replicas' goes with load_curve, for example load_curve = [0.3, 0.2, "
                        "0.6, 1]\n"));
  EXPECT_THAT(mistake("load_curve = 1\nreplicas = 'follow'"), HasSubstr("given_back"));
  for (const char* line : {"load_curve = [1]", "replicas = 'fixed'"}) {
    EXPECT_THAT(refused(tests::with(inference_spec, "output = 200\n",
                                    std::string("output = 200\n") + line + "\n")),
                HasSubstr(" goes with kind = \"serving\", not \"inference\"; without arrivals"));
  }
}

TEST(SpecWorkload, ShareOfPoolsNeedsPools) {
  const auto with = [](const std::string& batching) {
    return tests::with(serving_spec, "time_to_first_token",
                       batching + "prefill_share = 0.5\ntime_to_first_token");
  };
  const std::string text =
      "error: 'prefill_share' goes with batching = \"disaggregated\"; leave it out\n";
  EXPECT_EQ(refused(with("")), "a.toml:7:17: " + text);
  EXPECT_EQ(refused(with("batching = ['chunked', 'separate']\n")), "a.toml:8:17: " + text);
  good(with("batching = ['chunked', 'disaggregated']\n"));
}

TEST(SpecWorkload, KeysOfTrainingAreRefusedInStrategies) {
  EXPECT_EQ(refused(std::string(inference_spec) + "zero = 1\nrecompute = 'full'\n"),
            "a.toml:13:8: error: 'zero' is of training; with kind = \"inference\" leave it out\n"
            "a.toml:14:13: error: 'recompute' is of training; with kind = \"inference\" leave it "
            "out\n");
  EXPECT_EQ(refused(std::string(serving_spec) + "micro_batch = 1\n"),
            "a.toml:12:15: error: with kind = \"serving\" the batch is found, the largest within "
            "the limits; leave 'micro_batch' out\n");
}

TEST(SpecWorkload, PrecisionTablesHaveTheirOwnClasses) {
  const std::string table =
      "precision = { name = 'w4', weights = 'int4', cache = 'fp8', operands = 'fp16' }\n[system]";
  const Spec spec = good(tests::with(inference_spec, "[system]", table));
  ASSERT_EQ(spec.precisions.size(), 1U);
  EXPECT_EQ(spec.precisions.front().formats.size(), 3U);
  EXPECT_THAT(refused(tests::with(inference_spec, "[system]",
                                  "precision = { name = 'a', moments = 'bf16' }\n[system]")),
              HasSubstr("unknown key 'moments'"));
  EXPECT_THAT(refused(tests::with(inference_spec, "[system]",
                                  "precision = { weights = 'int4' }\n[system]")),
              HasSubstr("this precision needs a name, for example { name = \"w4a16\", weights = "
                        "\"int4\", operands = \"bf16\" }"));
}

TEST(SpecWorkload, OperatorsHaveColumnsWhereTheyAreAskedFor) {
  EXPECT_TRUE(good(std::string(inference_spec) + "[keep]\noperators = true\n").operators);
  EXPECT_FALSE(good(std::string(inference_spec)).operators);
  EXPECT_EQ(refused(std::string(serving_spec) + "[keep]\noperators = true\n"),
            "a.toml:13:13: error: columns of operators go with kind = \"inference\"; leave them "
            "out\n");
}

}  // namespace
}  // namespace scalesweep::space
