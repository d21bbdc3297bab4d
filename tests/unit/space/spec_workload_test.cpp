// The [workload] and [strategy] tables of inference and serving.
#include "space/read/spec_workload.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "parallel/fields.hpp"
#include "space/axes/workload_axes.hpp"
#include "space/model_shape.hpp"
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

TEST(Axes, TechnologiesFollowEachOtherAndDevicesDoNot) {
  for (const char* name : {"logic", "memory", "scale_up", "scale_out"}) {
    EXPECT_TRUE(has_order(name)) << name;
  }
  for (const char* name : {"device", "model", "framework", "economics", "recompute", "nothing"}) {
    EXPECT_FALSE(has_order(name)) << name;
  }
  EXPECT_TRUE(is_workload_axis("economics")) << "an assumption is asked, not chosen";
  EXPECT_TRUE(is_workload_axis("energy_price"));
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
