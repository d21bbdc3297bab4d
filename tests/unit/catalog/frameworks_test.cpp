// Frameworks: each key, what is taken where one is left out, and what is wrong with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example_catalog.hpp"
#include "workload/framework.hpp"

namespace scalesweep::catalog {
namespace {

using ::testing::HasSubstr;

std::string stack(const std::string& keys) {
  return test::example_text + R"(
[framework.stack]
source = "paper"
kind = "published"
)" + keys;
}

workload::Framework framework_of(const std::string& keys) {
  return test::load_text(stack(keys)).framework("stack");
}

std::string complaints(const std::string& keys) {
  return test::complaints(stack("issue_interval = \"0 us\"\n" + keys + "\n"));
}

TEST(Frameworks, EveryKeyIsRead) {
  const workload::Framework framework = framework_of(R"(
hides_tensor_communication = true
hides_forward_tensor_communication = true
hides_data_communication = false
hides_sharded_reduction = true
hides_weight_gather = true
hides_expert_communication = true
hides_pipeline_communication = true
issue_interval = "67 us"
backward_issue_interval = "65 us"
expert_issue_interval = "280 us"
collective_issue_interval = "9 us"
rank_issue_interval = "11 us"
crossing_issue_interval = "13 us"
sharded_layer_issue = "1 ms"
gradient_bucket = "25 MB"
kernel_share = 0.9
attention_share = 0.8
attention_core_flop = 4096
issue_blend = 3.5
fused_pointwise = false
stage_balance = "blocks"
optimizer_passes = 3
step_overhead = "15 ms"
)");
  EXPECT_EQ(framework.name, "stack");
  EXPECT_TRUE(framework.training.hides_tensor_communication);
  EXPECT_TRUE(framework.training.hides_forward_tensor_communication);
  EXPECT_FALSE(framework.training.replicas.hides_data_communication);
  EXPECT_TRUE(framework.training.replicas.hides_sharded_reduction);
  EXPECT_TRUE(framework.training.replicas.hides_weight_gather);
  EXPECT_TRUE(framework.training.hides_expert_communication);
  EXPECT_TRUE(framework.training.hides_pipeline_communication);
  EXPECT_DOUBLE_EQ(framework.training.issue_interval_s, 67e-6);
  EXPECT_DOUBLE_EQ(framework.training.backward_issue_interval_s, 65e-6);
  EXPECT_DOUBLE_EQ(framework.training.expert_issue_interval_s, 280e-6);
  EXPECT_DOUBLE_EQ(framework.training.collective_issue_interval_s, 9e-6);
  EXPECT_DOUBLE_EQ(framework.training.replicas.rank_issue_interval_s, 11e-6);
  EXPECT_DOUBLE_EQ(framework.training.replicas.crossing_issue_interval_s, 13e-6);
  EXPECT_DOUBLE_EQ(framework.training.replicas.sharded_layer_issue_s, 1e-3);
  EXPECT_DOUBLE_EQ(framework.training.replicas.gradient_bucket_bytes, 25e6);
  EXPECT_DOUBLE_EQ(framework.training.kernel_share, 0.9);
  EXPECT_DOUBLE_EQ(framework.training.attention_share, 0.8);
  EXPECT_DOUBLE_EQ(framework.training.attention_core_flop, 4096.0);
  EXPECT_DOUBLE_EQ(framework.training.issue_blend, 3.5);
  EXPECT_FALSE(framework.training.fused_pointwise);
  EXPECT_EQ(framework.training.stage_balance, workload::StageBalance::blocks);
  EXPECT_DOUBLE_EQ(framework.training.replicas.optimizer_passes, 3.0);
  EXPECT_DOUBLE_EQ(framework.training.step_overhead_s, 15e-3);
}

TEST(Frameworks, EveryKeyOfMemoryAndRecomputationIsRead) {
  const workload::Framework framework = framework_of(R"(
issue_interval = "67 us"
extra_gradient_bytes = 2
gathers_through_copy = true
keeps_embedding_gradient = true
held_hidden_states = 4
fixed_memory = "210 MB"
allocator_slack = 0.1
selective_recompute = "alternate"
recompute_stops_early = true
copies_sequence_shards = true
keeps_gathered_inputs = true
)");
  EXPECT_DOUBLE_EQ(framework.training.extra_gradient_bytes, 2.0);
  EXPECT_TRUE(framework.training.gathers_through_copy);
  EXPECT_TRUE(framework.training.keeps_embedding_gradient);
  EXPECT_DOUBLE_EQ(framework.training.held_hidden_states, 4.0);
  EXPECT_DOUBLE_EQ(framework.training.fixed_memory_bytes, 210e6);
  EXPECT_DOUBLE_EQ(framework.training.allocator_slack, 0.1);
  EXPECT_EQ(framework.training.selective_recompute, workload::SelectiveRecompute::alternate);
  EXPECT_TRUE(framework.training.recompute_stops_early);
  EXPECT_TRUE(framework.training.copies_sequence_shards);
  EXPECT_TRUE(framework.training.keeps_gathered_inputs);
}

TEST(Frameworks, OneIntervalStandsForThoseThatAreLeftOut) {
  const workload::Framework framework = framework_of("issue_interval = \"20 us\"\n");
  EXPECT_DOUBLE_EQ(framework.training.backward_issue_interval_s, 20e-6);
  EXPECT_DOUBLE_EQ(framework.training.collective_issue_interval_s, 20e-6);
  EXPECT_EQ(framework.training.replicas.rank_issue_interval_s, 0.0);
  EXPECT_EQ(framework.training.replicas.crossing_issue_interval_s, 0.0);
}

TEST(Frameworks, WhatIsNotSaidIsNeitherHiddenNorHeld) {
  const workload::Framework framework = framework_of("issue_interval = \"0 us\"\n");
  EXPECT_FALSE(framework.training.hides_tensor_communication);
  EXPECT_FALSE(framework.training.replicas.hides_data_communication);
  EXPECT_FALSE(framework.training.replicas.hides_sharded_reduction);
  EXPECT_FALSE(framework.training.replicas.hides_weight_gather);
  EXPECT_FALSE(framework.training.hides_expert_communication);
  EXPECT_FALSE(framework.training.hides_pipeline_communication);
  EXPECT_TRUE(framework.training.fused_pointwise);
  EXPECT_EQ(framework.training.stage_balance, workload::StageBalance::layers);
  EXPECT_EQ(framework.training.kernel_share, 1.0);
  EXPECT_EQ(framework.training.issue_blend, 0.0);
  EXPECT_EQ(framework.training.allocator_slack, 0.0);
}

TEST(Frameworks, NeedAnInterval) {
  EXPECT_THAT(test::complaints(stack("")), HasSubstr("issue_interval"));
}

TEST(Frameworks, AVersionRestsOnAnother) {
  const workload::Framework version = test::load_text(stack(R"(issue_interval = "20 us"
kernel_share = 0.9
[framework.stack.serving]
source = "paper"
kind = "published"
kernel_gap = "3 us"
[framework.version]
like = "stack"
source = "paper"
kind = "published"
kernel_share = 0.8
)"))
                                          .framework("version");
  EXPECT_EQ(version.name, "version");
  EXPECT_DOUBLE_EQ(version.training.kernel_share, 0.8);
  EXPECT_DOUBLE_EQ(version.training.issue_interval_s, 20e-6);
  EXPECT_TRUE(version.trains);
  EXPECT_TRUE(version.serves);
  EXPECT_DOUBLE_EQ(version.serving.kernel_gap_s, 3e-6);
}

TEST(Frameworks, RecomputeAttentionOrEveryOtherGemm) {
  EXPECT_EQ(framework_of("issue_interval = \"0 us\"\n").training.selective_recompute,
            workload::SelectiveRecompute::attention);
  EXPECT_THAT(complaints("selective_recompute = \"third\""),
              HasSubstr("'third' is neither attention nor alternate"));
}

TEST(Frameworks, HaveARecipeOfFp8AndKernelsThatPrepareForIt) {
  const workload::Framework plain = framework_of("issue_interval = \"0 us\"\n");
  EXPECT_EQ(plain.training.replicas.fp8_recipe, workload::Recipe::delayed);
  EXPECT_EQ(plain.training.operand_fusion, workload::OperandFusion::everything);
  const workload::Framework stack = framework_of(
      "issue_interval = \"0 us\"\nfp8_recipe = \"current\"\noperand_fusion = \"norms\"\n");
  EXPECT_EQ(stack.training.replicas.fp8_recipe, workload::Recipe::current);
  EXPECT_EQ(stack.training.operand_fusion, workload::OperandFusion::norms);
  EXPECT_THAT(complaints("operand_fusion = \"all\""),
              HasSubstr("'all' is neither nothing nor norms nor everything"));
  EXPECT_THAT(complaints("fp8_recipe = \"nvfp4\""),
              HasSubstr("nvfp4 scales operands of fp4; write one of fp8: delayed, current, row, "
                        "block"));
}

TEST(Frameworks, StagesAreBalancedByLayersOrByBlocks) {
  EXPECT_EQ(framework_of("issue_interval = \"0 us\"\nstage_balance = \"layers\"\n")
                .training.stage_balance,
            workload::StageBalance::layers);
  EXPECT_THAT(complaints("stage_balance = \"blobs\""),
              HasSubstr("'blobs' is neither layers nor blocks"));
}

TEST(Frameworks, BlendIsAnExponentOfOneOrMore) {
  EXPECT_THAT(complaints("issue_blend = 0.5"), HasSubstr("must be at least 1, or left out"));
  EXPECT_NE(complaints("issue_blend = -1"), "");
  EXPECT_EQ(framework_of("issue_interval = \"0 us\"\nissue_blend = 1\n").training.issue_blend, 1.0);
}

TEST(Frameworks, DevicesTakeTheSameTimeUnlessTheirJitterIsGiven) {
  const std::string interval = "issue_interval = \"0 us\"\n";
  EXPECT_EQ(framework_of(interval).training.step_jitter, 0.0);
  EXPECT_EQ(framework_of(interval + "step_jitter = 0.01\n").training.step_jitter, 0.01);
}

TEST(Frameworks, SharesAreAtMostAll) {
  for (const char* wrong : {"kernel_share = 1.2", "kernel_share = 0", "attention_share = -0.5"}) {
    EXPECT_THAT(complaints(wrong), HasSubstr("it must be above 0 and at most 1")) << wrong;
  }
}

TEST(Frameworks, NumbersAreNotNegative) {
  for (const char* wrong : {"attention_core_flop = 0", "optimizer_passes = 0"}) {
    EXPECT_THAT(complaints(wrong), HasSubstr("must be above 0")) << wrong;
  }
  for (const char* wrong :
       {"extra_gradient_bytes = -1", "held_hidden_states = -1", "allocator_slack = -0.1",
        "fixed_memory = \"-1 MB\"", "gradient_bucket = \"-1 MB\"",
        "rank_issue_interval = \"-1 us\"", "sharded_layer_issue = \"-1 us\"",
        "step_overhead = \"-1 ms\"", "step_jitter = -0.01"}) {
    EXPECT_THAT(complaints(wrong), HasSubstr("must not be negative")) << wrong;
  }
}

TEST(Frameworks, ValuesAreOfTheKindOfTheirKey) {
  EXPECT_NE(complaints("crossing_issue_interval = \"1 MB\""), "");
  EXPECT_NE(complaints("backward_issue_interval = 5"), "");
  EXPECT_NE(complaints("hides_weight_gather = 1"), "");
  EXPECT_THAT(complaints("hides_wait_gather = true"), HasSubstr("hides_weight_gather"));
}

workload::ServingStack serving_of(const std::string& keys) {
  return framework_of("[framework.stack.serving]\n" + keys).serving;
}

std::string serving_complaints(const std::string& keys) {
  return test::complaints(stack("[framework.stack.serving]\n" + keys + "\n"));
}

TEST(Frameworks, EveryKeyOfServingIsRead) {
  const workload::ServingStack serving = serving_of(R"(
prefill_issue_interval = "11 us"
decode_issue_interval = "12 us"
collective_issue_interval = "13 us"
kernel_latency_share = 0.4
collective_latency_share = 1.5
kernel_gap = "3 us"
shared_heads = 1
prefill_chunk = 1024
chunk_of_all_ranks = true
fp8_recipe = "row"
pipeline_prompt_tokens = 2048
decodes_last_prompt_token = true
kernel_share = 0.9
stream_share = 0.8
attention_share = 0.7
one_shot_all_reduce = true
exchange_beside = "two_batches"
exchange_hidden_share = 0.6
fused_pointwise = false
flash_attention = false
iteration_overhead = "2 ms"
sequence_overhead = "20 us"
request_overhead = "5 ms"
page_tokens = 16
memory_share = 0.85
)");
  workload::ServingStack expected;
  expected.prefill_issue_interval_s = 11 * 1e-6;
  expected.decode_issue_interval_s = 12 * 1e-6;
  expected.collective_issue_interval_s = 13 * 1e-6;
  expected.kernel_latency_share = 0.4;
  expected.collective_latency_share = 1.5;
  expected.kernel_gap_s = 3 * 1e-6;
  expected.shared_heads = 1.0;
  expected.prefill_chunk = 1024.0;
  expected.chunk_of_all_ranks = true;
  expected.fp8_recipe = workload::Recipe::row;
  expected.pipeline_prompt_tokens = 2048.0;
  expected.decodes_last_prompt_token = true;
  expected.kernel_share = 0.9;
  expected.stream_share = 0.8;
  expected.attention_share = 0.7;
  expected.one_shot_all_reduce = true;
  expected.exchange_beside = workload::ExchangeOverlap::two_batches;
  expected.exchange_hidden_share = 0.6;
  expected.fused_pointwise = false;
  expected.flash_attention = false;
  expected.iteration_overhead_s = 2e-3;
  expected.sequence_overhead_s = 20 * 1e-6;
  expected.request_overhead_s = 5e-3;
  expected.page_tokens = 16.0;
  expected.memory_share = 0.85;
  EXPECT_DOUBLE_EQ(serving.sequence_overhead_s, 20e-6);
  EXPECT_EQ(serving, expected);
}

TEST(Frameworks, WhatServingDoesNotSayAddsNothing) {
  EXPECT_EQ(serving_of(""), workload::ServingStack{});
  EXPECT_EQ(framework_of("issue_interval = \"1 us\"\n").serving, workload::ServingStack{});
}

TEST(Frameworks, ThoseThatServeNeedNoIntervalOfTraining) {
  EXPECT_EQ(framework_of("[framework.stack.serving]\n").training.issue_interval_s, 0.0);
  EXPECT_DOUBLE_EQ(framework_of("issue_interval = \"3 us\"\n[framework.stack.serving]\n")
                       .training.issue_interval_s,
                   3e-6);
}

TEST(Frameworks, MistakesInServingAreTold) {
  for (const char* wrong :
       {"kernel_share = 1.2", "stream_share = 0", "attention_share = -0.5", "memory_share = 90"}) {
    EXPECT_THAT(serving_complaints(wrong), HasSubstr("it must be above 0 and at most 1")) << wrong;
  }
  for (const char* wrong : {"kernel_latency_share = -1", "collective_latency_share = -0.5",
                            "page_tokens = -16", "prefill_chunk = -1",
                            "decode_issue_interval = \"-1 us\"", "request_overhead = \"-1 ms\""}) {
    EXPECT_THAT(serving_complaints(wrong), HasSubstr("must not be negative")) << wrong;
  }
  EXPECT_NE(serving_complaints("iteration_overhead = \"1 MB\""), "");
  EXPECT_NE(serving_complaints("one_shot_all_reduce = 1"), "");
  EXPECT_THAT(serving_complaints("exchange_beside = \"everything\""),
              HasSubstr("'everything' is neither nothing nor shared_experts nor two_batches"));
  EXPECT_THAT(serving_complaints("page_token = 16"), HasSubstr("page_tokens"));
}

}  // namespace
}  // namespace scalesweep::catalog
