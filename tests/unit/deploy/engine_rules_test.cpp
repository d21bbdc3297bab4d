// What vLLM, SGLang and TensorRT-LLM refuse, and what they are told beside the plain options:
// conditions as their sources state them, written again here.
#include <gmock/gmock.h>

#include "deploy/rules/program_rules.hpp"
#include "deploy/rules/unrunnable.hpp"
#include "deployed.hpp"
#include "support/shipped_catalog.hpp"

namespace scalesweep::test {
namespace {

using deploy::Deployment;
using ::testing::HasSubstr;
using ::testing::Not;

std::string service(const std::string& model, const std::string& more, int devices,
                    const std::string& strategy) {
  return serving_spec(model, "prompt = 1000\noutput = 500\n" + more, devices, strategy);
}

bool is_refused(std::span<const deploy::Rule> rules, std::string_view version,
                const deploy::Subject& subject, const parallel::Strategy& strategy,
                std::string_view what) {
  for (const deploy::Refusal& one : deploy::rule_refusals(rules, version, subject)) {
    if (one.lack.find(what) != std::string::npos && deploy::refuses(one, strategy)) {
      return true;
    }
  }
  return false;
}

deploy::Subject in_blocks(const workload::TransformerModel& model) {
  deploy::Subject subject{model, shipped_catalog().device("h100-sxm")};
  subject.linear = technology::Precision::fp8;
  subject.experts = technology::Precision::fp8;
  subject.recipe = workload::Recipe::block;
  return subject;
}

parallel::Strategy cut(std::int32_t tensor) {
  parallel::Strategy strategy;
  strategy.tensor_parallel = tensor;
  return strategy;
}

// vllm/model_executor/layers/quantization/fp8.py:513 of be22bb6f and :534 of 017e9f44, SGLang's
// fp8.py:556 of a4a3d823 and :908 of 65d3b47f: intermediate_size_per_partition % block_n, of 128.
TEST(EngineRules, ExpertsInBlocks) {
  const std::vector<std::pair<const char*, int>> widths = {{"qwen3-30b-a3b", 768},
                                                           {"qwen3-235b-a22b", 1536},
                                                           {"minimax-m2", 1536},
                                                           {"deepseek-v3", 2048}};
  for (const auto& [name, width] : widths) {
    const workload::TransformerModel& model = shipped_catalog().model(name);
    const deploy::Subject subject = in_blocks(model);
    for (std::int32_t tensor = 1; tensor <= 32; tensor *= 2) {
      const std::int64_t part = width / tensor;
      for (const char* version : {"0.11", "0.19", "0.22", "main-2026-08-17"}) {
        EXPECT_EQ(is_refused(deploy::vllm_rules(), version, subject, cut(tensor), "experts in fp8"),
                  part % 128 != 0)
            << name << tensor << version;
      }
      for (const char* version : {"0.5.3", "0.5.6.post2", "main-2026-06-08"}) {
        EXPECT_EQ(
            is_refused(deploy::sglang_rules(), version, subject, cut(tensor), "experts in fp8"),
            part % 128 != 0)
            << name << tensor << version;
      }
      parallel::Strategy whole = cut(tensor);
      whole.expert_parallel = 32;
      whole.experts_over_tensor = true;
      EXPECT_FALSE(is_refused(deploy::vllm_rules(), "0.22", subject, whole, "experts in fp8"));
      deploy::Subject by_tensor = subject;
      by_tensor.recipe = workload::Recipe::current;
      EXPECT_FALSE(
          is_refused(deploy::vllm_rules(), "0.22", by_tensor, cut(tensor), "experts in fp8"));
    }
  }
}

// vllm/model_executor/layers/quantization/utils/fp8_utils.py:761 and 778 of be22bb6f, SGLang's
// fp8.py:252 and 263 of a4a3d823: parts of inputs % block_k, of outputs % block_n.
TEST(EngineRules, LinearLayersInBlocks) {
  struct Widths {
    const char* name;
    int heads;
    int keys;
    int head;
    int mlp;
  };
  for (const auto& [name, query_heads, key_heads, head, mlp] :
       std::initializer_list<Widths>{{"llama-3-70b", 64, 8, 128, 28672},
                                     {"qwen2.5-72b", 64, 8, 128, 29568},
                                     {"llama-3-8b", 32, 8, 128, 14336},
                                     {"qwen3-8b", 32, 8, 128, 12288}}) {
    const workload::TransformerModel& model = shipped_catalog().model(name);
    for (std::int32_t tensor = 1; tensor <= 16; tensor *= 2) {
      const std::int64_t heads = query_heads / tensor * head;
      const std::int64_t keys = std::max(1, key_heads / tensor) * head;
      const bool bad = tensor > 1 && (heads % 128 != 0 || keys % 128 != 0);
      for (const auto& rules : {deploy::vllm_rules(), deploy::sglang_rules()}) {
        EXPECT_EQ(is_refused(rules, "0.5.3", in_blocks(model), cut(tensor), "heads in fp8"), bad)
            << name << tensor;
        EXPECT_EQ(is_refused(rules, "0.5.3", in_blocks(model), cut(tensor), "an MLP in fp8"),
                  mlp / tensor % 128 != 0)
            << name << tensor;
      }
    }
  }
  // Heads of 64: two of keys are a block, one is none.
  const workload::TransformerModel& narrow = shipped_catalog().model("gpt-oss-20b");
  EXPECT_FALSE(is_refused(deploy::vllm_rules(), "0.22", in_blocks(narrow), cut(4), "heads in fp8"));
  EXPECT_TRUE(is_refused(deploy::vllm_rules(), "0.22", in_blocks(narrow), cut(8), "heads in fp8"));
}

// fused_moe/layer.py:1019 of be22bb6f: (experts + redundant) % ep_size; SGLang's
// eplb/expert_location.py:197 of a4a3d823; llm_args.py:372 of 5978a465: num_slots % ep_size.
TEST(EngineRules, CopiesOfExperts) {
  const workload::TransformerModel& model = shipped_catalog().model("deepseek-v3");
  const deploy::Subject subject{model, shipped_catalog().device("h200-sxm")};
  for (const std::int32_t ranks : {8, 16, 24, 32}) {
    for (const std::int32_t copies : {8, 16, 32}) {
      parallel::Strategy strategy;
      strategy.data_parallel = ranks;
      strategy.expert_parallel = ranks;
      strategy.redundant_experts = copies;
      const bool bad = (256 + copies) % ranks != 0;
      EXPECT_EQ(is_refused(deploy::vllm_rules(), "0.22", subject, strategy, "redundant ones"), bad);
      EXPECT_EQ(is_refused(deploy::sglang_rules(), "0.5.3", subject, strategy, "redundant ones"),
                bad);
      EXPECT_EQ(
          is_refused(deploy::tensorrt_llm_rules(), "1.3.0rc3", subject, strategy, "redundant ones"),
          bad);
    }
  }
  // _torch/modules/fused_moe/interface.py:329 of 5978a465.
  parallel::Strategy one = cut(8);
  one.expert_parallel = 8;
  one.experts_over_tensor = true;
  one.redundant_experts = 8;
  EXPECT_TRUE(is_refused(deploy::tensorrt_llm_rules(), "1.3.0rc3", subject, one,
                         "without data-parallel attention"));
  // vllm/config/parallel.py:423 of be22bb6f is_cuda, :364 of 2a69949b is_cuda_alike.
  const deploy::Subject amd{model, shipped_catalog().device("mi300x")};
  EXPECT_TRUE(is_refused(deploy::vllm_rules(), "0.11", amd, one, "without CUDA"));
  EXPECT_FALSE(is_refused(deploy::vllm_rules(), "0.22", amd, one, "without CUDA"));
}

// vllm/config/model.py:1148 of 2a69949b; gpu_model_runner.py:4117 of be22bb6f: grouped queries
// cannot at all.
TEST(EngineRules, SharedCachesOfVllm) {
  const workload::TransformerModel& grouped = shipped_catalog().model("llama-3-70b");
  const workload::TransformerModel& latent = shipped_catalog().model("deepseek-v3");
  const technology::Device& device = shipped_catalog().device("h200-sxm");
  parallel::Strategy strategy = cut(16);
  strategy.decode_context_parallel = 2;
  EXPECT_TRUE(is_refused(deploy::vllm_rules(), "0.11", {grouped, device}, strategy, "latent"));
  EXPECT_FALSE(is_refused(deploy::vllm_rules(), "0.11", {latent, device}, strategy, "latent"));
  EXPECT_FALSE(is_refused(deploy::vllm_rules(), "0.22", {grouped, device}, strategy, "latent"));
  for (const std::int32_t ranks : {2, 3, 8}) {
    strategy.decode_context_parallel = ranks;
    EXPECT_EQ(is_refused(deploy::vllm_rules(), "0.22", {grouped, device}, strategy, "query heads"),
              64 / 8 % ranks != 0);
  }
}

// vllm/model_executor/layers/quantization/__init__.py:9 of be22bb6f; --quantization of SGLang.
TEST(EngineRules, FormatsThatOlderVersionsLack) {
  const workload::TransformerModel& model = shipped_catalog().model("llama-3-8b");
  deploy::Subject subject{model, shipped_catalog().device("b200-sxm")};
  subject.linear = technology::Precision::mxfp8;
  EXPECT_TRUE(is_refused(deploy::vllm_rules(), "0.11", subject, {}, "mxfp8"));
  EXPECT_FALSE(is_refused(deploy::vllm_rules(), "0.19", subject, {}, "mxfp8"));
  EXPECT_TRUE(is_refused(deploy::sglang_rules(), "0.5.6.post2", subject, {}, "mxfp8"));
  EXPECT_FALSE(is_refused(deploy::sglang_rules(), "main-2026-06-08", subject, {}, "mxfp8"));
}

const std::string drafts = "draft = 3\nacceptance = 0.7\ndraft_model = ";

// vllm/config/speculative.py:33 and 349 of be22bb6f; llm_args.py:3144 of 5978a465 asserts a model;
// SGLang takes the model's own checkpoint for those with such layers alone (server_args.py:1081 of
// a4a3d823).
TEST(Drafts, HeadsHaveACheckpoint) {
  const std::string spec = service("llama-3-70b", drafts + "\"eagle\"", 16, "tensor_parallel = 8");
  const Deployment vllm = deployed(spec, "vllm@0.11");
  ASSERT_TRUE(vllm.can_run()) << all_of(vllm.problems);
  EXPECT_EQ(flag(vllm, "--speculative-config.method"), "eagle");
  EXPECT_THAT(vllm.command, HasSubstr("--speculative-config.model \"$DRAFT_MODEL\""));
  const Deployment sglang = deployed(spec, "sglang");
  EXPECT_EQ(flag(sglang, "--speculative-algorithm"), "EAGLE");
  EXPECT_EQ(flag(sglang, "--speculative-draft-model-path"), "$DRAFT_MODEL");
  const Deployment trt = deployed(spec, "tensorrt-llm");
  EXPECT_EQ(flag(trt, "speculative_config.decoding_type"), "Eagle3");
  EXPECT_EQ(flag(trt, "speculative_config.speculative_model"), "DRAFT_MODEL");
  EXPECT_EQ(flag(trt, "speculative_config.num_nextn_predict_layers"), "(absent)");
}

TEST(Drafts, LayersOfTheModelHaveNone) {
  const std::string spec = service("deepseek-v3", "precision = \"fp8\"\n" + drafts + "\"mtp\"", 16,
                                   "tensor_parallel = 16");
  const Deployment vllm = deployed(spec, "vllm");
  ASSERT_TRUE(vllm.can_run()) << all_of(vllm.problems);
  EXPECT_EQ(flag(vllm, "--speculative-config.method"), "mtp");
  EXPECT_EQ(flag(vllm, "--speculative-config.model"), "(absent)");
  const Deployment trt = deployed(spec, "tensorrt-llm");
  EXPECT_EQ(flag(trt, "speculative_config.decoding_type"), "MTP");
  EXPECT_EQ(flag(trt, "speculative_config.num_nextn_predict_layers"), "3");
}

// NotImplementedError to 4a5299c9 of 2026-01-19.
TEST(Drafts, ModelsOfTheirOwnByVersion) {
  const std::string spec =
      service("llama-3-70b", drafts + "\"llama-3-8b\"", 16, "tensor_parallel = 8");
  EXPECT_THAT(
      all_of(deployed(spec, "vllm@0.11").problems),
      HasSubstr("vLLM 0.11 refuses draft models of their own (vllm/config/speculative.py:349 "
                "of be22bb6f, NotImplementedError): take --for vllm@0.19 or later"));
  const Deployment later = deployed(spec, "vllm@0.19");
  ASSERT_TRUE(later.can_run()) << all_of(later.problems);
  EXPECT_EQ(later.version, "0.19");
  EXPECT_EQ(flag(later, "--speculative-config.method"), "draft_model");
  EXPECT_THAT(later.command, Not(HasSubstr("llama-3-8b")));
}

// llm_args.py:3146 of 5978a465: max_matching_ngram_size > 0.
TEST(Drafts, OfTheTextOfThePrompt) {
  const Deployment made =
      deployed(service("llama-3-70b", "draft = 3\nacceptance = 0.7", 16, "tensor_parallel = 8"),
               "tensorrt-llm");
  EXPECT_EQ(flag(made, "speculative_config.max_matching_ngram_size"), "3");
}

// Ray's placement takes --data-parallel-size-local engines of the first server
// (vllm/v1/engine/utils.py:347 of be22bb6f); --nnodes tells the rest later (arg_utils.py:1828 of
// ab7521d7).
TEST(Servers, OfVllmNeedNoRay) {
  const std::string spec = service("deepseek-v3", "precision = \"fp8\"", 16,
                                   "tensor_parallel = 1\nexpert_parallel = 16");
  const Deployment old = deployed(spec, "vllm@0.11");
  ASSERT_TRUE(old.can_run()) << all_of(old.problems);
  EXPECT_EQ(flag(old, "--data-parallel-size"), "16");
  EXPECT_EQ(flag(old, "--data-parallel-size-local"), "8");
  EXPECT_THAT(old.command, HasSubstr("--data-parallel-start-rank \"$((8 * NODE_RANK))\""));
  EXPECT_THAT(old.command, HasSubstr("--data-parallel-address \"${HEAD_ADDRESS%:*}\""));
  EXPECT_THAT(old.command, Not(HasSubstr("ray")));
  const Deployment later = deployed(spec, "vllm@0.22");
  EXPECT_EQ(flag(later, "--nnodes"), "2");
  EXPECT_EQ(flag(later, "--node-rank"), "$NODE_RANK");
  EXPECT_EQ(flag(later, "--data-parallel-size-local"), "(absent)");
}

TEST(Servers, ListenToOthers) {
  for (const char* target : {"vllm", "sglang", "tensorrt-llm"}) {
    const Deployment made = deployed(service("llama-3-8b", "", 1, "tensor_parallel = 1"), target);
    EXPECT_EQ(flag(made, "--host"), "0.0.0.0") << target;
    EXPECT_EQ(flag(made, "--port"), "${PORT:-8000}") << target;
  }
}

// vllm/config/lora.py:104 of be22bb6f; server_args.py:3028 of a4a3d823; _util.py:775 of 5978a465.
TEST(Adapters, HaveWhatEnginesAskFor) {
  const auto made = [](int rank, const char* target) {
    return deployed(service("llama-3-8b", "adapters = 8\nadapter_rank = " + std::to_string(rank), 2,
                            "tensor_parallel = 2"),
                    target);
  };
  EXPECT_EQ(flag(made(24, "vllm"), "--max-lora-rank"), "32");
  EXPECT_EQ(flag(made(300, "vllm@0.11"), "--max-lora-rank"), "320");
  EXPECT_THAT(all_of(made(600, "vllm").problems), HasSubstr("the largest --max-lora-rank is 512"));
  const Deployment sglang = made(24, "sglang");
  EXPECT_EQ(flag(sglang, "--enable-lora"), "");
  EXPECT_EQ(flag(sglang, "--lora-target-modules"), "all");
  EXPECT_THAT(file(made(24, "tensorrt-llm"), "serve.yaml"), HasSubstr("lora_target_modules"));
}

// server_args.py:1079 of a4a3d823: prompts go apart unless mixed; vLLM has both always.
TEST(Batching, IsSaid) {
  const auto made = [](const char* batching, const char* target) {
    return deployed(service("llama-3-70b", std::string("batching = \"") + batching + "\"", 8,
                            "tensor_parallel = 8"),
                    target);
  };
  EXPECT_EQ(flag(made("chunked", "sglang"), "--enable-mixed-chunk"), "");
  EXPECT_EQ(flag(made("separate", "sglang"), "--enable-mixed-chunk"), "(absent)");
  EXPECT_THAT(all_of(made("separate", "vllm").notes),
              HasSubstr("vLLM has prompts and decoding in the same iterations"));
  EXPECT_THAT(all_of(made("chunked", "vllm").notes), Not(HasSubstr("in the same iterations")));
}

// vllm/v1/kv_offload/cpu.py:25 of be22bb6f; config/cache.py:144 of 2a69949b; server_args.py:2292 of
// a4a3d823; llm_args.py:1704 of 5978a465.
TEST(Prefixes, OfTheHost) {
  const std::string spec =
      service("llama-3-70b", "concurrency = 64\nprefix_hits_host = 0.3", 16, "tensor_parallel = 8");
  EXPECT_THAT(flag(deployed(spec, "vllm@0.11"), "--kv-transfer-config"),
              HasSubstr("OffloadingConnector\", \"kv_role\": \"kv_both\", "
                        "\"kv_connector_extra_config\": {\"num_cpu_blocks\": "));
  const Deployment vllm = deployed(spec, "vllm@0.19");
  EXPECT_EQ(flag(vllm, "--kv-transfer-config"), "(absent)");
  EXPECT_NEAR(std::stod(flag(vllm, "--kv-offloading-size")), 8 * 80e9 / (1 << 30), 60.0);
  const Deployment sglang = deployed(spec, "sglang");
  EXPECT_EQ(flag(sglang, "--enable-hierarchical-cache"), "");
  EXPECT_THAT(file(deployed(spec, "tensorrt-llm"), "serve.yaml"), HasSubstr("host_cache_size: "));
}

// llm_args.py:3445 of 5978a465 merges both; before, the file's table replaced the option.
TEST(Files, HoldTheShareOfMemory) {
  const Deployment made =
      deployed(service("llama-3-8b", "", 1, "tensor_parallel = 1"), "tensorrt-llm");
  EXPECT_THAT(file(made, "serve.yaml"), HasSubstr("free_gpu_memory_fraction: 0.9"));
  EXPECT_THAT(made.command, Not(HasSubstr("fraction")));
}

TEST(Checkpoints, OfFourBitsAreNotCalledFp4) {
  const Deployment made =
      deployed(service("llama-3-70b", "precision = { name = \"w\", weights = \"int4\" }", 8,
                       "tensor_parallel = 8"),
               "vllm");
  EXPECT_THAT(all_of(made.notes), HasSubstr("weights in int4 (or another format of 4 bits)"));
}

// A study that names no framework is held against the scales of the target's own: vLLM's are of
// blocks of 128, which 768 / 4 = 192 are no multiple of
// (vllm/model_executor/layers/quantization/fp8.py, "not divisible by weight quantization block_n").
TEST(Rules, ScalesAreThoseOfTheTarget) {
  const Deployment made = deployed(
      "schema = 1\ntitle = \"One point\"\n[workload]\nkind = \"serving\"\nmodel = "
      "\"qwen3-30b-a3b\"\nprompt = 2000\noutput = 500\nprecision = \"fp8\"\n[system]\naccelerators "
      "= "
      "8\ndevice = \"h100-sxm\"\n[strategy]\npipeline_parallel = 1\ntensor_parallel = 4\n",
      "vllm");
  EXPECT_THAT(all_of(made.problems), HasSubstr("vllm main-2026-08-17 refuses experts"));
}

}  // namespace
}  // namespace scalesweep::test
