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

TEST(TrainingCases, SayWhatIsNotModelled) {
  Diagnostics diagnostics;
  const auto cases = read_text(
      "case,device,gpus,model,seq,global_batch,micro_batch,cp,step_time_s\n"
      "a,h100-sxm,8,llama-3-8b,8192,8,1,2,1\n",
      diagnostics);

  ASSERT_EQ(cases.size(), 1U) << diagnostics.text();
  EXPECT_EQ(cases.front().not_modelled, "cp above 1 is not modelled");
}

}  // namespace
}  // namespace scalesweep::validation
