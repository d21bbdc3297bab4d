// Services as the options of engines, and as manifests of pools.
#include <gmock/gmock.h>

#include "deployed.hpp"

namespace scalesweep::test {
namespace {

using deploy::Deployment;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string requests =
    "prompt = 1000\noutput = 500\nframework = \"vllm\"\n"
    "time_per_output_token = \"50 ms\"";

Deployment dense(std::string_view target, const std::string& more = "") {
  return deployed(serving_spec("llama-3-70b", requests + more, 16, "tensor_parallel = 8"), target);
}

TEST(Vllm, DenseModel) {
  const Deployment made = dense("vllm");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_EQ(flag(made, "--tensor-parallel-size"), "8");
  EXPECT_EQ(flag(made, "--pipeline-parallel-size"), "(absent)");
  EXPECT_EQ(flag(made, "--enable-expert-parallel"), "(absent)");
  EXPECT_EQ(flag(made, "--max-model-len"), "1500");
  EXPECT_EQ(flag(made, "--quantization"), "(absent)");
  EXPECT_EQ(flag(made, "--no-enable-prefix-caching"), "");
  EXPECT_GE(std::stoi(flag(made, "--max-num-seqs")), 1);
  // Two replicas are two servers.
  EXPECT_THAT(all_of(made.notes), HasSubstr("2 such servers behind one address, 1 replica each"));
  EXPECT_THAT(file(made, "kubernetes.yaml"), HasSubstr("kind: LeaderWorkerSet"));
  EXPECT_THAT(file(made, "kubernetes.yaml"), HasSubstr("replicas: 2"));
}

// Eight replicas of one device stand in one server.
TEST(Vllm, SmallServersShareANode) {
  const Deployment made =
      deployed(serving_spec("llama-3-8b", requests, 12, "tensor_parallel = 1"), "vllm");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_EQ(flag(made, "--port"), "${PORT:-8000}");
  EXPECT_THAT(made.command, HasSubstr("--port \"${PORT:-8000}\""));
  const std::string slurm = file(made, "serve.sbatch");
  EXPECT_THAT(slurm, HasSubstr("#SBATCH --nodes=2\n#SBATCH --gpus-per-node=8\n"));
  EXPECT_THAT(slurm, HasSubstr("for server in $(seq 0 11); do\n"
                               "  node=\"${hosts[first + server / 8]}\""));
  EXPECT_THAT(slurm, HasSubstr("SERVER=$((server % 8)) PORT=$((8000 + server % 8))"));
  EXPECT_EQ(flag(dense("vllm"), "--host"), "0.0.0.0");
}

TEST(Vllm, WeightsAndCacheInFp8) {
  const Deployment made =
      dense("vllm",
            "\nprecision = { name = \"small\", weights = \"fp8\", operands = \"fp8\", "
            "cache = \"fp8\" }");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_EQ(flag(made, "--quantization"), "fp8");
  EXPECT_EQ(flag(made, "--kv-cache-dtype"), "fp8");
}

Deployment experts(std::string_view target, const std::string& strategy) {
  return deployed(serving_spec("qwen3-235b-a22b", requests, 16, strategy), target);
}

TEST(Vllm, ExpertsAreSpreadOverAllRanksOfAServer) {
  const Deployment made =
      experts("vllm",
              "tensor_parallel = 2\nexpert_parallel = 16\nexperts_over_tensor = true\n"
              "redundant_experts = 16");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_EQ(flag(made, "--data-parallel-size"), "8");
  EXPECT_EQ(flag(made, "--enable-expert-parallel"), "");
  EXPECT_EQ(flag(made, "--eplb-config"), "{\"num_redundant_experts\": 16}");
  EXPECT_EQ(flag(made, "--nnodes"), "2");  // servers of eight
  EXPECT_EQ(std::stoi(flag(made, "--data-parallel-size")) *
                std::stoi(flag(made, "--tensor-parallel-size")),
            16);
}

// 61 layers in two stages: engines are told who has more, and both stages are one server.
TEST(Engines, AreToldHowManyLayersStagesHold) {
  const auto stages = [](std::string_view target) {
    const std::string batching = target == "sglang" ? "\nbatching = \"separate\"" : "";
    std::string spec =
        serving_spec("deepseek-v3",
                     "prompt = 1000\noutput = 500\nframework = \"" + std::string(target) +
                         "\"\nprecision = \"fp8\"\nconcurrency = 64" + batching,
                     32, "tensor_parallel = 16\nuneven_stages = true");
    const std::size_t one = spec.find("pipeline_parallel = 1");
    return deployed(spec.replace(one, 21, "pipeline_parallel = 2"), target);
  };
  const Deployment vllm = stages("vllm");
  ASSERT_TRUE(vllm.can_run()) << all_of(vllm.problems);
  EXPECT_EQ(flag(vllm, "VLLM_PP_LAYER_PARTITION"), "31,30");
  EXPECT_THAT(vllm.command, HasSubstr("VLLM_PP_LAYER_PARTITION=31,30 vllm serve"));
  EXPECT_THAT(vllm.command, Not(HasSubstr("\\\n  VLLM_PP")));
  EXPECT_EQ(flag(vllm, "--nnodes"), "4");
  EXPECT_EQ(flag(vllm, "--max-num-seqs"), "64");
  EXPECT_EQ(flag(stages("sglang"), "SGLANG_PP_LAYER_PARTITION"), "31,30");
  EXPECT_THAT(file(stages("tensorrt-llm"), "serve.yaml"), HasSubstr("pp_partition: \n  - 31"));
  EXPECT_EQ(flag(dense("vllm"), "VLLM_PP_LAYER_PARTITION"), "(absent)");
}

TEST(Sglang, CountsAllRanksAsTensorParallel) {
  const Deployment made = experts("sglang", "tensor_parallel = 1\nexpert_parallel = 8");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_EQ(flag(made, "--tp-size"), "8");
  EXPECT_EQ(flag(made, "--dp-size"), "8");
  EXPECT_EQ(flag(made, "--enable-dp-attention"), "");
  EXPECT_EQ(flag(made, "--ep-size"), "8");
  EXPECT_THAT(made.command, HasSubstr("python -m sglang.launch_server"));
}

TEST(TensorrtLlm, DataParallelAttentionIsInItsFile) {
  const Deployment made = experts("tensorrt-llm", "tensor_parallel = 1\nexpert_parallel = 8");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_EQ(flag(made, "--tp_size"), "8");
  EXPECT_EQ(flag(made, "--ep_size"), "8");
  EXPECT_THAT(file(made, "serve.yaml"), HasSubstr("enable_attention_dp: true"));
  const Deployment cut = experts(
      "tensorrt-llm", "tensor_parallel = 2\nexpert_parallel = 16\nexperts_over_tensor = true");
  EXPECT_THAT(all_of(cut.problems),
              HasSubstr("no option for replicas that share experts while tensor parallelism cuts "
                        "their attention; vllm, sglang can run this layout"));
}

const std::string long_requests =
    "prompt = 4000\noutput = 500\nprecision = { name = \"small\", weights = \"fp8\", operands = "
    "\"fp8\" }\nframework = ";
const std::string sharing = "tensor_parallel = 16\ndecode_context_parallel = 16";

TEST(SharedCaches, OfVllmAndSglang) {
  const Deployment vllm =
      deployed(serving_spec("deepseek-v3", long_requests + "\"vllm\"", 16, sharing), "vllm");
  ASSERT_TRUE(vllm.can_run()) << all_of(vllm.problems);
  EXPECT_EQ(flag(vllm, "--decode-context-parallel-size"), "16");
  EXPECT_EQ(flag(vllm, "--dcp-comm-backend"), "(absent)");
  EXPECT_EQ(flag(dense("vllm"), "--decode-context-parallel-size"), "(absent)");
  const Deployment sglang =
      deployed(serving_spec("deepseek-v3", long_requests + "\"sglang\"\nbatching = \"separate\"",
                            16, sharing),
               "sglang");
  EXPECT_THAT(all_of(sglang.problems),
              HasSubstr("sglang main-2026-06-08 refuses decode context parallelism, which came as "
                        "--dcp-size in 2026-08 (python/sglang/srt/server_args.py of 65d3b47f"));
}

TEST(SharedCaches, OfTensorrtLlmOnServersThatDecodeAlone) {
  const std::string requests = long_requests + "\"tensorrt-llm\"";
  const Deployment one =
      deployed(serving_spec("deepseek-v3", requests, 16, sharing), "tensorrt-llm");
  EXPECT_THAT(all_of(one.problems),
              HasSubstr("TensorRT-LLM shares a cache along the sequence (Helix) for models with "
                        "latent attention, on servers that decode alone: serve them with batching "
                        "= \"disaggregated\" or [prefill]"));
  const Deployment two = deployed(
      serving_spec("deepseek-v3", requests + "\nbatching = \"disaggregated\"\nprefill_share = 0.5",
                   32, sharing),
      "tensorrt-llm");
  ASSERT_TRUE(two.can_run()) << all_of(two.problems);
  EXPECT_EQ(flag(two, "--tp_size"), "1");
  const std::string decode = file(two, "serve.yaml");
  EXPECT_THAT(decode, HasSubstr("context_parallel_size: 16\n"));
  EXPECT_THAT(decode, HasSubstr("cp_config: \n  cp_type: HELIX\n  tokens_per_block: 32\n"));
  EXPECT_THAT(decode, HasSubstr("  tokens_per_block: 32\n"));
  EXPECT_THAT(file(two, "prefill.yaml"), Not(HasSubstr("HELIX")));
  EXPECT_THAT(two.command, HasSubstr("--tp_size 16"));
}

TEST(Pools, AreAManifestEach) {
  const Deployment made = deployed(
      serving_spec("llama-3-70b", requests + "\nbatching = \"disaggregated\"\nprefill_share = 0.5",
                   32, "tensor_parallel = 8"),
      "sglang");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  ASSERT_EQ(made.memory.size(), 2U);
  EXPECT_EQ(made.memory[0].pool, "decode");
  EXPECT_EQ(made.memory[1].pool, "prefill");
  EXPECT_THAT(made.command, HasSubstr("# decode: 2 servers\n"));
  EXPECT_THAT(made.command, HasSubstr("# prefill: 2 servers\n"));
  EXPECT_THAT(made.command, HasSubstr("--disaggregation-mode decode"));
  EXPECT_THAT(made.command, HasSubstr("--disaggregation-mode prefill"));
  EXPECT_THAT(file(made, "kubernetes.yaml"), HasSubstr("name: prefill\n"));
  EXPECT_THAT(file(made, "dynamo.yaml"), HasSubstr("subComponentType: prefill\n"));
  EXPECT_THAT(file(made, "serve.sbatch"), HasSubstr("#SBATCH --nodes=4\n"));
}

TEST(Batches, AreServedTogether) {
  const Deployment made = deployed(
      "schema = 1\ntitle = \"Batch\"\n[workload]\nkind = \"inference\"\nmodel = "
      "\"llama-3-8b\"\nprompt = 200\noutput = 100\nbatch = 16\nframework = \"tensorrt-llm\"\n"
      "[system]\naccelerators = 1\ndevice = \"h100-sxm\"\n[strategy]\ntensor_parallel = 1\n",
      "vllm");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_EQ(flag(made, "--max-num-seqs"), "16");
  EXPECT_EQ(flag(made, "--max-model-len"), "300");
  EXPECT_EQ(file(made, "kubernetes.yaml"), "(absent)");
}

}  // namespace
}  // namespace scalesweep::test
