#include "validation/training_cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/shipped_catalog.hpp"

namespace scalesweep::validation {
namespace {

using testing::HasSubstr;

using test::shipped_catalog;

const std::string header =
    "case,device,gpus,model,hidden,layers,heads,vocab,seq,global_batch,micro_batch,tp,pp,"
    "precision,recompute,step_time_s\n";

std::vector<TrainingCase> read_text(const std::string& text, Diagnostics& diagnostics,
                                    const std::string& framework = "") {
  std::vector<TrainingCase> cases;
  const auto table = CsvTable::parse("cases.csv", text, diagnostics);
  Systems systems(shipped_catalog());
  for (std::size_t i = 0; table && i < table->rows(); ++i) {
    RowReader row(*table, i, shipped_catalog(), diagnostics);
    if (auto c = read_training_case(row, {shipped_catalog(), systems, framework})) {
      cases.push_back(*c);
    }
  }
  return cases;
}

std::vector<TrainingCase> read(const std::string& rows, Diagnostics& diagnostics) {
  return read_text(header + rows, diagnostics);
}

TEST(TrainingCases, FillInWhatARowLeavesOut) {
  Diagnostics diagnostics;
  const auto cases =
      read("a,a100-sxm-80gb,16,,1024,24,16,51200,2048,32,2,2,2,,,1.5\n", diagnostics);

  ASSERT_EQ(cases.size(), 1U) << diagnostics.text();
  const TrainingCase& c = cases.front();
  EXPECT_EQ(c.strategy.data_parallel, 4);
  EXPECT_EQ(c.strategy.micro_batches, 4);
  EXPECT_EQ(c.strategy.recompute, parallel::Recompute::none);
  EXPECT_EQ(c.job.precision.linear, technology::Precision::bf16);
  EXPECT_EQ(c.job.precision.gradients, technology::Precision::fp32);
  EXPECT_FALSE(c.job.flash_attention) << "usual from H100 on";
  EXPECT_EQ(c.job.model.ffn, 4096);
  EXPECT_EQ(c.job.model.kv_heads, 16);
  EXPECT_DOUBLE_EQ(c.measured_step_s, 1.5);
}

TEST(TrainingCases, NameACataloguedModelWithFewerLayers) {
  Diagnostics diagnostics;
  const auto cases = read("a,h100-sxm,8,llama-3-8b,,4,,,8192,8,1,,,bf16,full,1\n", diagnostics);

  ASSERT_EQ(cases.size(), 1U) << diagnostics.text();
  EXPECT_EQ(cases.front().job.model.layers, 4);
  EXPECT_EQ(cases.front().job.model.kv_heads, 8);
}

TEST(TrainingCases, ReportEveryMistakeAndReadTheOtherRows) {
  Diagnostics diagnostics;
  const auto cases = read(
      "a,a100-sxm-80g,8,,1024,24,16,51200,2048,8,1,,,,,1\n"
      "b,a100-sxm-80gb,8,,1024,x,16,51200,2048,8,1,,,fp61,ful,-1\n"
      "c,a100-sxm-80gb,8,,1024,24,16,51200,2048,9,2,,,,,1\n"
      "d,a100-sxm-80gb,8,,1024,24,16,51200,2048,8,1,,,,,1\n",
      diagnostics);

  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(cases.front().gpus, 8);
  const std::string text = diagnostics.text();
  EXPECT_THAT(text, HasSubstr("cases.csv:2:2: error: device: the catalog has no device "
                              "'a100-sxm-80g'; did you mean 'a100-sxm-80gb'?"));
  EXPECT_THAT(text, HasSubstr("cases.csv:3:6: error: layers: 'x' is not a whole number"));
  EXPECT_THAT(text, HasSubstr("cases.csv:3:14: error: precision: no number format is called "
                              "'fp61'; did you mean 'fp64'?"));
  EXPECT_THAT(text, HasSubstr("cases.csv:3:15: error: recompute: 'ful' is none of none, "
                              "selective, full"));
  EXPECT_THAT(text, HasSubstr("cases.csv:3:16: error: step_time_s: '-1' is not a positive number"));
  EXPECT_THAT(text, HasSubstr("cases.csv:4:10: error: global_batch: 9 is no multiple of "
                              "micro_batch x dp = 16"));
}

// Or their errors would be infinite, and a median between two of them no number.
TEST(TrainingCases, RefuseNumbersThatNobodyMeasures) {
  Diagnostics diagnostics;
  EXPECT_TRUE(read("a,a100-sxm-80gb,8,,1024,24,16,51200,2048,8,1,,,,,1e-320\n"
                   "b,a100-sxm-80gb,8,,1024,24,16,51200,2048,8,1,,,,,1e300\n"
                   "c,a100-sxm-80gb,8,,1024,24,16,51200,2048,8,1,,,,,1e-9999\n",
                   diagnostics)
                  .empty());
  const std::string text = diagnostics.text();
  EXPECT_THAT(text, HasSubstr("cases.csv:2:16: error: step_time_s: '1e-320' is out of range; a "
                              "number lies between 1e-30 and 1e+30"));
  EXPECT_THAT(text, HasSubstr("cases.csv:3:16: error: step_time_s: '1e300' is out of range"));
  EXPECT_THAT(text, HasSubstr("cases.csv:4:16: error: step_time_s: '1e-9999' is"));
}

TEST(TrainingCases, CountTheirDevices) {
  Diagnostics diagnostics;
  EXPECT_TRUE(read_text("case,device,gpus,model,seq,global_batch,micro_batch,tp,dp\n"
                        "a,h100-sxm,8,llama-3-8b,8192,16,1,4,4\n",
                        diagnostics)
                  .empty());
  EXPECT_THAT(diagnostics.text(),
              HasSubstr("cases.csv:2:9: error: dp: tp x pp x cp x dp = 4 x 1 x 1 x 4 are 16 "
                        "devices, not the 8 of gpus"));
}

TEST(TrainingCases, NeedAModelOrAShape) {
  Diagnostics diagnostics;
  EXPECT_TRUE(read_text("case,device,gpus,seq,global_batch,micro_batch\n"
                        "a,h100-sxm,8,8192,16,1\n",
                        diagnostics)
                  .empty());
  EXPECT_THAT(diagnostics.text(), HasSubstr("error: model: is required: a model of the catalog, "
                                            "or hidden, layers, heads and vocab"));
}

// One row of llama-3-8b on 16 H100 with these further cells.
TrainingCase one(const std::string& columns, const std::string& cells,
                 const std::string& framework = "") {
  Diagnostics diagnostics;
  const auto cases = read_text("case,device,gpus,model,seq,global_batch,micro_batch," + columns +
                                   "\na,h100-sxm,16,llama-3-8b,8192,32,1," + cells + "\n",
                               diagnostics, framework);
  EXPECT_EQ(diagnostics.text(), "");
  return cases.empty() ? TrainingCase() : cases.front();
}

TEST(TrainingCases, ReadEveryParallelism) {
  const TrainingCase c = one("tp,pp,virtual_pp,cp,ep,zero,sequence_parallel", "2,2,4,2,1,3,true");
  EXPECT_EQ(c.strategy.tensor_parallel, 2);
  EXPECT_EQ(c.strategy.pipeline_parallel, 2);
  EXPECT_EQ(c.strategy.chunks, 4);
  EXPECT_EQ(c.strategy.context_parallel, 2);
  EXPECT_EQ(c.strategy.data_parallel, 2);
  EXPECT_EQ(c.strategy.micro_batches, 16);
  EXPECT_EQ(c.strategy.zero, 3);
  EXPECT_TRUE(c.strategy.sequence_parallel);
}

TEST(TrainingCases, TakeTheNetworkOfANodeForItsDevices) {
  const double usual = one("tp", "1").system.scale_out().bandwidth.si();
  const TrainingCase given = one("scale_out_gbps_per_node", "1600");
  EXPECT_DOUBLE_EQ(given.system.scale_out().bandwidth.si(), 1600e9 / 8.0 / 8.0);
  EXPECT_NE(usual, given.system.scale_out().bandwidth.si());
}

TEST(TrainingCases, TakeTheMeasuredBusBandwidthForTheScaleOutNetwork) {
  // Of 80 GB/s over two nodes of eight each device sends half of its 10 GB/s to the other node.
  const TrainingCase c = one("scale_out_gbps_per_node,measured_all_reduce_gb_per_s", "3200,80");
  EXPECT_DOUBLE_EQ(c.system.scale_out().bandwidth.si() * c.system.scale_out().sustained, 5e9);
}

TEST(TrainingCases, MayBeLimitedToLessThanTheDesignPower) {
  EXPECT_DOUBLE_EQ(one("tp", "1").system.device.thermal_design_power.si(), 700.0);
  EXPECT_DOUBLE_EQ(one("power_limit_w", "500").system.device.thermal_design_power.si(), 500.0);
  EXPECT_DOUBLE_EQ(one("power_limit_w", "").system.device.thermal_design_power.si(), 700.0);
  Diagnostics diagnostics;
  EXPECT_TRUE(read_text("case,device,gpus,model,seq,global_batch,micro_batch,power_limit_w\n"
                        "a,h100-sxm,8,llama-3-8b,8192,32,1,900\n",
                        diagnostics)
                  .empty());
  EXPECT_EQ(
      diagnostics.text(),
      "cases.csv:2:8: error: power_limit_w: 900 is above the design power of h100-sxm, 700 W\n");
}

TEST(TrainingCases, InsideOneNodeLeaveTheNetworkAsItIs) {
  Diagnostics diagnostics;
  const std::string columns = "case,device,gpus,model,seq,global_batch,micro_batch";
  const auto measured = read_text(columns +
                                      ",measured_all_reduce_gb_per_s\n"
                                      "a,h100-sxm,8,llama-3-8b,8192,32,1,450\n",
                                  diagnostics);
  const auto usual = read_text(columns + "\na,h100-sxm,8,llama-3-8b,8192,32,1\n", diagnostics);
  ASSERT_EQ(measured.size(), 1U) << diagnostics.text();
  EXPECT_EQ(measured[0].system.scale_out().bandwidth.si(),
            usual[0].system.scale_out().bandwidth.si());
}

TEST(TrainingCases, RunOnTheFrameworkOfTheCellThenTheOptionThenTheSource) {
  EXPECT_EQ(one("framework", "megatron-lm-2022", "overlapped").framework, "megatron-lm-2022");
  EXPECT_EQ(one("source", "Korthikanti arXiv:2205.05198", "overlapped").framework, "overlapped");
  EXPECT_EQ(one("source", "Korthikanti arXiv:2205.05198").framework, "megatron-lm-2022");
  EXPECT_EQ(one("source", "a blog").framework, "overlapped");
}

TEST(TrainingCases, FuseAttentionWhereTheirGenerationDoes) {
  EXPECT_TRUE(one("precision", "bf16").job.flash_attention);
  EXPECT_TRUE(one("precision", "fp8").job.flash_attention);
  EXPECT_FALSE(one("precision", "fp16").job.flash_attention);
  EXPECT_FALSE(one("flash_attention", "false").job.flash_attention);
  EXPECT_TRUE(one("source,precision", "mosaicml/llm-foundry,fp16").job.flash_attention);
}

TEST(TrainingCases, AccumulateGradientsInTheFormatOfTheirPrecision) {
  using technology::Precision;
  EXPECT_EQ(one("precision", "fp16").job.precision.gradients, Precision::fp16);
  EXPECT_EQ(one("precision", "fp8").job.precision.gradients, Precision::fp32);
  EXPECT_EQ(one("grad_precision", "bf16").job.precision.gradients, Precision::bf16);
}

TEST(TrainingCases, PredictFurtherTokensOnlyWhereTheySaySo) {
  EXPECT_EQ(one("multi_token_prediction", "true").job.model.prediction_layers, 1);
  EXPECT_EQ(one("multi_token_prediction", "").job.model.prediction_layers, 0);
}

TEST(TrainingCases, SayWhatIsNotModelled) {
  Diagnostics diagnostics;
  const auto cases = read_text(
      "case,device,gpus,model,seq,global_batch,micro_batch,precision\n"
      "a,a100-sxm-80gb,8,llama-3-8b,8192,8,1,fp8\n",
      diagnostics);

  ASSERT_EQ(cases.size(), 1U) << diagnostics.text();
  EXPECT_EQ(cases.front().not_modelled, "the catalog has no fp8 rate for a100-sxm-80gb");
}

TEST(TrainingCases, RunMicroscaledFormatsOnTheirUnits) {
  Diagnostics diagnostics;
  const auto cases = read_text(
      "case,device,gpus,model,seq,global_batch,micro_batch,precision\n"
      "a,b200-sxm,8,llama-3-8b,8192,8,1,mxfp8\n"
      "b,b200-sxm,8,llama-3-8b,8192,8,1,nvfp4\n",
      diagnostics);

  ASSERT_EQ(cases.size(), 2U) << diagnostics.text();
  EXPECT_EQ(cases[0].not_modelled, "");
  EXPECT_EQ(cases[1].not_modelled, "");
  EXPECT_EQ(cases[1].job.precision.linear, technology::Precision::fp4);
  EXPECT_EQ(cases[0].job.recipe(), workload::Recipe::mxfp8);
  EXPECT_EQ(cases[1].job.recipe(), workload::Recipe::nvfp4);
}

TEST(TrainingCases, SayByWhichRecipe) {
  Diagnostics diagnostics;
  const auto cases = read_text(
      "case,device,gpus,model,seq,global_batch,micro_batch,precision,recipe,framework\n"
      "a,h100-sxm,8,llama-3-8b,8192,8,1,fp8,blockwise,megatron-bridge\n"
      "b,h100-sxm,8,llama-3-8b,8192,8,1,fp8,,megatron-bridge\n"
      "c,h100-sxm,8,llama-3-8b,8192,8,1,fp8,mx,megatron-bridge\n",
      diagnostics);

  ASSERT_EQ(cases.size(), 3U) << diagnostics.text();
  EXPECT_EQ(cases[0].job.recipe(), workload::Recipe::block);
  EXPECT_EQ(cases[1].job.recipe(), workload::Recipe::current);
  EXPECT_EQ(cases[2].not_modelled, "the catalog has no mxfp8 rate for h100-sxm");
}

TEST(TrainingCases, DropTokensWhereTheySaySo) {
  Diagnostics diagnostics;
  const auto cases = read_text(
      "case,device,gpus,model,seq,global_batch,micro_batch,ep,layers,token_drop\n"
      "a,b200-sxm,8,mixtral-8x7b,4096,8,1,8,4,true\n"
      "b,b200-sxm,8,mixtral-8x7b,4096,8,1,8,4,\n"
      "c,b200-sxm,8,deepseek-v3,4096,8,1,8,4,\n",
      diagnostics);

  ASSERT_EQ(cases.size(), 3U) << diagnostics.text();
  EXPECT_EQ(cases[0].strategy.expert_parallel, 8);
  EXPECT_EQ(cases[0].job.model.experts.capacity, 1.0);
  EXPECT_EQ(cases[1].job.model.experts.capacity,
            shipped_catalog().model("mixtral-8x7b").experts.capacity);
  EXPECT_EQ(cases[2].job.model.experts.dense_layers, 1) << "of three, in a cut model";
}

TEST(TrainingCases, SayScheduleShardGroupAndWhatIsRecomputed) {
  EXPECT_EQ(one("pp,schedule", "2,zero_bubble").strategy.schedule, parallel::Schedule::zero_bubble);
  EXPECT_EQ(one("pp,schedule", "2,dual_pipe").strategy.schedule, parallel::Schedule::dual_pipe);
  EXPECT_EQ(one("pp,schedule", "2,").strategy.schedule,
            parallel::Schedule::one_forward_one_backward);
  EXPECT_EQ(one("zero,shard_group", "3,8").strategy.shard_group, 8);
  EXPECT_EQ(one("zero,shard_group", "3,").strategy.shard_group, 0);
  EXPECT_EQ(one("recompute,recompute_every", "full,4").strategy.recompute_every, 4);
  EXPECT_EQ(one("recompute", "full").strategy.recompute_every, 1);
  EXPECT_EQ(one("pp,first_stage_layers", "4,5").strategy.first_stage_layers, 5);
  EXPECT_EQ(one("pp,last_stage_layers", "4,2").strategy.last_stage_layers, 2);
  EXPECT_EQ(one("pp,last_stage_layers", "4,").strategy.last_stage_layers, 0);
  const auto selective = [](const std::string& which, const std::string& framework) {
    return one("recompute,selective_recompute", "selective," + which, framework)
        .job.stack.selective_recompute;
  };
  EXPECT_EQ(selective("", "megatron-lm"), workload::SelectiveRecompute::attention);
  EXPECT_EQ(selective("alternate", "megatron-lm"), workload::SelectiveRecompute::alternate);
  EXPECT_EQ(selective("", "torchtitan"), workload::SelectiveRecompute::alternate);
  EXPECT_EQ(selective("attention", "torchtitan"), workload::SelectiveRecompute::attention);
}

TEST(TrainingCases, FollowTheRulesOfSchedulesAndShardGroups) {
  const auto mistakes = [](const std::string& columns, const std::string& cells,
                           const std::string& gpus = "16") {
    Diagnostics diagnostics;
    EXPECT_TRUE(read_text("case,device,gpus,model,seq,global_batch,micro_batch," + columns +
                              "\na,h100-sxm," + gpus + ",llama-3-8b,8192,32,1," + cells + "\n",
                          diagnostics)
                    .empty());
    return diagnostics.text();
  };
  EXPECT_EQ(
      mistakes("schedule", "zero_bubble"),
      "cases.csv:2:8: error: schedule: the schedule zero_bubble needs pipeline_parallel above "
      "1\n");
  EXPECT_THAT(mistakes("pp,dp,virtual_pp,schedule", "2,8,2,zero_bubble"),
              HasSubstr("schedule: more than one chunk needs the schedule 1f1b"));
  EXPECT_THAT(mistakes("pp,schedule", "3,dual_pipe", "3"),
              HasSubstr("the schedule dual_pipe needs an even pipeline_parallel"));
  EXPECT_THAT(mistakes("schedule", "gpipe"),
              HasSubstr("schedule: 'gpipe' is none of 1f1b, zero_bubble, dual_pipe"));
  EXPECT_THAT(mistakes("zero,shard_group", "1,8"),
              HasSubstr("shard_group: shard_group needs zero 3"));
  EXPECT_THAT(mistakes("zero,shard_group", "3,5"),
              HasSubstr("shard_group must divide data_parallel x context_parallel and be less"));
  EXPECT_THAT(mistakes("recompute,recompute_every", "selective,2"),
              HasSubstr("recompute_every above 1 needs recompute full"));
  EXPECT_THAT(mistakes("pp,first_stage_layers", "4,6"),
              HasSubstr("first_stage_layers: what first_stage_layers and last_stage_layers leave "
                        "of the model's layers (32) must be some, and as many, for every other "
                        "stage"));
  EXPECT_THAT(mistakes("last_stage_layers", "2"),
              HasSubstr("last_stage_layers: first_stage_layers and last_stage_layers need "
                        "pipeline_parallel above 1"));
  EXPECT_THAT(mistakes("recompute,recompute_every", "full,33"),
              HasSubstr("recompute_every must be at most the model's layers (32)"));
  EXPECT_THAT(mistakes("recompute,selective_recompute", "full,alternate"),
              HasSubstr("selective_recompute: needs recompute selective"));
  EXPECT_THAT(mistakes("recompute,selective_recompute", "selective,some"),
              HasSubstr("selective_recompute: 'some' is none of attention, alternate"));
}

TEST(TrainingCases, HaveTheErrorBarOfTheirDeviceAndFramework) {
  const auto known = shipped_catalog().uncertainty("h100-sxm", "nanotron");
  ASSERT_TRUE(known.multi_node.is_measured());
  const TrainingCase c = one("tp", "1", "nanotron");
  EXPECT_EQ(c.job.uncertainty.multi_node, known.multi_node);
  EXPECT_EQ(c.job.uncertainty.single_node, known.single_node);
}

}  // namespace
}  // namespace scalesweep::validation
