// What published recipes of the programs have and a launch needs too, each with the line of the
// program that asks for it.
#include <gmock/gmock.h>

#include "deployed.hpp"

namespace scalesweep::test {
namespace {

using deploy::Deployment;
using ::testing::HasSubstr;
using ::testing::Not;

std::string training(const std::string& model, const std::string& device, int devices,
                     const std::string& strategy, const std::string& more = "") {
  return "schema = 1\ntitle = \"One point\"\n[workload]\nkind = \"training\"\nmodel = \"" + model +
         "\"\nsequence = 4096\nglobal_batch = 256\n" + more +
         "\n[system]\naccelerators = " + std::to_string(devices) + "\ndevice = \"" + device +
         "\"\n[strategy]\n" + strategy + "\ncontext_parallel = 1\nchunks = 1\nmicro_batch = 1\n";
}

std::string service(const std::string& model, const std::string& device, int devices,
                    const std::string& strategy, const std::string& more = "") {
  return "schema = 1\ntitle = \"One point\"\n[workload]\nkind = \"serving\"\nmodel = \"" + model +
         "\"\nprompt = 500\noutput = 500\nconcurrency = 64\n" + more +
         "\n[system]\naccelerators = " + std::to_string(devices) + "\ndevice = \"" + device +
         "\"\n[strategy]\npipeline_parallel = 1\n" + strategy + "\n";
}

// parallel/tensor_parallel/nn.py:80 of 2411b022 asserts it with tensor parallelism.
TEST(Recipes, NanotronHasOneConnection) {
  const std::string layout =
      "pipeline_parallel = 1\nzero = 0\nrecompute = \"none\"\nsequence_parallel = true\n";
  const std::string cut = training("llama-3-8b", "h100-sxm", 8, layout + "tensor_parallel = 4");
  for (const char* version : {"nanotron@0.5", "nanotron@main"}) {
    const Deployment made = deployed(cut, version);
    ASSERT_TRUE(made.can_run()) << all_of(made.problems);
    EXPECT_EQ(flag(made, "CUDA_DEVICE_MAX_CONNECTIONS"), "1");
    EXPECT_TRUE(made.command.starts_with("CUDA_DEVICE_MAX_CONNECTIONS=1 torchrun"));
  }
}

// vllm/tokenizers/hf.py:213 of 017e9f44; llmapi/llm_args.py:1992 of TensorRT-LLM 5978a465.
TEST(Recipes, TokenizersThatAreCodeAreTrusted) {
  const std::string spec =
      service("kimi-k2", "h200-sxm", 16, "tensor_parallel = 16", "precision = \"fp8\"");
  EXPECT_EQ(flag(deployed(spec, "vllm"), "--trust-remote-code"), "");
  EXPECT_EQ(flag(deployed(spec, "sglang"), "--trust-remote-code"), "");
  EXPECT_EQ(flag(deployed(spec, "tensorrt-llm"), "trust_remote_code"), "true");
  const std::string llama = service("llama-3-8b", "h200-sxm", 1, "tensor_parallel = 1");
  EXPECT_EQ(flag(deployed(llama, "vllm"), "--trust-remote-code"), "(absent)");
}

// models/deepseek_v2.py:1930 and :654 of 65d3b47f: 18,432 / 32 and 2,048 / 32 are no whole blocks.
TEST(Recipes, SglangKeepsWhatBlocksDoNotDivideWhole) {
  const auto spec = [](int ranks) {
    return service("deepseek-v3", "h200-sxm", ranks,
                   "tensor_parallel = 1\nexpert_parallel = " + std::to_string(ranks),
                   "precision = \"fp8\"\nframework = \"sglang\"\nbatching = \"separate\"");
  };
  const Deployment wide = deployed(spec(32), "sglang@main");
  ASSERT_TRUE(wide.can_run()) << all_of(wide.problems);
  EXPECT_EQ(flag(wide, "--moe-dense-tp-size"), "1");
  EXPECT_EQ(flag(wide, "SGLANG_SHARED_EXPERT_TP1"), "1");
  EXPECT_THAT(all_of(deployed(spec(32), "sglang@0.5.3").problems),
              HasSubstr("sglang 0.5.3 cuts the expert that all tokens share over 32 ranks"));
  EXPECT_EQ(flag(deployed(spec(16), "sglang@main"), "--moe-dense-tp-size"), "(absent)");
}

// megatron/training/training.py:938 of 5cb6dbb3; utils/overrides.py:105 of Bridge 51885cf1.
TEST(Recipes, WholeModelsAreNotBuiltOnEachDevice) {
  const std::string layout =
      "tensor_parallel = 1\npipeline_parallel = 1\nrecompute = \"full\"\nsequence_parallel = "
      "false\nzero = ";
  const std::string sharded = training("llama-3-70b", "h100-sxm", 64, layout + "3");
  for (const char* version : {"megatron-lm@0.12", "megatron-lm@0.15", "megatron-lm@main"}) {
    EXPECT_EQ(flag(deployed(sharded, version), "--init-model-with-meta-device"), "") << version;
  }
  EXPECT_EQ(flag(deployed(sharded, "megatron-bridge"), "model.init_model_with_meta_device="),
            "true");
}

// module/base.py:657 of Transformer Engine d0067d0d takes no quantizers of blocks there.
TEST(Recipes, BlocksHaveNoUserBuffers) {
  const auto made = [](const char* recipe) {
    return deployed(
        training("llama-3-8b", "h100-sxm", 16,
                 "tensor_parallel = 2\npipeline_parallel = 1\nrecompute = \"full\"\nzero = "
                 "1\nsequence_parallel = true",
                 std::string("framework = \"megatron-bridge\"\nprecision = { name = \"x\", linear "
                             "= \"fp8\", recipe = \"") +
                     recipe + "\" }"),
        "megatron-lm");
  };
  EXPECT_EQ(flag(made("current"), "--tp-comm-overlap"), "");
  EXPECT_EQ(flag(made("block"), "--tp-comm-overlap"), "(absent)");
}

// models/deepseek/deepseek_v3_bridge.py:62 of Megatron-Bridge 51885cf1 sets it.
TEST(Recipes, QueriesAndKeysHaveTheirNorms) {
  const std::string layout =
      "tensor_parallel = 1\npipeline_parallel = 1\nrecompute = \"full\"\nsequence_parallel = "
      "false\nzero = 1";
  EXPECT_EQ(
      flag(deployed(training("qwen3-8b", "h100-sxm", 16, layout), "megatron-lm"), "--qk-layernorm"),
      "");
  EXPECT_EQ(flag(deployed(training("llama-3-8b", "h100-sxm", 16, layout), "megatron-lm"),
                 "--qk-layernorm"),
            "(absent)");
}

// max_utils.py:319 of MaxText e591f30c; layers/moe.py:1521 interprets the kernel of TPUs elsewhere.
TEST(Recipes, MaxtextIsToldOfItsServers) {
  const Deployment made = deployed(
      training("mixtral-8x7b", "h100-sxm", 64,
               "tensor_parallel = 1\npipeline_parallel = 1\nexpert_parallel = 8\nrecompute = "
               "\"full\"\nsequence_parallel = false\nzero = 3"),
      "maxtext");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_EQ(flag(made, "NNODES"), "8");
  EXPECT_EQ(flag(made, "megablox="), "false");
  EXPECT_THAT(
      file(made, "train.sbatch"),
      HasSubstr("srun bash -c 'export NODE_RANK=$SLURM_PROCID; exec \"$@\"' task python3 "));
  EXPECT_THAT(file(made, "train.sbatch"), HasSubstr("export JAX_COORDINATOR_IP=\"$HEAD\"\n"));
}

// _torch/modules/fused_moe/fused_moe_cutlass.py:79 of 5978a465: in blocks on Hopper alone.
TEST(Recipes, TensorrtLlmMultipliesBlocksOnBlackwell) {
  const auto backend = [](const char* device) {
    return flag(
        deployed(service("deepseek-v3", device, 8, "tensor_parallel = 1\nexpert_parallel = 8",
                         "precision = { name = \"x\", weights = \"fp8\", operands = "
                         "\"fp8\", recipe = \"block\" }"),
                 "tensorrt-llm"),
        "moe_config.backend");
  };
  EXPECT_EQ(backend("b200-sxm"), "DEEPGEMM");
  EXPECT_EQ(backend("h200-sxm"), "(absent)");
}

// config/job_config.py:659 of torchtitan 29624e37: nothing is left out unless it is named.
TEST(Recipes, TorchtitanLeavesHeadAndRouterInSixteenBits) {
  const std::string spec = training(
      "llama-3-8b", "h100-sxm", 8,
      "tensor_parallel = 2\npipeline_parallel = 1\nrecompute = \"full\"\nsequence_parallel "
      "= true\nzero = 3",
      "precision = \"fp8\"");
  EXPECT_EQ(flag(deployed(spec, "torchtitan@0.2.0"), "quantize.linear.float8.filter_fqns"),
            R"(["output", "router.gate"])");
  EXPECT_THAT(file(deployed(spec, "torchtitan@main"), "train.py"),
              HasSubstr(R"(filter_fqns=["lm_head", "router.gate"])"));
}

// entrypoints/cli/serve.py:309 of vLLM 017e9f44; TensorRT-LLM is started by a task for each device.
TEST(Recipes, NodesAreStartedAsEnginesAskFor) {
  const std::string spec =
      service("deepseek-v3", "h200-sxm", 16, "tensor_parallel = 16", "precision = \"fp8\"");
  EXPECT_THAT(all_of(deployed(spec, "vllm").notes),
              HasSubstr("all nodes but the first add --headless"));
  const std::string notes = all_of(deployed(spec, "tensorrt-llm").notes);
  EXPECT_THAT(notes, HasSubstr("trtllm-llmapi-launch before it"));
  EXPECT_THAT(notes, Not(HasSubstr("NODE_RANK")));
}

TEST(Recipes, NetworksOfClustersAreYoursToName) {
  const std::string spec =
      service("deepseek-v3", "h200-sxm", 16, "tensor_parallel = 16", "precision = \"fp8\"");
  EXPECT_THAT(all_of(deployed(spec, "vllm").notes), HasSubstr("RDMA"));
}

}  // namespace
}  // namespace scalesweep::test
