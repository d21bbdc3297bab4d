// What engines say of memory in their sources, held against what they log.
#include <gmock/gmock.h>

#include <cmath>

#include "deploy/memory/engines.hpp"
#include "deployed.hpp"

namespace scalesweep::test {
namespace {

using deploy::CacheLayers;
using deploy::Deployment;
using deploy::MemoryCheck;
using ::testing::HasSubstr;

constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;

std::string spec(const std::string& model, const std::string& device, const std::string& workload,
                 int accelerators = 1, const std::string& strategy = "tensor_parallel = 1") {
  return "schema = 1\ntitle = \"One point\"\n[workload]\nkind = \"serving\"\nmodel = \"" + model +
         "\"\n" + workload + "\n[system]\naccelerators = " + std::to_string(accelerators) +
         "\ndevice = \"" + device + "\"\n[strategy]\npipeline_parallel = 1\n" + strategy + "\n";
}

MemoryCheck memory_of(const std::string& text, std::string_view target) {
  const Deployment made = deployed(text, target);
  EXPECT_TRUE(made.can_run()) << all_of(made.problems);
  return made.memory.empty() ? MemoryCheck{} : made.memory.front();
}

// SGLang 65d3b47f, .claude/skills/clean-startup-log/SKILL.md:257: Qwen3-8B on one GB300 with chunks
// of 16,384 tokens and graphs of 52 sizes up to 512 holds 1,707,904 tokens: 260.48 GB less what
// keys and values take, 234.56, of 275.75 are a share of 0.906. Graphs take 0.60 GB.
TEST(EngineMemory, OfSglangIsWhatItLogs) {
  const MemoryCheck check =
      memory_of(spec("qwen3-8b", "gb300",
                     "prompt = 2000\noutput = 500\nprefill_chunk = 16384\nconcurrency = 512\n"
                     "framework = \"sglang\"\nbatching = \"separate\""),
                "sglang@main");
  EXPECT_NEAR(check.default_share, 0.906, 0.004);
  EXPECT_NEAR(check.tokens_that_fit / 1707904.0, 1.0, 0.05) << check.text;
  EXPECT_EQ(check.graph_sizes, 52);
  EXPECT_NEAR(check.graphs_bytes / (0.60 * gibibyte), 1.0, 0.05);
}

// A start of vLLM 0.19.0 with gpt-oss-20b on one A100 of 80 GB, --max-model-len 131072 and
// --gpu-memory-utilization 0.65, published 2026-04-18
// (https://myoceane.fr/index.php/ai-vllm-a100-gemma-4/): weights take 13.72 GiB, and 36.56 GiB are
// left for the cache.
TEST(EngineMemory, OfVllmIsWhatItLogs) {
  const MemoryCheck check =
      memory_of(spec("gpt-oss-20b", "a100-sxm-80gb",
                     "prompt = 2000\noutput = 500\nprefill_chunk = 2048\nconcurrency = 256\n"
                     "precision = { name = \"gpt\", checkpoint = \"mxfp4\" }\n"
                     "framework = \"vllm\""),
                "vllm@0.22");
  const double at_its_share = check.budget_bytes + (0.65 - check.share) * check.device_bytes;
  EXPECT_NEAR(check.weights_bytes / (13.72 * gibibyte), 1.0, 0.02);
  EXPECT_NEAR(at_its_share / (36.56 * gibibyte), 1.0, 0.05) << check.text;
}

TEST(EngineMemory, DefaultsAreThoseOfTheVersion) {
  const std::string text = spec("qwen3-8b", "h100-sxm",
                                "prompt = 2000\noutput = 500\nconcurrency = 64\nframework = "
                                "\"vllm\"");
  EXPECT_DOUBLE_EQ(memory_of(text, "vllm@0.11").default_share, 0.9);  // config/cache.py:43
  EXPECT_DOUBLE_EQ(memory_of(text, "vllm@0.22").default_share, 0.92);
  EXPECT_DOUBLE_EQ(memory_of(text, "tensorrt-llm").default_share, 0.9);
  // 10 GiB are set aside at least on devices of more than 60: server_args.py:660 of a4a3d823.
  EXPECT_NEAR(memory_of(text, "sglang@0.5.3").default_share, 1.0 - 16.0 / 80.0, 0.08);
}

// A device of 80 GiB, chunks of 8,192 tokens and TP8 with attention of 8 replicas, each 64 at a
// time: 512 + 12,288 + 128 + 1,024 + 64 x 8 x 3 MiB of 81,920 (server_args.py:638 of a4a3d823).
TEST(EngineMemory, ShareOfSglangFollowsItsReserve) {
  const MemoryCheck check = memory_of(
      spec("qwen3-30b-a3b", "h100-sxm",
           "prompt = 2000\noutput = 500\nprefill_chunk = 1024\nconcurrency = 512\nframework = "
           "\"sglang\"\nbatching = \"separate\"",
           8, "tensor_parallel = 1\nexpert_parallel = 8"),
      "sglang@0.5.3");
  const double reserved = 512.0 + 12288.0 + 128.0 + 1024.0 + 1536.0;
  EXPECT_NEAR(check.default_share, 1.0 - reserved / 81920.0, 0.002);
}

// A batch that fills memory leaves a little less room in an engine than in the estimate: the engine
// is told what fits, not refused.
TEST(EngineMemory, OfAFullBatchTheEngineIsToldWhatFits) {
  const Deployment made =
      deployed(spec("qwen3-8b", "h100-sxm",
                    "prompt = 500\noutput = 100\nconcurrency = 40000\nframework = \"vllm\"", 2,
                    "tensor_parallel = 2"),
               "vllm@0.11");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_THAT(all_of(made.notes), HasSubstr("fit, and it is told so: "));
  EXPECT_EQ(flag(made, "--max-num-seqs"),
            std::to_string(static_cast<int>(made.memory.front().sequences)));
}

deploy::ServingRun run_of(const study::Study& study, const study::Point& point,
                          std::string_view version, std::int64_t sequences) {
  const auto& job = study::work_of<estimator::ServingJob>(point.job);
  deploy::ServingRun run{job.inference, *point.system.system, point.strategy};
  run.version = version;
  run.sequences = sequences;
  run.chunk = 8192;
  static_cast<void>(study);
  return run;
}

// vllm/config/vllm.py:586 of be22bb6f, 1872 of 017e9f44; server_args.py:695 of a4a3d823;
// llm_args.py:147 of 5978a465.
TEST(Graphs, AreOfTheSizesThatEnginesCapture) {
  const study::Study study =
      load_good(spec("qwen3-8b", "h100-sxm", "prompt = 2000\noutput = 500\nframework = \"vllm\""));
  const study::Point point = study.point_at(0);
  const auto vllm = [&](std::string_view version, std::int64_t sequences) {
    return deploy::vllm_graph_sizes(run_of(study, point, version, sequences));
  };
  EXPECT_EQ(vllm("0.11", 512).size(), 67U);  // 1, 2, 4, then 8 to 512
  EXPECT_EQ(vllm("0.22", 512).size(), 51U);  // of 16 from 256 on
  EXPECT_EQ(vllm("0.22", 512).back(), 512);
  EXPECT_EQ(vllm("0.22", 2206).back(), 2208);  // as the launch says
  EXPECT_EQ(vllm("0.22", 20), (std::vector<std::int64_t>{1, 2, 4, 8, 16, 24, 32, 40}));
  const auto sglang = deploy::sglang_graph_sizes(run_of(study, point, "0.5.3", 600));
  EXPECT_EQ(sglang.size(), 5U + 31U + 15U + 3U);
  EXPECT_EQ(sglang.back(), 576);
  EXPECT_EQ(deploy::sglang_graph_sizes(run_of(study, point, "main-2026-06-08", 600)).back(), 600);
  const auto trt = deploy::tensorrt_llm_graph_sizes(run_of(study, point, "1.3.0rc3", 600));
  EXPECT_EQ(trt.size(), 3U + 16U + 2U + 1U);  // 1, 2, 4, 8 to 128, 256, 512, 600
}

CacheLayers layers(std::int64_t whole, std::int64_t local, std::int64_t linear) {
  return {.whole = whole,
          .local = local,
          .linear = linear,
          .window = 1024,
          .token_bytes = 2048.0,
          .state_bytes = 1.0e6};
}

// kv_cache_utils.py:1106 of 017e9f44: of 10 layers that attend to all and 52 with a window there
// are one and six groups of 10, the last of which has 8 that hold nothing.
TEST(HybridCaches, OfVllmAreGroupsOfAsManyLayers) {
  EXPECT_DOUBLE_EQ(deploy::vllm_pages_ratio(layers(36, 0, 0), 2500.0, false, true), 1.0);
  const double pages = std::ceil(4000.0 / 16.0);
  const double window = 1024.0 / 16.0 + 1.0;
  EXPECT_DOUBLE_EQ(deploy::vllm_pages_ratio(layers(10, 52, 0), 4000.0, false, true),
                   (10.0 * pages + 60.0 * window) * 16.0 / (10.0 * 4000.0 + 52.0 * 1024.0));
  // 12 and 13 count as alike: 13 each.
  EXPECT_DOUBLE_EQ(deploy::vllm_pages_ratio(layers(12, 13, 0), 4000.0, false, true),
                   13.0 * (pages + window) * 16.0 / (12.0 * 4000.0 + 13.0 * 1024.0));
  // 12 and 16 since 0.18 (891c60dc), two groups of 12 for 16 before.
  const double held = 12.0 * 4000.0 + 16.0 * 1024.0;
  EXPECT_DOUBLE_EQ(deploy::vllm_pages_ratio(layers(12, 16, 0), 4000.0, false, true),
                   16.0 * (pages + window) * 16.0 / held);
  EXPECT_DOUBLE_EQ(deploy::vllm_pages_ratio(layers(12, 16, 0), 4000.0, false, false),
                   (12.0 * pages + 24.0 * window) * 16.0 / held);
}

// interface.py:893 of 017e9f44: pages of 16 tokens until a state of 1 MB fits, 496.
TEST(HybridCaches, PagesOfVllmHoldAState) {
  const double page = 16.0 * std::ceil(1.0e6 / (16.0 * 2048.0));
  EXPECT_DOUBLE_EQ(page, 496.0);
  EXPECT_DOUBLE_EQ(deploy::vllm_pages_ratio(layers(12, 0, 36), 4000.0, false, true),
                   (12.0 * std::ceil(4000.0 / page) + 36.0) * page * 2048.0 /
                       (12.0 * 4000.0 * 2048.0 + 36.0 * 1.0e6));
}

// pool_configurator.py:243 of 65d3b47f: a pool of layers with a window holds 0.8 times the tokens.
TEST(HybridCaches, OfSglangAreTwoPools) {
  EXPECT_DOUBLE_EQ(deploy::sglang_pools_ratio(layers(10, 52, 0), 4000.0, false),
                   (10.0 + 0.8 * 52.0) * 4000.0 / (10.0 * 4000.0 + 52.0 * 1024.0));
  // States of as many requests as there are, or three of each beside 0.9 of keys and values.
  EXPECT_DOUBLE_EQ(deploy::sglang_pools_ratio(layers(12, 0, 36), 4000.0, false), 1.0);
  EXPECT_DOUBLE_EQ(deploy::sglang_pools_ratio(layers(12, 0, 36), 4000.0, true),
                   3.0 * 36.0e6 * 1.9 / 0.9 / (12.0 * 4000.0 * 2048.0 + 36.0e6));
}

TEST(HybridCaches, AreTold) {
  const MemoryCheck check = memory_of(spec("gemma-3-27b", "h100-sxm",
                                           "prompt = 8000\noutput = 500\nconcurrency = "
                                           "4\nframework = \"sglang\"\nbatching = \"separate\"",
                                           2, "tensor_parallel = 2"),
                                      "sglang@main");
  EXPECT_GT(check.held_ratio, 1.5);
  EXPECT_THAT(check.text, HasSubstr("times what the layers of this model keep of a request"));
}

}  // namespace
}  // namespace scalesweep::test
