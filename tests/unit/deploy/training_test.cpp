// Fields of a strategy as the options of each framework that trains.
#include <gmock/gmock.h>

#include "deployed.hpp"

namespace scalesweep::test {
namespace {

using deploy::Deployment;
using ::testing::HasSubstr;
using ::testing::Not;

std::string dense(const std::string& strategy = dense_strategy) {
  return training_spec("llama-3-70b", dense_workload, 256, strategy);
}

TEST(MegatronLm, DenseModelWithInterleavedPipeline) {
  const Deployment made = deployed(dense(), "megatron-lm");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_EQ(flag(made, "--tensor-model-parallel-size"), "8");
  EXPECT_EQ(flag(made, "--pipeline-model-parallel-size"), "4");
  EXPECT_EQ(flag(made, "--num-virtual-stages-per-pipeline-rank"), "5");
  EXPECT_EQ(flag(made, "--sequence-parallel"), "");
  EXPECT_EQ(flag(made, "--use-distributed-optimizer"), "");
  EXPECT_EQ(flag(made, "--use-megatron-fsdp"), "(absent)");
  EXPECT_EQ(flag(made, "--context-parallel-size"), "(absent)");
  EXPECT_EQ(flag(made, "--recompute-granularity"), "(absent)");
  EXPECT_EQ(flag(made, "--num-experts"), "(absent)");
  EXPECT_EQ(flag(made, "--fp8-format"), "(absent)");
  EXPECT_EQ(flag(made, "--micro-batch-size"), "1");
  EXPECT_EQ(flag(made, "--global-batch-size"), "256");
  EXPECT_EQ(flag(made, "--num-layers"), "80");
  EXPECT_EQ(flag(made, "--num-query-groups"), "8");
  EXPECT_EQ(flag(made, "--seq-length"), "8192");
  EXPECT_THAT(made.command, HasSubstr("--nnodes 32 --nproc_per_node 8"));
  EXPECT_THAT(file(made, "train.sbatch"), HasSubstr("#SBATCH --nodes=32"));
}

TEST(MegatronLm, SizesTimesReplicasAreTheDevices) {
  const Deployment made = deployed(dense(), "megatron-lm");
  const int model = std::stoi(flag(made, "--tensor-model-parallel-size")) *
                    std::stoi(flag(made, "--pipeline-model-parallel-size"));
  EXPECT_EQ(256 % model, 0);
  const int replicas = 256 / model;
  EXPECT_EQ(256 % (replicas * std::stoi(flag(made, "--micro-batch-size"))), 0);
}

TEST(MegatronLm, RecomputationContextAndFp8) {
  const Deployment made = deployed(
      training_spec("llama-3-70b", dense_workload + "\nprecision = \"fp8\"", 256,
                    "tensor_parallel = 4\npipeline_parallel = 4\nchunks = 1\nmicro_batch = 1\n"
                    "recompute = \"full\"\nrecompute_every = 2\nzero = 1\nsequence_parallel = "
                    "true\ncontext_parallel = 2\ncontext_exchange = \"all_to_all\""),
      "megatron-lm");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_EQ(flag(made, "--context-parallel-size"), "2");
  EXPECT_EQ(flag(made, "--cp-comm-type"), "a2a");
  EXPECT_EQ(flag(made, "--recompute-granularity"), "full");
  EXPECT_EQ(flag(made, "--recompute-method"), "block");
  EXPECT_EQ(flag(made, "--recompute-num-layers"), "10");  // every second of 20
  EXPECT_EQ(flag(made, "--fp8-format"), "hybrid");
  EXPECT_EQ(flag(made, "--fp8-recipe"), "delayed");
  EXPECT_EQ(flag(made, "--bf16"), "");
}

TEST(MegatronLm, FullyShardedReplicas) {
  const Deployment made =
      deployed(training_spec("llama-3-8b", dense_workload, 16,
                             "tensor_parallel = 1\npipeline_parallel = 1\nchunks = 1\nmicro_batch "
                             "= 1\nrecompute = \"full\"\nzero = 3\nsequence_parallel = false"),
               "megatron-lm");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_EQ(flag(made, "--use-megatron-fsdp"), "");
  EXPECT_EQ(flag(made, "--data-parallel-sharding-strategy"), "optim_grads_params");
  EXPECT_EQ(flag(made, "--recompute-method"), "uniform");
}

std::string experts(bool over_tensor) {
  return training_spec(
      "qwen3-235b-a22b", "sequence = 4096\nglobal_batch = 256\nframework = \"megatron-bridge\"",
      256,
      std::string("tensor_parallel = 2\npipeline_parallel = 8\nuneven_stages = true\nchunks = "
                  "1\nmicro_batch = 1\nrecompute = \"full\"\nzero = 1\nsequence_parallel = true\n"
                  "expert_parallel = 16\nexperts_over_tensor = ") +
          (over_tensor ? "true" : "false"));
}

TEST(MegatronLm, Experts) {
  const Deployment over = deployed(experts(true), "megatron-lm");
  ASSERT_TRUE(over.can_run()) << all_of(over.problems);
  EXPECT_EQ(flag(over, "--num-experts"), "128");
  EXPECT_EQ(flag(over, "--moe-router-topk"), "8");
  EXPECT_EQ(flag(over, "--expert-model-parallel-size"), "16");
  EXPECT_EQ(flag(over, "--expert-tensor-parallel-size"), "1");
  EXPECT_EQ(flag(over, "--moe-token-dispatcher-type"), "alltoall");
  const Deployment beside = deployed(experts(false), "megatron-lm");
  ASSERT_TRUE(beside.can_run()) << all_of(beside.problems);
  EXPECT_EQ(flag(beside, "--expert-tensor-parallel-size"), "2");
}

// 61 layers: in nine parts embedding and head make 63, which divide; in sixteen they do not.
TEST(MegatronLm, LayersThatDoNotDivideAreDealtOut) {
  const auto made = [](const std::string& pipeline, std::string_view target) {
    return deployed(training_spec("deepseek-v3",
                                  "sequence = 4096\nglobal_batch = 2304\nprecision = \"bf16\"\n"
                                  "framework = \"megatron-lm\"",
                                  2304,
                                  "tensor_parallel = 1\nuneven_stages = true\nmicro_batch = 1\n"
                                  "recompute = \"full\"\nzero = 1\nsequence_parallel = false\n"
                                  "expert_parallel = 32\n" +
                                      pipeline),
                    target);
  };
  const Deployment with_edges = made("pipeline_parallel = 9\nchunks = 1", "megatron-lm");
  ASSERT_TRUE(with_edges.can_run()) << all_of(with_edges.problems);
  EXPECT_EQ(flag(with_edges, "--account-for-embedding-in-pipeline-split"), "");
  EXPECT_EQ(flag(with_edges, "--account-for-loss-in-pipeline-split"), "");
  EXPECT_EQ(flag(with_edges, "--pipeline-model-parallel-layout"), "(absent)");
  const std::string two_chunks = "pipeline_parallel = 8\nchunks = 2";
  const Deployment listed = made(two_chunks, "megatron-lm");
  ASSERT_TRUE(listed.can_run()) << all_of(listed.problems);
  EXPECT_EQ(flag(listed, "--account-for-embedding-in-pipeline-split"), "(absent)");
  EXPECT_EQ(flag(listed, "--num-virtual-stages-per-pipeline-rank"), "(absent)");
  EXPECT_EQ(flag(listed, "--pipeline-model-parallel-layout"),
            "Et*3|t*4|t*4|t*4|t*4|t*4|t*4|t*4|t*4|t*4|t*4|t*4|t*4|t*4|t*4|t*2mL");
  const Deployment bridge = made(two_chunks, "megatron-bridge");
  EXPECT_EQ(flag(bridge, "model.pipeline_model_parallel_layout="),
            flag(listed, "--pipeline-model-parallel-layout"));
  EXPECT_THAT(bridge.command, HasSubstr("model.pipeline_model_parallel_layout='Et*3|"));
}

TEST(MegatronBridge, IsOverridesOfARecipe) {
  const Deployment made = deployed(experts(true), "megatron-bridge");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_EQ(flag(made, "model.tensor_model_parallel_size="), "2");
  EXPECT_EQ(flag(made, "model.virtual_pipeline_model_parallel_size="), "null");
  EXPECT_EQ(flag(made, "mixed_precision="), "bf16_mixed");
  EXPECT_THAT(made.command, HasSubstr("  model.expert_model_parallel_size=16 \\\n"));
}

TEST(Torchtitan, IsATomlFile) {
  const std::string strategy =
      "tensor_parallel = 8\npipeline_parallel = 4\nchunks = 5\nmicro_batch = 1\nrecompute = "
      "\"selective\"\nzero = 3\nsequence_parallel = true\nshard_group = 4";
  const Deployment made = deployed(dense(strategy), "torchtitan@0.2.2");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_EQ(flag(made, "parallelism.data_parallel_shard_degree"), "4");
  EXPECT_EQ(flag(made, "parallelism.data_parallel_replicate_degree"), "2");
  const std::string toml = file(made, "train.toml");
  EXPECT_THAT(toml, HasSubstr("[parallelism]"));
  EXPECT_THAT(toml, HasSubstr("tensor_parallel_degree = 8"));
  EXPECT_THAT(toml, HasSubstr("pipeline_parallel_schedule = \"Interleaved1F1B\""));
  EXPECT_THAT(toml, HasSubstr("pipeline_parallel_layers_per_stage = 4"));
  EXPECT_THAT(toml, HasSubstr("local_batch_size = 32"));  // of a replica: 256 / 8
  EXPECT_THAT(toml, HasSubstr("selective_ac_option = \"op\""));
  EXPECT_THAT(made.command, HasSubstr("-m torchtitan.train --job.config_file train.toml"));
  EXPECT_THAT(made.command, Not(HasSubstr("parallelism.")));
}

TEST(Torchtitan, LayersThatAreSkippedStandAsText) {
  const Deployment made =
      deployed(training_spec("llama-3-8b", dense_workload, 16,
                             "tensor_parallel = 1\npipeline_parallel = 1\nchunks = 1\nmicro_batch "
                             "= 1\nrecompute = \"full\"\nrecompute_every = 2\nzero = 3\n"
                             "sequence_parallel = false"),
               "torchtitan@0.2.2");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_THAT(file(made, "train.toml"), HasSubstr("selective_ac_option = \"2\""));
}

TEST(Nanotron, IsAYamlFile) {
  const std::string strategy =
      "tensor_parallel = 8\npipeline_parallel = 4\nchunks = 1\nmicro_batch = 1\nrecompute = "
      "\"full\"\nzero = 1\nsequence_parallel = true";
  const Deployment made = deployed(dense(strategy), "nanotron");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  const std::string yaml = file(made, "train.yaml");
  EXPECT_THAT(yaml, HasSubstr("zero_stage: 1"));
  EXPECT_THAT(yaml, HasSubstr("tp: 8"));
  EXPECT_THAT(yaml, HasSubstr("recompute_layer: true"));
  EXPECT_THAT(yaml, HasSubstr("batch_accumulation_per_replica: 32"));
  EXPECT_EQ(std::stoi(flag(made, "parallelism.dp")) * std::stoi(flag(made, "parallelism.tp")) *
                std::stoi(flag(made, "parallelism.pp")),
            256);
}

TEST(DeepSpeed, IsAJsonFileBesideOptions) {
  const Deployment made = deployed(
      training_spec("gpt-5b", "sequence = 2048\nglobal_batch = 256", 32,
                    "tensor_parallel = 1\npipeline_parallel = 1\nchunks = 1\nmicro_batch = 2\n"
                    "recompute = \"full\"\nzero = 3\nsequence_parallel = false\n"
                    "offload_optimizer = true"),
      "deepspeed");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  const std::string json = file(made, "deepspeed.json");
  EXPECT_THAT(json, HasSubstr("\"stage\": 3"));
  EXPECT_THAT(json, HasSubstr("\"train_batch_size\": 256"));
  EXPECT_THAT(json, HasSubstr("\"gradient_accumulation_steps\": 4"));
  EXPECT_THAT(json, HasSubstr("\"device\": \"cpu\""));
  EXPECT_EQ(flag(made, "--no-pipeline-parallel"), "");
}

TEST(Training, WhatDoesNotFitIsNotPrinted) {
  const Deployment made =
      deployed(training_spec("llama-3-70b", dense_workload, 8,
                             "tensor_parallel = 8\npipeline_parallel = 1\nchunks = 1\nmicro_batch "
                             "= 1\nrecompute = \"none\"\nzero = 0\nsequence_parallel = true"),
               "megatron-lm");
  ASSERT_EQ(made.problems.size(), 1U);
  EXPECT_THAT(made.problems[0], HasSubstr("a device needs "));
  EXPECT_THAT(made.problems[0], HasSubstr("there are 83.9 GB of 85.9 GB"));
  EXPECT_EQ(made.command, "");
}

TEST(Training, WhatHasNoOptionsIsNotPrinted) {
  const auto with = [](const std::string& keys) {
    return deployed(training_spec("llama-3-70b", dense_workload + "\n" + keys, 256, dense_strategy),
                    "megatron-lm");
  };
  const Deployment adapters = with("adapter_rank = 16");
  EXPECT_FALSE(adapters.can_run());
  EXPECT_EQ(adapters.command, "");
  EXPECT_EQ(all_of(adapters.problems),
            "options of adapters (adapter_rank 16) are not written; take a point that trains all "
            "weights, adapter_rank = 0\n");
  EXPECT_EQ(all_of(with("optimizer = \"muon\"").problems),
            "options of the optimizer muon are not written; take a point with adam\n");
  const Deployment packed = with("document = 512");
  ASSERT_TRUE(packed.can_run()) << all_of(packed.problems);
  EXPECT_THAT(all_of(packed.notes), HasSubstr("packed of documents of 512 tokens"));
}

TEST(Training, OneServerNeedsNoAddress) {
  const Deployment made =
      deployed(training_spec("llama-3-8b", dense_workload, 8,
                             "tensor_parallel = 8\npipeline_parallel = 1\nchunks = 1\nmicro_batch "
                             "= 1\nrecompute = \"full\"\nzero = 0\nsequence_parallel = true"),
               "megatron-lm");
  ASSERT_TRUE(made.can_run()) << all_of(made.problems);
  EXPECT_THAT(made.command, HasSubstr("torchrun --standalone --nproc_per_node 8 "));
  EXPECT_EQ(file(made, "train.sbatch"), "(absent)");
}

TEST(Targets, VariantsAreThoseThatTheyVary) {
  const study::WorkloadKind& training = study::training_kind();
  EXPECT_EQ(deploy::target_of(training, "megatron-lm-2025"), "megatron-lm");
  EXPECT_EQ(deploy::target_of(training, "torchtitan-async-tensor"), "torchtitan");
  EXPECT_EQ(deploy::target_of(training, "overlapped"), std::nullopt);
  EXPECT_EQ(deploy::target_of(training, "vllm"), std::nullopt);
  EXPECT_EQ(deploy::target_of(study::inference_kind(), "vllm-2024"), "vllm");
}

}  // namespace
}  // namespace scalesweep::test
